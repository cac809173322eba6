// A reply as elements: its text with chips for citations, what is missing, and how sure it is.

import { el } from "./dom.js";
import { number, t } from "./texts.js";
import { traceView } from "./trace_view.js";

/** Return a reply. reader: its `open` shows an article with words of it marked, its `article` fetches one. */
export function replyView(reply, reader) {
  return reply.abstained ? abstentionView(reply, reader) : answerView(reply, reader);
}

function answerView(reply, reader) {
  const quoted = new Set(reply.citations.filter((one) => reply.text.includes(one.quote)));
  return el("div", { class: "reply answer" },
    el("div", { class: "words", lang: reply.language }, paragraphs(reply.text, reply.citations, reader)),
    notes(reply),
    el("h3", {}, t("sources")),
    el("ol", { class: "sources" }, byArticle(reply.citations).map((cited) => source(cited, quoted, reader))),
    beyond(reply, reader),
    footing(reply),
  );
}

function abstentionView(reply, reader) {
  return el("div", { class: `reply abstention ${reply.kind}` },
    el("h3", {}, t(`kinds.${reply.kind}`)),
    el("p", { class: "words", lang: reply.language }, reply.text),
    notes(reply),
    reply.missing.map((one) => absent(one, reader, "missing")),
    reply.not_in_force.map((one) =>
      el("p", { class: "absent" }, opener(one.semantic_id, fullName(one), null, reader), " — ",
        t(one.repealed ? "repealed" : "not_yet", { date: one.since || "?" }))),
    nearest(reply, reader),
    beyond(reply, reader),
    footing(reply),
  );
}

/** What was found, but what stands above already as the words that send to what is missing. */
function nearest(reply, reader) {
  const sending = new Set(reply.missing.map((one) => one.sentence));
  const found = byArticle(reply.found).map((cited) => cited.filter((one) => !sending.has(one.quote))).filter((cited) => cited.length);
  if (!found.length) return null;
  return [
    el("h4", {}, t(reply.kind === "conflicting_provisions" ? "both" : "nearest")),
    el("ol", { class: "sources" }, found.map((cited) => source(cited, new Set(), reader))),
  ];
}

/** Break a text into paragraphs; `[n]` becomes a chip. A line that only quotes gives each quote its own block. */
function paragraphs(text, citations, reader) {
  return text.split(/\n+/).filter((line) => line.trim()).map((line) => {
    const onlyQuotes = line.match(/^([^“]*)((?:“[^”]*”(?:\s*\[\d+\])+\s*)+)$/);
    if (!onlyQuotes) return el("p", {}, chipped(line, citations, reader));
    const quotes = onlyQuotes[2].match(/“[^”]*”(?:\s*\[\d+\])+/g);
    return el("div", { class: "quoting" },
      onlyQuotes[1].trim() && el("p", { class: "where" }, chipped(onlyQuotes[1].trim().replace(/[:：]$/, ""), citations, reader)) || null,
      quotes.map((quote) => el("blockquote", {}, chipped(quote.replace(/^“([^”]*)”/, "$1"), citations, reader))));
  });
}

function chipped(line, citations, reader) {
  return line.split(/(\[\d+\])/).map((part) => {
    const cited = /^\[\d+\]$/.test(part) ? citations[Number(part.slice(1, -1)) - 1] : undefined;
    return cited === undefined ? part : chip(cited, part.slice(1, -1), reader);
  });
}

function chip(cited, label, reader) {
  const name = t("citation", { number: label, name: `${cited.law_name}, ${cited.label}` });
  return el("button", { type: "button", class: "chip", "aria-label": name, title: name,
    click: (event) => reader.open(cited.semantic_id, cited, event.currentTarget) }, label);
}

function byArticle(citations) {
  const articles = new Map();
  citations.forEach((one, place) => {
    if (!articles.has(one.semantic_id)) articles.set(one.semantic_id, []);
    articles.get(one.semantic_id).push({ ...one, number: place + 1, given: one });
  });
  return [...articles.values()];
}

function source(cited, quoted, reader) {
  const [first] = cited;
  return el("li", {},
    opener(first.semantic_id, `${first.law_name}, ${first.label}`, first, reader),
    cited.filter((one) => !quoted.has(one.given)).map((one) =>
      el("blockquote", {}, one.quote, " ", chip(one, String(one.number), reader),
        one.check === "repaired" ? el("small", {}, " ", t("moved")) : null)));
}

function opener(id, name, marked, reader) {
  return el("button", { type: "button", class: "source", click: (event) => reader.open(id, marked, event.currentTarget) }, name);
}

function absent(one, reader, caption) {
  return el("div", { class: "absent" },
    el("p", {}, el("strong", {}, t(caption)), " ", opener(one.semantic_id, fullName(one), null, reader)),
    el("p", { class: "sender" }, t("sent_by"), " ",
      sender(one, reader)),
    el("blockquote", {}, one.sentence));
}

/** The article that sends there, by its id until its name is known. */
function sender(one, reader) {
  const button = opener(one.sent_from, one.sent_from.replaceAll("_", " "), { quote: one.sentence }, reader);
  reader.article(one.sent_from).then((found) => (button.textContent = `${found.law_name}, ${found.chapter}`), () => undefined);
  return button;
}

function beyond(reply, reader) {
  if (!reply.beyond.length) return null;
  return el("details", { class: "beyond" },
    el("summary", {}, t("beyond", { count: number(reply.beyond.length) })),
    reply.beyond.map((one) => absent(one, reader, "not_at_hand")));
}

function notes(reply) {
  const told = reply.notes.filter((note) => !reply.text.includes(note.text));
  return told.map((note) => el("p", { class: "note", lang: reply.language }, note.text));
}

/** How sure it is and by what measure, and what was done in another way than was asked; then the trace. */
function footing(reply) {
  const uncalibrated = reply.calibration === "uncalibrated";
  const sure = number(reply.confidence, { maximumFractionDigits: 2, minimumFractionDigits: 2 });
  const fellBack = reply.trace.filter((step) => step["fell back"]);
  return el("div", { class: "footing" },
    fellBack.map((step) => el("p", { class: "fell-back" }, t("fell_back"), " ", el("span", { lang: "en" }, step["fell back"]))),
    el("p", { class: "sure" }, t(reply.abstained ? "fit" : "confidence", { sure }), " · ",
      uncalibrated ? el("span", { title: t("uncalibrated_why") }, t("uncalibrated")) : el("span", { lang: "en" }, reply.calibration),
      reply.edition ? ` · ${t("edition", { date: reply.edition })}` : null),
    traceView(reply));
}

function fullName(one) {
  return `${one.law_name}, ${one.label}${one.heading ? ` (${one.heading})` : ""}`;
}
