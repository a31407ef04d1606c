// What the explorer knows of the API, from its OpenAPI document, and the one call that it makes: as it was
// filled in, once.
import { ROOT, record, who } from "./api.js";

/**
 * @typedef {{
 *   name: string, place: string, required: boolean, text: string, values: string[], example: string
 * }} Parameter
 */
/** @typedef {{summary: string, text: string}} Example */
/** @typedef {{type: string, examples: Example[]}} Body `type`: of the media; examples only of JSON */
/**
 * @typedef {{
 *   id: string, method: string, path: string, summary: string, text: string, scope: string,
 *   isPublic: boolean, docs: string, parameters: Parameter[], bodies: Body[], needsBody: boolean
 * }} Operation
 */
/**
 * @typedef {{
 *   status: number, reason: string, ms: number, headers: [string, string][], text: string, cut: boolean,
 *   isFile: boolean
 * }} Answer
 */

const SHOWN_MAX = 200_000; // characters of an answer
/** The headers of an answer that say something about it; the others are the same for all. */
const HEADERS = [
  "content-type",
  "content-disposition",
  "content-length",
  "location",
  "etag",
  "last-modified",
  "x-request-id",
  "ratelimit",
  "retry-after",
  "idempotent-replayed",
  "upload-offset",
  "upload-length",
  "link",
  "deprecation",
  "sunset",
];

/** @type {Promise<{name: string, operations: Operation[]}[]> | undefined} */
let document;

/** The operations by their groups; they are read once. */
export function operations() {
  document ??= load().catch((error) => {
    document = undefined;
    throw error;
  });
  return document;
}

async function load() {
  const response = await fetch(`${ROOT}/openapi.json`);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  const { paths, tags, components } = await response.json();
  /** A parameter that several operations have stands once. @param {any} part */
  const resolved = (part) => (part.$ref ? components.parameters[part.$ref.split("/").pop()] : part);
  /** @type {Map<string, Operation[]>} */
  const groups = new Map(tags.map((/** @type {any} */ tag) => [tag.name, []]));
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, stated] of Object.entries(methods)) {
      groups
        .get(stated.tags[0])
        ?.push(
          read(method.toUpperCase(), path, { ...stated, parameters: stated.parameters.map(resolved) }),
        );
    }
  }
  return [...groups]
    .map(([name, ofGroup]) => ({ name, operations: ofGroup }))
    .filter((group) => group.operations.length > 0);
}

/** Markdown without its marks of code, the only ones that these texts have. @param {string} text */
const plain = (text) => text.replaceAll("`", "");

/** @param {string} method @param {string} path @param {any} stated @returns {Operation} */
function read(method, path, stated) {
  return {
    id: stated.operationId,
    method,
    path,
    summary: plain(stated.summary),
    text: plain(stated.description),
    scope: stated["x-scope"] ?? "",
    isPublic: stated.security?.length === 0,
    docs: `${ROOT}/docs/${stated.tags[0].toLowerCase().replace(/\W+/g, "-")}#${stated.operationId}`,
    parameters: stated.parameters.map(
      (/** @type {any} */ { name, in: place, required, description, schema }) => ({
        name,
        place,
        required,
        text: plain(description ?? ""),
        values:
          schema.type === "boolean"
            ? ["true", "false"]
            : (schema.enum ?? []).filter((/** @type {any} */ value) => value !== null).map(String),
        example: String(schema.examples?.[0] ?? ""),
      }),
    ),
    bodies: Object.entries(stated.requestBody?.content ?? {})
      .map(([type, content]) => ({ type, examples: type === "application/json" ? examples(content) : [] }))
      .sort((a, b) => b.examples.length - a.examples.length),
    needsBody: stated.requestBody?.required ?? false,
  };
}

/** @param {any} content @returns {Example[]} */
function examples(content) {
  const named = Object.values(content.examples ?? {}).map(({ summary, value }) => ({
    summary,
    text: JSON.stringify(value, null, 2),
  }));
  return named.length || content.example === undefined
    ? named
    : [{ summary: "", text: JSON.stringify(content.example, null, 2) }];
}

/**
 * The call that these values make; `missing` and `invalid` name what has to be filled in first.
 * @param {Operation} operation
 * @param {{values: Record<string, string>, type: string, body: string, file: File | null}} filled
 */
export function build(operation, { values, type, body, file }) {
  const wrong = /** @type {Record<string, "missing" | "invalid">} */ ({});
  const call = {
    method: operation.method,
    path: operation.path,
    query: /** @type {Record<string, string>} */ ({}),
    headers: /** @type {Record<string, string>} */ ({}),
    body: /** @type {any} */ (undefined),
    file: /** @type {string | undefined} */ (undefined),
    isForm: type === "multipart/form-data",
    isPublic: operation.isPublic,
  };
  for (const { name, place, required } of operation.parameters) {
    const value = values[`${place}/${name}`]?.trim() ?? "";
    if (!value && required) wrong[`${place}/${name}`] = "missing";
    if (!value) continue;
    if (place === "path") call.path = call.path.replace(`{${name}}`, encodeURIComponent(value));
    else (place === "query" ? call.query : call.headers)[name] = value;
  }
  if (type === "application/json" && body.trim()) {
    try {
      call.body = JSON.parse(body);
    } catch {
      wrong.body = "invalid";
    }
  } else if (type && type !== "application/json") {
    call.file = file?.name ?? "FILE";
    if (!call.isForm) call.headers["Content-Type"] = type;
  }
  if (operation.needsBody && (type === "application/json" ? !body.trim() : !file)) wrong.body = "missing";
  return { call, wrong };
}

/**
 * Make the call, once, as the person who is signed in or, with a key, as its program. An answer that comes in
 * pieces is shown as it comes.
 * @param {ReturnType<typeof build>["call"]} call
 * @param {{key: string, file: File | null, signal: AbortSignal, onAnswer: (answer: Answer) => void}} options
 */
export async function send(call, { key, file, signal, onAnswer }) {
  /** @type {Record<string, string>} */
  const headers = { ...call.headers };
  Object.assign(headers, key ? { Authorization: `Bearer ${key}` } : who());
  if (call.body !== undefined) headers["Content-Type"] = "application/json";
  const query = new URLSearchParams(call.query).toString();
  const started = performance.now();
  const response = await fetch(`${ROOT}/api/v1${call.path}${query ? `?${query}` : ""}`, {
    method: call.method,
    headers,
    body: bodyOf(call, file),
    signal,
    credentials: key ? "omit" : "same-origin",
  });
  const ms = performance.now() - started;
  record(
    call.method,
    call.path,
    call.query,
    { body: call.body, key: call.headers["Idempotency-Key"] },
    response,
    ms,
  );
  const type = response.headers.get("content-type") ?? "";
  const isFile = Boolean(response.body) && !/^text\/|json|^$/.test(type);
  /** @type {Answer} */
  const answer = {
    status: response.status,
    reason: response.statusText,
    ms: Math.round(ms),
    headers: HEADERS.flatMap((name) =>
      response.headers.has(name)
        ? [/** @type {[string, string]} */ ([name, response.headers.get(name) ?? ""])]
        : [],
    ),
    text: "",
    cut: false,
    isFile,
  };
  onAnswer(answer);
  if (isFile) await response.body?.cancel();
  else if (response.body) await readText(response.body, answer, onAnswer);
}

/** @param {ReturnType<typeof build>["call"]} call @param {File | null} file */
function bodyOf(call, file) {
  if (call.file === undefined || !file)
    return call.body === undefined ? undefined : JSON.stringify(call.body);
  if (!call.isForm) return file;
  const form = new FormData();
  form.set("file", file);
  return form;
}

/**
 * @param {ReadableStream<Uint8Array>} body
 * @param {Answer} answer
 * @param {(answer: Answer) => void} onAnswer
 */
async function readText(body, answer, onAnswer) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    text += decoder.decode(value, { stream: !done });
    const cut = text.length > SHOWN_MAX;
    onAnswer({ ...answer, text: cut ? text.slice(0, SHOWN_MAX) : done ? indented(text) : text, cut });
    if (cut) await reader.cancel();
    if (cut || done) return;
  }
}

/** @param {string} text */
function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
