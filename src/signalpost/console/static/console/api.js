// The only way to the API. Every call is recorded for the API drawer, so what a page does can be done by a
// program.
import { signal } from "./html.js";
import { takeBegun } from "./begin.js";
import { during, questions, removals } from "./under-way.js";

/**
 * @typedef {{
 *   method: string, path: string, query: Record<string, unknown>, body: unknown, status: number,
 *   requestId: string, ms: number, at: number, key: string
 * }} Recorded
 */
/** @typedef {import("signalpost/api").Options} Options */

const RECORDED_MAX = 60;
const RETRIES_MAX = 4;
const installation = document.getElementById("app")?.dataset ?? {};
export const ROOT = installation.root ?? "";
const extensionsOff = new Set(installation.extensionsOff?.split(" ").filter(Boolean));
const BASE = `${ROOT}/api/v1`;

/** Whether this installation has an extension, which its operator can switch off. @param {string} name */
export const hasExtension = (name) => !extensionsOff.has(name);

/** The latest calls, newest first. */
export const recorded = signal(/** @type {Recorded[]} */ ([]));
/** Whether the service answered the last call. */
export const online = signal(true);
/** Set when the session has ended: a dialog asks for the password, and the waiting calls go on after it. */
export const sessionEnded = signal(false);
/** Set when someone else has signed in, in another tab: this one asks for nothing any more. */
export const anotherUser = signal(false);
/**
 * The user whom the page shows, once it knows. Every call names them, so that none acts for someone else.
 */
export const userId = signal("");
/** The workspace that is looked at, for people with several. */
export const workspaceId = signal(localStorage.getItem("workspace") ?? "");

/** What the service refused, as it says it: problem+json. */
export class Problem extends Error {
  /** @param {any} document @param {number} status */
  constructor(document, status) {
    super(document.detail ?? document.title ?? String(status));
    this.document = document;
    this.status = status;
    this.code = document.code ?? "unknown";
    /** @type {{path: string, code: string, message: string}[]} */
    this.issues = document.errors ?? [];
  }
}

/** @type {import("signalpost/api").Get} */
export const get = (path, query, options) => call("GET", path, { query, ...options });
/** @type {import("signalpost/api").Post} */
export const post = (path, body, options) => call("POST", path, { body, key: newKey(), ...options });
/** @type {import("signalpost/api").Patch} */
export const patch = (path, body, options) => call("PATCH", path, { body, ...options });
/** @type {import("signalpost/api").Put} */
export const put = (path, body, options) => call("PUT", path, { body, ...options });
/**
 * Delete something. What is asked about it already is answered first, and pages ask for nothing until it is
 * done: they would ask for what is not there any more.
 * @type {import("signalpost/api").Remove}
 */
export const remove = (path, options) => during(removals, removeUnasked(path, options), path);

/**
 * Save what an operation answers as a file of the browser.
 * @param {string} path
 * @param {Record<string, unknown>} query
 */
export async function download(path, query) {
  const response = await call("GET", path, { query, file: true });
  const name = /filename="?([^";]+)/.exec(response.headers.get("content-disposition") ?? "")?.[1];
  saveFile(name ?? "export", await response.blob());
  return response;
}

/** Save a file as the browser saves what it downloads. @param {string} name @param {Blob} content */
export function saveFile(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** The address of a file under the name by which the browser knows this service. @param {string} url */
export const local = (url) => {
  const { pathname, search } = new URL(url, location.origin);
  return pathname + search;
};

/**
 * A call as one line of a shell, for empty pages.
 * @param {string} path below /api/v1 @param {string[]} options of curl, each on a line of its own
 */
export function curlOf(path, ...options) {
  const url = `${location.origin}${BASE}${path}`;
  const start = `curl ${path.includes("?") ? `"${url}"` : url} -H "Authorization: Bearer $SIGNALPOST_KEY"`;
  return [start, ...options].join(" \\\n  ");
}

/** A key under which a POST can be repeated without a second effect. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/**
 * Call an operation. What can be repeated without harm is repeated when the network fails.
 * @param {string} method
 * @param {string} path below /api/v1, such as `/posts`
 * @param {Options} [options]
 * @returns {Promise<any>}
 */
export function call(method, path, options = {}) {
  const answer = repeated(method, path, options);
  return method === "GET" ? during(questions, answer, path) : answer;
}

/** @param {string} method @param {string} path @param {Options} options @returns {Promise<any>} */
async function repeated(method, path, options) {
  const repeatable = method !== "POST" || Boolean(options.key);
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await once(method, path, options);
    } catch (error) {
      if (options.signal?.aborted) throw error;
      if (hasEnded(error) && !sessionEnded.peek()) sessionEnded.value = true;
      if (hasEnded(error)) await signedInAgain();
      else if (!isTransient(error) || !repeatable || attempt >= RETRIES_MAX) throw asProblem(error);
      else await pause(attempt, options.signal);
    }
  }
}

/** @param {string} path @param {Options} [options] */
async function removeUnasked(path, options) {
  const about = () =>
    [...questions].flatMap(([answer, target]) => (`${target}/`.startsWith(`${path}/`) ? answer : []));
  for (let answers = about(); answers.length; answers = about()) await Promise.allSettled(answers);
  return call("DELETE", path, options);
}

/** @param {string} method @param {string} path @param {Options} options */
async function once(method, path, options) {
  const started = performance.now();
  const query = Object.fromEntries(
    Object.entries(options.query ?? {}).filter(
      ([, value]) => value !== undefined && value !== "" && value !== null,
    ),
  );
  const search = new URLSearchParams(/** @type {Record<string, string>} */ (query)).toString();
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json", ...who(), ...options.headers };
  if (method === "POST" && options.key) headers["Idempotency-Key"] = options.key;
  const isJson = options.body !== undefined && !(options.body instanceof Blob);
  if (isJson) headers["Content-Type"] = "application/json";
  const address = `${path}${search ? `?${search}` : ""}`;
  const begun = method === "GET" ? await takeBegun(address) : undefined;
  const response = begun?.ok
    ? begun
    : await fetch(`${BASE}${address}`, {
        method,
        headers,
        body: isJson ? JSON.stringify(options.body) : /** @type {BodyInit | undefined} */ (options.body),
        signal: options.signal,
        credentials: "same-origin",
      });
  online.value = true;
  if (!options.quiet) record(method, path, query, options, response, performance.now() - started);
  if (response.ok) return options.file ? response : read(response);
  return refuse(response);
}

/** @param {Response} response */
async function read(response) {
  if (response.status === 204)
    return response.headers.has("upload-offset")
      ? { offset: Number(response.headers.get("upload-offset")) }
      : null;
  const data = await response.json();
  const etag = response.headers.get("etag");
  if (etag && data && typeof data === "object") Object.defineProperty(data, "etag", { value: etag });
  return data;
}

/** For whom a call is made, and where. @returns {Record<string, string>} */
export const who = () => ({
  "X-Console": userId.peek() || "1",
  ...(workspaceId.peek() ? { "X-Workspace-Id": workspaceId.peek() } : {}),
});

/** @param {Response} response @returns {Promise<never>} */
export async function refuse(response) {
  const document = await response.json().catch(() => ({ title: response.statusText, code: "unknown" }));
  if (document.code === "signed_in_as_another") anotherUser.value = true;
  throw new Problem(
    {
      requestId: response.headers.get("x-request-id"),
      retryAfter: Number(response.headers.get("retry-after")),
      ...document,
    },
    response.status,
  );
}

/** Of a session that goes on: a password or a code in the body was wrong. */
const WRONG_ANSWERS = new Set(["invalid_credentials", "second_factor_required"]);

/** Whether the session has ended. @param {unknown} error */
const hasEnded = (error) =>
  error instanceof Problem && error.status === 401 && !WRONG_ANSWERS.has(error.code);

/** @param {unknown} error */
function isTransient(error) {
  if (error instanceof Problem) return error.status === 503 || error.status === 429;
  online.value = false;
  return true;
}

/** @param {unknown} error */
function asProblem(error) {
  if (error instanceof Problem) return error;
  return new Problem(
    {
      code: "offline",
      title: "Offline",
      detail: "The service cannot be reached.",
      remediation: "What you typed is kept. It is sent when the network is back.",
      retryable: true,
    },
    0,
  );
}

/**
 * Wait before the next attempt, at most until the network is back.
 * @param {number} attempt @param {AbortSignal} [aborted] @returns {Promise<void>}
 */
export function pause(attempt, aborted) {
  return new Promise((resolve) => {
    const timer = setTimeout(done, Math.min(400 * 2 ** attempt, 5_000));
    function done() {
      clearTimeout(timer);
      removeEventListener("online", done);
      aborted?.removeEventListener("abort", done);
      resolve();
    }
    addEventListener("online", done);
    aborted?.addEventListener("abort", done);
  });
}

/** Have the person sign in once more, for what only who has just done so may do. */
export function askToSignIn() {
  sessionEnded.value = true;
  return signedInAgain();
}

/** @returns {Promise<void>} */
function signedInAgain() {
  return new Promise((resolve) => {
    const stop = sessionEnded.subscribe((ended) => {
      if (ended) return;
      queueMicrotask(() => stop());
      resolve();
    });
  });
}

/**
 * Have the API drawer show a call.
 * @param {string} method
 * @param {string} path
 * @param {Record<string, unknown>} query
 * @param {Options} options
 * @param {Response} response
 * @param {number} ms
 */
export function record(method, path, query, options, response, ms) {
  const entry = {
    method,
    path,
    query,
    body: options.body instanceof Blob ? undefined : masked(options.body),
    status: response.status,
    requestId: response.headers.get("x-request-id") ?? "",
    ms: Math.round(ms),
    at: Date.now(),
    key: options.key ?? "",
  };
  recorded.value = [entry, ...recorded.peek()].slice(0, RECORDED_MAX);
}

const SECRET = /password|secret|token|code$/i;

/** Leave out what nobody should copy into a script. @param {unknown} value @returns {unknown} */
function masked(value) {
  if (Array.isArray(value)) return value.map(masked);
  if (!value || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRET.test(name) && typeof member === "string" ? "…" : masked(member),
    ]),
  );
}

/**
 * All rows of a list, page by page, at most `max`; `cut` says that there are more.
 * @template {string} T
 * @param {T} path
 * @param {Record<string, unknown>} [query]
 * @param {number} [max]
 * @returns {Promise<import("signalpost/api").Rows<T>>}
 */
export async function all(path, query = {}, max = 500) {
  /** @type {any[]} */
  const rows = [];
  let cursor;
  do {
    const page = await call("GET", path, { query: { ...query, limit: 100, cursor } });
    rows.push(...page.data);
    cursor = page.hasMore ? page.nextCursor : undefined;
  } while (cursor && rows.length < max);
  return Object.assign(rows, cursor ? { cut: true } : {});
}

/**
 * Read a stream of server-sent events until it ends. `EventSource` cannot name the workspace, so this does
 * what it does. Returns false if this instance has no such stream.
 * @param {string} path
 * @param {{
 *   lastId: string, signal: AbortSignal,
 *   onEvent: (message: {id: string, event: string, data: string}) => void
 * }} options
 */
export async function stream(path, { lastId, signal: aborted, onEvent }) {
  if (!hasExtension("stream")) return false;
  /** @type {Record<string, string>} */
  const headers = { Accept: "text/event-stream", ...who() };
  if (lastId) headers["Last-Event-ID"] = lastId;
  const response = await fetch(`${BASE}${path}`, { headers, signal: aborted, credentials: "same-origin" });
  if (response.status === 401) sessionEnded.value = true;
  if (response.status === 403) await refuse(response);
  if (!response.ok || !response.body) return response.status !== 404;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return true;
    const blocks = (text + value).split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const message = { id: "", event: "message", data: "" };
      for (const line of block.split("\n")) {
        const [, name, rest] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
        if (name) message[/** @type {"id" | "event" | "data"} */ (name)] = rest;
      }
      if (message.data) onEvent(message);
    }
  }
}
