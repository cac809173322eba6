// The page: what was asked and said, the question being written, the language, and what the keys do.

import { close, open, redraw } from "./article_view.js";
import { byId, el } from "./dom.js";
import { replyView } from "./reply_view.js";
import * as server from "./server.js";
import { LANGUAGES, number, preferred, t, use } from "./texts.js";
import { passOver } from "./trace_view.js";

let turns = []; // {question, asOf, draft, reply, failure, shown}: shown is the element
let asking = null; // the AbortController of the question that is being answered
let told = null; // what the server says of itself

const question = byId("question");

/** Show what there is to do, given what there is. */
function render() {
  byId("welcome").hidden = turns.length > 0;
  byId("new").hidden = turns.length === 0;
  byId("export").hidden = !turns.some((turn) => turn.reply);
  byId("send").textContent = t(asking ? "stop" : "send");
  if (told) byId("about").textContent = aboutLine();
}

/** Show what was said to one question; what else is open on the page stays so. */
function renderTurn(turn) {
  turn.shown.replaceChildren(el("h2", { class: "asked" }, turn.question), saidView(turn));
}

function saidView(turn) {
  if (turn.reply) return replyView(turn.reply, readerOf(turn.asOf));
  if (turn.failure) {
    const again = () => ask(turn.question, turn);
    return el("div", { class: "reply failed" }, el("p", {}, turn.failure),
      el("button", { type: "button", class: "quiet", click: again }, t("again")));
  }
  return el("div", { class: "reply coming" }, turn.draft ? el("p", { class: "words" }, turn.draft) : null, el("p", { class: "working" }, t(turn.draft ? "writing" : "working")));
}

/** Return what opens and fetches articles in the law of a date. */
const readerOf = (asOf) => ({
  open: (id, marked, from) => open(id, marked, from, asOf),
  article: (id) => server.article(id, asOf),
});

/** Put a question; `again` is the turn of it that failed. */
async function ask(words, again) {
  if (asking || !words.trim()) return;
  if (!told) await learn();
  if (!told) return;
  again?.shown.remove();
  turns = turns.filter((turn) => turn !== again);
  const history = turns.filter((turn) => turn.reply).map((turn) => turn.question);
  const turn = { question: words.trim(), asOf: again?.asOf ?? byId("as-of").value, draft: "", shown: el("li", { class: "turn" }) };
  turns.push(turn);
  byId("conversation").append(turn.shown);
  asking = new AbortController();
  render();
  renderTurn(turn);
  turn.shown.scrollIntoView({ block: "start" });
  say(t("working"));
  try {
    await listen(turn, history.slice(Math.max(0, history.length - told.max_history)));
    say(turn.reply.abstained ? `${t(`kinds.${turn.reply.kind}`)} ${turn.reply.text}` : `${t("answered")} ${turn.reply.text}`);
  } catch (error) {
    turn.failure = failureOf(error);
    say(turn.failure);
  }
  asking = null;
  render();
  renderTurn(turn);
  turn.shown.scrollIntoView({ block: "start" });
}

async function listen(turn, history) {
  for await (const { event, data } of server.ask(turn.question, history, turn.asOf, asking.signal)) {
    if (event === "draft") {
      turn.draft += data.text;
      renderTurn(turn);
    } else if (event === "reply") turn.reply = data;
    else throw new server.ServerError(503, data.error.message);
  }
  if (!turn.reply) throw new server.ServerError(503, t("broke_off"));
}

function failureOf(error) {
  if (error.name === "AbortError") return t("stopped");
  if (!(error instanceof server.ServerError)) return t("unreachable");
  if (error.status === 401) byId("key-dialog").showModal();
  return error.message;
}

const say = (words) => (byId("status").textContent = words);

function aboutLine() {
  const parts = [told.laws.slice(0, 2).join(", ") + (told.laws.length > 2 ? ` +${number(told.laws.length - 2)}` : "")];
  parts.push(t("articles", { count: number(told.articles) }));
  if (told.edition) parts.push(t("edition", { date: told.edition }));
  parts.push(told.model ? t("written_by", { model: told.model }) : t("quoted"));
  if (!told.encoder) parts.push(t("words_only"));
  return parts.join(" · ");
}

async function learn() {
  try {
    told = await server.about();
  } catch (error) {
    byId("about").textContent = failureOf(error);
    return;
  }
  passOver(told.for_replay);
  const choose = (words) => el("li", {}, el("button", { type: "button", class: "example", lang: "en", click: () => ask(words) }, words));
  byId("examples").replaceChildren(...told.examples.map(choose));
  render();
}

async function save() {
  const replies = turns.filter((turn) => turn.reply).map((turn) => ({ ...turn.reply, trace: [] }));
  const file = new Blob([await server.markdown(replies)], { type: "text/markdown" });
  const link = el("a", { href: URL.createObjectURL(file), download: `non-liquet-${new Date().toISOString().slice(0, 10)}.md` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function send(event) {
  event?.preventDefault();
  if (asking) return void asking.abort();
  const words = question.value;
  question.value = "";
  fit();
  ask(words);
}

/** The question's box is as high as its words. */
function fit() {
  question.style.height = "auto";
  question.style.height = `${question.scrollHeight + 2}px`;
}

byId("composer").addEventListener("submit", send);
question.addEventListener("input", fit);
question.addEventListener("keydown", (event) => {
  if (event.isComposing) return; // Enter ends a syllable that is being composed
  if (event.key === "Enter" && !event.shiftKey) send(event);
  if (event.key === "ArrowUp" && !question.value && turns.length) {
    event.preventDefault();
    question.value = turns.at(-1).question;
    fit();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && asking) asking.abort();
  else if (event.key === "Escape" && !byId("article").hidden) close();
  else if (event.key === "/" && !event.target.closest("textarea, input, select")) {
    event.preventDefault();
    question.focus();
  }
});
byId("new").addEventListener("click", () => {
  asking?.abort();
  turns = [];
  byId("conversation").replaceChildren();
  close();
  render();
  question.focus();
});
byId("export").addEventListener("click", () => save().catch((error) => say(failureOf(error))));
byId("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  server.setKey(byId("key").value);
  byId("key-dialog").close();
  learn();
});
const language = byId("language");
language.append(...Object.entries(LANGUAGES).map(([code, name]) => el("option", { value: code, lang: code }, name)));
language.value = preferred();
language.addEventListener("change", async () => {
  localStorage.setItem("language", language.value);
  await use(language.value);
  render();
  turns.forEach(renderTurn);
  await redraw();
});

await use(language.value);
await learn();
question.focus();
