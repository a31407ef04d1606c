// The API drawer: the calls that the page has just made, as a program would make them.
import { html, useState } from "./html.js";
import { recorded } from "./api.js";
import { t } from "./i18n.js";
import { Button, Copy, Dialog } from "./ui.js";

const LANGUAGES = /** @type {[string, string][]} */ ([["curl", "curl"], ["python", "Python"], ["typescript", "TypeScript"]]);

/** @param {any} call */
const address = (call) => `${location.origin}/api/v1${call.path}${Object.keys(call.query).length ? `?${new URLSearchParams(call.query)}` : ""}`;

/** @param {any} call */
function curl(call) {
  const lines = [`curl ${call.method === "GET" ? "" : `-X ${call.method} `}'${address(call)}'`, `-H "Authorization: Bearer $SIGNALPOST_KEY"`];
  if (call.key) lines.push(`-H 'Idempotency-Key: ${call.key}'`);
  if (call.body !== undefined) lines.push(`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(call.body).replaceAll("'", String.raw`'\''`)}'`);
  return lines.join(" \\\n  ");
}

/** @param {any} value @returns {string} */
function pythonValue(value) {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`;
  if (typeof value === "object") return `{${Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${pythonValue(member)}`).join(", ")}}`;
  return JSON.stringify(value);
}

/** @param {any} call */
function python(call) {
  const headers = [`"Authorization": f"Bearer {os.environ['SIGNALPOST_KEY']}"`, ...(call.key ? [`"Idempotency-Key": "${call.key}"`] : [])];
  return `import os, httpx

response = httpx.request(
    "${call.method}",
    ${JSON.stringify(address(call))},
    headers={${headers.join(", ")}},${call.body === undefined ? "" : `\n    json=${pythonValue(call.body)},`}
)
response.raise_for_status()`;
}

/** @param {any} call */
function typescript(call) {
  const headers = ["Authorization: `Bearer ${process.env.SIGNALPOST_KEY}`", ...(call.key ? [`"Idempotency-Key": "${call.key}"`] : []), ...(call.body === undefined ? [] : ['"Content-Type": "application/json"'])];
  return `const response = await fetch(${JSON.stringify(address(call))}, {
  method: "${call.method}",
  headers: { ${headers.join(", ")} },${call.body === undefined ? "" : `\n  body: JSON.stringify(${JSON.stringify(call.body)}),`}
});`;
}

const SAMPLES = /** @type {Record<string, (call: any) => string>} */ ({ curl, python, typescript });

/** @param {{onClose: () => void}} props */
export default function Drawer({ onClose }) {
  const [language, setLanguage] = useState("curl");
  const [chosen, setChosen] = useState(0);
  const calls = recorded.value;
  const call = calls[chosen];
  return html`<${Dialog} title=${t("API calls of this page")} onClose=${onClose} wide>
    <p class="soft">${t("The console only uses the public API. These calls, with a key of yours in SIGNALPOST_KEY, do the same.")}</p>
    <div class="drawer"><ul class="calls">${calls.map((each, index) => html`<li><button type="button" class="call" aria-pressed=${index === chosen ? "true" : "false"} onClick=${() => setChosen(index)}>
      <code class=${`method ${each.method}`}>${each.method}</code><span class="call-path">${each.path}</span><span class=${each.status < 400 ? "soft" : "bad"}>${each.status}</span><span class="soft">${each.ms} ms</span></button></li>`)}</ul>
    ${call && html`<div class="sample"><div class="segmented" role="group" aria-label=${t("Language")}>${LANGUAGES.map(([key, name]) => html`<${Button} kind="quiet" aria-pressed=${key === language ? "true" : "false"} onClick=${() => setLanguage(key)}>${name}<//>`)}</div>
      <pre tabindex="0">${SAMPLES[language](call)}</pre><div class="actions"><${Copy} text=${SAMPLES[language](call)} />
      <span class="soft small">${t("Request")} <code>${call.requestId}</code></span></div></div>`}</div><//>`;
}
