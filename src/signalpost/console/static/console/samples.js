// A call as a program makes it: what the drawer shows of calls that were made, and the explorer of one that
// is written.
import { html, signal } from "./html.js";
import { ROOT } from "./api.js";
import { t } from "./i18n.js";
import { Button } from "./components/button.js";
import { Copy } from "./components/copy.js";

/** @typedef {import("./html.js").Children} Children */

/**
 * @typedef {{method: string, path: string, query: Record<string, string>, headers?: Record<string, string>,
 *   key?: string, body?: unknown, file?: string, isForm?: boolean, isPublic?: boolean}} Call
 * `key`: of idempotency; `file`: the name of the file that is sent, as a form or as it is; `isPublic`: it
 * needs no API key
 */

const LANGUAGES = /** @type {[string, string][]} */ ([
  ["curl", "curl"],
  ["python", "Python"],
  ["typescript", "TypeScript"],
]);
const language = signal("curl");

/** @param {Call} call */
const address = (call) =>
  [`${location.origin}${ROOT}/api/v1${call.path}`, String(new URLSearchParams(call.query))]
    .filter(Boolean)
    .join("?");

/** The headers besides that of the key. @param {Call} call @returns {[string, string][]} */
const headersOf = (call) =>
  Object.entries({
    ...(call.key ? { "Idempotency-Key": call.key } : {}),
    ...call.headers,
    ...(call.body === undefined ? {} : { "Content-Type": "application/json" }),
  });

/** In single quotes for a shell. @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** @param {Call} call */
function curl(call) {
  const lines = [`curl ${call.method === "GET" ? "" : `-X ${call.method} `}${quoted(address(call))}`];
  if (!call.isPublic) lines.push(`-H "Authorization: Bearer $SIGNALPOST_KEY"`);
  for (const [name, value] of headersOf(call)) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (call.body !== undefined) lines.push(`-d ${quoted(JSON.stringify(call.body))}`);
  if (call.file !== undefined)
    lines.push(
      call.isForm ? `-F ${quoted(`file=@${call.file}`)}` : `--data-binary ${quoted(`@${call.file}`)}`,
    );
  return lines.join(" \\\n  ");
}

/** @param {unknown} value @returns {string} */
function pythonValue(value) {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`;
  if (typeof value === "object")
    return `{${Object.entries(value)
      .map(([name, member]) => `${JSON.stringify(name)}: ${pythonValue(member)}`)
      .join(", ")}}`;
  return JSON.stringify(value);
}

/** @param {Call} call */
function python(call) {
  // Httpx adds it.
  const named = headersOf(call).filter(([name]) => call.body === undefined || name !== "Content-Type");
  const headers = [
    ...(call.isPublic ? [] : [`"Authorization": f"Bearer {os.environ['SIGNALPOST_KEY']}"`]),
    ...named.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
  ];
  const lines = [JSON.stringify(call.method), JSON.stringify(address(call))];
  if (headers.length) lines.push(`headers={${headers.join(", ")}}`);
  if (call.body !== undefined) lines.push(`json=${pythonValue(call.body)}`);
  if (call.file !== undefined)
    lines.push(
      call.isForm
        ? `files={"file": open(${JSON.stringify(call.file)}, "rb")}`
        : `content=open(${JSON.stringify(call.file)}, "rb").read()`,
    );
  return [
    `import ${call.isPublic ? "" : "os, "}httpx`,
    "",
    "response = httpx.request(",
    ...lines.map((line) => `    ${line},`),
    ")",
    "response.raise_for_status()",
  ].join("\n");
}

/** @param {Call} call */
function typescript(call) {
  const headers = [
    ...(call.isPublic ? [] : ["Authorization: `Bearer ${process.env.SIGNALPOST_KEY}`"]),
    ...headersOf(call).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
  ];
  const lines = [`method: ${JSON.stringify(call.method)}`];
  if (headers.length) lines.push(`headers: { ${headers.join(", ")} }`);
  if (call.body !== undefined) lines.push(`body: JSON.stringify(${JSON.stringify(call.body)})`);
  if (call.file !== undefined)
    lines.push(call.isForm ? "body: form" : `body: await openAsBlob(${JSON.stringify(call.file)})`);
  const name = JSON.stringify(call.file);
  return [
    ...(call.file === undefined ? [] : ['import { openAsBlob } from "node:fs";', ""]),
    ...(call.isForm && call.file !== undefined
      ? ["const form = new FormData();", `form.set("file", await openAsBlob(${name}), ${name});`]
      : []),
    `const response = await fetch(${JSON.stringify(address(call))}, {`,
    ...lines.map((line) => `  ${line},`),
    "});",
  ].join("\n");
}

const SAMPLES = /** @type {Record<string, (call: Call) => string>} */ ({ curl, python, typescript });

/**
 * The call in the language that was chosen last, to be copied.
 * @param {{call: Call, children?: Children}} props
 */
export function Samples({ call, children }) {
  const text = SAMPLES[language.value](call);
  return html`
    <div class="sample">
      <div class="segmented" role="group" aria-label=${t("Language")}>
        ${LANGUAGES.map(([key, name]) => html`
          <${Button}
            kind="quiet"
            aria-pressed=${key === language.value ? "true" : "false"}
            onClick=${() => {
              language.value = key;
            }}
          >
            ${name}
          <//>
        `)}
      </div>
      <pre tabindex="0">${text}</pre>
      <div class="actions">
        <${Copy} text=${text} />
        ${children}
      </div>
    </div>
  `;
}
