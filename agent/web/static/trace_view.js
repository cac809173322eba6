// What was done for a reply, behind a fold: a line a step, and the reasons of a decision below it.

import { el } from "./dom.js";
import { named, number, reason, t, valued } from "./texts.js";

let passedOver = new Set(); // steps that only a replay reads

export const passOver = (names) => (passedOver = new Set(names));

/** Return the fold. */
export function traceView(reply) {
  const steps = reply.trace.filter((step) => !passedOver.has(step.step));
  return el("details", { class: "why" },
    el("summary", {}, t("why")),
    reply.calibration === "uncalibrated" ? el("p", {}, t("uncalibrated_why")) : null,
    el("ol", {}, steps.map(stepView)));
}

function stepView({ step, because, ...detail }) {
  const inWords = because === undefined ? null : reason(because);
  return el("li", {},
    el("strong", {}, named("steps", step)),
    because === undefined ? null : el("p", { class: "because", lang: inWords === null ? "en" : null }, inWords ?? because),
    el("dl", {}, flat(detail).map(([name, value]) => [el("dt", {}, named("details", name)), el("dd", {}, plain(name, value))])));
}

/** Groups of features are shown one by one; lists of articles stay together. */
function flat(detail) {
  return Object.entries(detail).flatMap(([name, value]) => {
    if (value === null || value === "" || (typeof value === "object" && !Object.keys(value).length)) return [];
    return name === "features" ? flat(value) : [[name, value]];
  });
}

function plain(name, value) {
  if (Array.isArray(value)) return list(value.map((one) => plain(name, one)));
  if (value !== null && typeof value === "object") {
    return list(Object.entries(value).map(([key, one]) => [el("span", { class: "id" }, key), " ", plain(key, one)]));
  }
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  return typeof value === "number" ? number(value, { maximumFractionDigits: 3 }) : valued(String(value));
}

const list = (items) => (items.length === 1 ? items[0] : el("ul", {}, items.map((item) => el("li", {}, item))));
