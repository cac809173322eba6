// The pane on the right: an article, the words that were quoted marked, its citations as links and as a picture.

import { byId, el } from "./dom.js";
import * as server from "./server.js";
import { t } from "./texts.js";

const SVG_ROOT = "image/svg+xml";
let visited = []; // [id, marked] of the articles opened since the pane was, the last one shown
let asOf = ""; // the date whose law they are read in; "": as the sources stand
let openedFrom = null; // gets the focus back when the pane closes
let turn = 0; // of the request that may still draw

/** Show an article in the law of a date. marked: `{quote, start, end}`, or `{quote}` to be looked for, or null. */
export async function open(id, marked, from, date) {
  openedFrom = from;
  asOf = date;
  visited = [[id, marked]];
  await show();
}

async function goOn(id) {
  visited.push([id, null]);
  await show();
}

/** Close the pane. */
export function close() {
  turn += 1;
  byId("article").hidden = true;
  document.body.classList.remove("reading");
  if (openedFrom?.isConnected) openedFrom.focus();
}

/** Draw the pane anew, as in another language. */
export const redraw = () => (byId("article").hidden ? undefined : show());

async function show() {
  const mine = ++turn;
  const [id, marked] = visited.at(-1);
  const pane = byId("article");
  let parts;
  try {
    parts = articleParts(await server.article(id, asOf), marked);
  } catch (error) {
    parts = [el("p", { class: "failed" }, error.message)];
  }
  if (mine !== turn) return;
  pane.replaceChildren(bar(), ...parts);
  pane.hidden = false;
  document.body.classList.add("reading");
  pane.focus({ preventScroll: true });
  const mark = pane.querySelector("mark");
  pane.scrollTop = mark ? mark.offsetTop - pane.clientHeight / 3 : 0;
  await draw(id, mine);
}

function bar() {
  const back = () => {
    visited.pop();
    show();
  };
  return el("div", { class: "bar" },
    visited.length > 1 ? el("button", { type: "button", class: "quiet", click: back }, `← ${t("back")}`) : el("span"),
    el("button", { type: "button", class: "quiet", click: close }, `${t("close")} ✕`));
}

function articleParts(article, marked) {
  const span = place(article.text, marked);
  return [
    el("h2", {},
      el("span", { class: "law", lang: article.language }, article.law_name),
      el("span", { lang: article.language }, [article.chapter, article.chapter_description].filter(Boolean).join(" · "))),
    el("p", { class: "standing" }, [article.heading_path, standing(article)].filter(Boolean).join(" — ")),
    marked && !span && article.text ? el("p", { class: "note" }, t("not_found"), " “", marked.quote, "”") : null,
    article.text
      ? el("div", { class: "statute", lang: article.language }, statute(article, span))
      : el("p", { class: "note" }, t(article.status === "repealed" ? "no_text_repealed" : "no_text_absent")),
    links("cites", article.cites),
    links("cited_by", article.cited_by),
    el("h3", {}, t("picture")),
    el("div", { class: "picture", tabindex: "0", role: "group", "aria-label": t("picture") }),
  ].filter(Boolean);
}

function standing(article) {
  if (!article.effective_date) return "";
  return t(article.status === "repealed" ? "repealed" : "in_force", { date: article.effective_date });
}

/** Return where the quoted words stand: where the reply says, if they do, else where they are found. */
function place(text, marked) {
  if (!marked) return null;
  if (text.slice(marked.start, marked.end) === marked.quote) return marked;
  const words = marked.quote.trim().split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const found = text.match(new RegExp(words.join("\\s+")));
  return found ? { start: found.index, end: found.index + found[0].length } : null;
}

/** Return the text cut where a citation or the marked span begins or ends: links for the one, `mark` for the other. */
function statute(article, span) {
  const edges = article.cites.filter((edge) => edge.start >= 0).sort((a, b) => a.start - b.start || b.end - a.end);
  const parts = [];
  let at = 0;
  for (const edge of edges) {
    if (edge.start < at) continue; // within the words of the one before
    parts.push(...marking(article.text, at, edge.start, span));
    const words = marking(article.text, edge.start, edge.end, span);
    parts.push(citing(edge, words));
    at = edge.end;
  }
  return [...parts, ...marking(article.text, at, article.text.length, span)];
}

/** A link in running text, which a button could not break across lines. */
function citing(edge, words) {
  const follow = (event) => {
    event.preventDefault();
    goOn(edge.semantic_id);
  };
  return el("a", { href: "#article", class: "cite", title: nameOf(edge), click: follow }, words);
}

function marking(text, start, end, span) {
  if (!span) return [text.slice(start, end)];
  const from = Math.min(Math.max(span.start, start), end);
  const to = Math.max(Math.min(span.end, end), from);
  return [text.slice(start, from), from < to ? el("mark", {}, text.slice(from, to)) : "", text.slice(to, end)].filter((part) => part !== "");
}

const nameOf = (edge) =>
  [edge.law_name, edge.chapter].filter(Boolean).join(", ") + (edge.chapter_description ? ` (${edge.chapter_description})` : "");

function links(caption, edges) {
  const others = new Map(edges.map((edge) => [edge.semantic_id, edge]));
  if (!others.size) return null;
  const shown = [...others.values()].map((edge) =>
    el("li", {}, el("button", { type: "button", class: "source", click: () => goOn(edge.semantic_id) }, nameOf(edge)),
      " ", el("small", {}, t(`edges.${edge.kind}`))));
  return el("details", { open: others.size <= 6 }, el("summary", {}, `${t(caption)} (${others.size})`), el("ul", { class: "links" }, shown));
}

/** Put the picture in, each of its boxes a link to the article. */
async function draw(id, mine) {
  const drawn = await server.picture(id, asOf, document.documentElement.lang).catch(() => null);
  const frame = byId("article").querySelector(".picture");
  if (mine !== turn || frame === null) return;
  if (drawn === null) return void frame.replaceChildren(el("p", {}, t("no_picture")));
  const svg = document.importNode(new DOMParser().parseFromString(drawn, SVG_ROOT).documentElement, true);
  svg.setAttribute("role", "group");
  for (const box of svg.querySelectorAll("g[data-id]")) {
    if (box.dataset.id === id) continue;
    const follow = () => goOn(box.dataset.id);
    box.setAttribute("role", "link");
    box.setAttribute("tabindex", "0");
    box.setAttribute("aria-label", [...box.querySelectorAll("text")].map((text) => text.textContent).join(", "));
    box.addEventListener("click", follow);
    box.addEventListener("keydown", (event) => event.key === "Enter" && follow());
  }
  frame.replaceChildren(svg);
  frame.after(legend(svg));
  const middle = svg.querySelector(`g[data-id="${CSS.escape(id)}"] rect`);
  if (middle) frame.scrollLeft = middle.x.baseVal.value + middle.width.baseVal.value / 2 - frame.clientWidth / 2;
}

/** Take the legend out of a picture that scrolls, and return it as a list that does not. */
function legend(svg) {
  const notes = [...svg.querySelectorAll("g.legend")];
  const { width } = svg.viewBox.baseVal;
  const height = Number(svg.dataset.legend);
  svg.setAttribute("height", height);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  return el("ul", { class: "legend" }, notes.map((note) => {
    const sample = document.createElementNS(svg.namespaceURI, "svg");
    sample.setAttribute("viewBox", "0 -8 46 16");
    sample.setAttribute("aria-hidden", "true");
    const words = note.querySelector("text").textContent;
    note.querySelector("text").remove();
    note.removeAttribute("transform");
    sample.append(note);
    return el("li", {}, sample, words);
  }));
}
