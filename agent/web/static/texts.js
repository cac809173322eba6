// The page's own words, one file a language; the browser's language unless another was chosen.

export const LANGUAGES = { en: "English", ko: "한국어", fr: "Français", ja: "日本語" };

let words = {};

/** Return the language chosen before, else the first of the browser's that there is, else English. */
export function preferred() {
  const wanted = [localStorage.getItem("language"), ...navigator.languages.map((one) => one.slice(0, 2))];
  return wanted.find((one) => one in LANGUAGES) ?? "en";
}

/** Load a language and put its words on the page. */
export async function use(language) {
  const answer = await fetch(`page/texts/${language}.json`);
  words = await answer.json();
  document.documentElement.lang = language;
  document.title = words.title;
  for (const one of document.querySelectorAll("[data-text]")) one.textContent = t(one.dataset.text);
  for (const one of document.querySelectorAll("[data-label]")) one.setAttribute("aria-label", t(one.dataset.label));
  for (const one of document.querySelectorAll("[data-placeholder]")) one.placeholder = t(one.dataset.placeholder);
}

/** Return the words under a key such as `kinds.out_of_scope`, `{slots}` filled. An unknown key is an error. */
export function t(key, slots = {}) {
  const found = lookUp(key);
  if (found === undefined) throw new Error(`no text for ${key}`);
  return found.replace(/\{(\w+)\}/g, (_, slot) => slots[slot]);
}

/** Return the words of a name that may be new to the page, or the name itself. */
export const named = (group, name) => words[group]?.[name] ?? name.replaceAll("_", " ");

/** Return a value in words, if it is one that the page knows; else as it is. */
export const valued = (value) => words.values[value] ?? value;

/** Return a number as the language writes it. */
export const number = (value, options) => new Intl.NumberFormat(document.documentElement.lang, options).format(value);

/** Return an agent's English reason in the page's language: as a whole, by how it begins, or with its numbers. */
export function reason(english) {
  const numbers = [];
  const pattern = english.replace(/\d+/g, (digits) => `{${numbers.push(digits) - 1}}`);
  if (words.reasons[pattern]) return words.reasons[pattern].replace(/\{(\d)\}/g, (_, place) => numbers[place]);
  const longestFirst = Object.keys(words.reasons).sort((a, b) => b.length - a.length);
  const begins = longestFirst.find((one) => english.startsWith(`${one}:`) || english.startsWith(`${one} `));
  return begins === undefined ? null : words.reasons[begins] + english.slice(begins.length);
}

function lookUp(key) {
  return key.split(".").reduce((group, name) => group?.[name], words);
}
