// I/O: the server's routes. A key is kept for this tab alone.

export class ServerError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export const setKey = (key) => sessionStorage.setItem("key", key);

/** Return what the page is told of the server: laws, model, encoder, edition. */
export const about = () => get("page/about").then((answer) => answer.json());

const articles = new Map(); // address -> promise, as the law does not change while the page is open

/** Return a provision with its citations; asOf: in the law of that date, an ISO date or "". */
export function article(id, asOf) {
  const address = `v1/articles/${path(id)}${asOf && `?as_of=${asOf}`}`;
  if (!articles.has(address)) {
    const asked = get(address).then((answer) => answer.json());
    articles.set(address, asked);
    asked.catch(() => articles.delete(address));
  }
  return articles.get(address);
}

/** Return the picture of the citations around a provision, as SVG text. */
export const picture = (id, asOf, language) =>
  get(`v1/neighbourhood/${path(id)}?depth=1&most=4&language=${language}${asOf && `&as_of=${asOf}`}`).then((answer) => answer.text());

/** Return replies as one Markdown document. */
export const markdown = (replies) => post("page/markdown", replies).then((answer) => answer.text());

/** Yield `{event, data}` for each event of an answer: `draft`, then `reply` or `error`. */
export async function* ask(question, history, asOf, signal) {
  const answer = await post("v1/ask", { question, history, as_of: asOf || null, stream: true }, signal);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let unread = "";
  for (;;) {
    const { done, value } = await reader.read();
    unread = (unread + (value ?? "")).replaceAll("\r\n", "\n");
    const blocks = unread.split("\n\n");
    unread = done ? "" : blocks.pop();
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split("\n").filter((line) => !line.startsWith(":")).map(field));
      if (fields.data) yield { event: fields.event, data: JSON.parse(fields.data) };
    }
    if (done) return;
  }
}

const field = (line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trimStart()];
const path = (id) => id.split("/").map(encodeURIComponent).join("/");
const get = (url) => send(url, {});
const post = (url, body, signal) =>
  send(url, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" }, signal });

async function send(url, options) {
  const key = sessionStorage.getItem("key");
  const headers = { ...options.headers, ...(key && { Authorization: `Bearer ${key}` }) };
  const answer = await fetch(url, { ...options, headers });
  if (answer.ok) return answer;
  const body = await answer.json().catch(() => null);
  throw new ServerError(answer.status, body?.error?.message ?? answer.statusText);
}
