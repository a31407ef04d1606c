// The explorer: any operation of the API, with its fields to fill in, sent as oneself or with a test key, and
// the answer.
import { html, useEffect, useMemo, useRef, useState } from "../html.js";
import { Icon } from "../icons.js";
import { number, t, tn } from "../i18n.js";
import { build, operations, send } from "../explorer.js";
import { useLoad } from "../hooks.js";
import { filter, to } from "../router.js";
import { Samples } from "../samples.js";
import { may, me } from "../store.js";
import { Button, LinkButton } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Empty } from "../components/empty.js";
import { Field } from "../components/field.js";
import { Loaded } from "../components/loaded.js";
import { Card } from "../components/page.js";

/** @typedef {import("../explorer.js").Operation} Operation */
/** @typedef {import("../explorer.js").Answer} Answer */

const TEST_KEY = /^sp_test_/;
let testKey = ""; // for the next operations; it is kept nowhere else

/** @param {{part: string, query: Record<string, string>}} props */
export default function Explorer({ part, query }) {
  const loaded = useLoad(operations, []);
  return html`
    <${Loaded} loaded=${loaded} lines=${9}>
      ${(/** @type {{name: string, operations: Operation[]}[]} */ groups) => {
        const chosen = groups
          .flatMap((group) => group.operations)
          .find((operation) => operation.id === part);
        if (chosen) return html`<${Operation} key=${chosen.id} operation=${chosen} />`;
        return html`
          ${part && html`
            <div class="notice warn">
              <${Icon} name="warn" />
              <p>${t("The API has no operation {name}.", { name: part })}</p>
            </div>
          `}
          <${List}
            groups=${groups}
            words=${(query.q ?? "").toLowerCase().split(/\s+/)}
            typed=${query.q ?? ""}
          />
        `;
      }}
    <//>
  `;
}

/** @param {{groups: {name: string, operations: Operation[]}[], words: string[], typed: string}} props */
function List({ groups, words, typed }) {
  const matches = (/** @type {string} */ name) => (/** @type {Operation} */ operation) =>
    words.every((word) =>
      `${name} ${operation.method} ${operation.path} ${operation.summary} ${operation.id}`
        .toLowerCase()
        .includes(word),
    );
  const matching = groups
    .map(({ name, operations: all }) => ({ name, operations: all.filter(matches(name)) }))
    .filter((group) => group.operations.length);
  const count = matching.reduce((sum, group) => sum + group.operations.length, 0);
  return html`
    <form
      class="row filters"
      role="search"
      onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}
    >
      <${Field}
        label=${t("Find an operation")}
        type="search"
        value=${typed}
        maxlength="100"
        placeholder="/posts"
        onInput=${(/** @type {string} */ q) => filter({ q })}
      />
    </form>
    <p class="soft" role="status">
      ${tn(count, "{n} operation", "{n} operations")}
    </p>
    ${count ? (
      matching.map((group) => html`
        <details class="group" key=${group.name} open=${Boolean(typed.trim())}>
          <summary>
            <h2 lang="en">${group.name}</h2> <span class="soft">${number(group.operations.length)}</span>
          </summary>
          <ul class="list" lang="en">
            ${group.operations.map((operation) => html`
              <li key=${operation.id}>
                <code class=${`method ${operation.method}`}>${operation.method}</code>
                <span class="grow">
                  <a class="row-link" href=${to(`developers/explorer/${operation.id}`)}>
                    ${operation.summary}
                  </a>
                  <br />
                  <code class="soft small">${operation.path}</code>
                </span>
              </li>
            `)}
          </ul>
        </details>
      `)
    ) : html`
      <${Empty} title=${t("Nothing found")} icon="search">
        ${t("Try a word of its address, such as webhooks.")}
      <//>
    `}
  `;
}

/** @param {{operation: Operation}} props */
function Operation({ operation }) {
  const [values, setValues] = useState(/** @type {Record<string, string>} */ ({}));
  const [type, setType] = useState(operation.bodies[0]?.type ?? "");
  const [body, setBody] = useState(operation.bodies[0]?.examples[0]?.text ?? "");
  const [file, setFile] = useState(/** @type {File | null} */ (null));
  const [sender, setSender] = useState(testKey ? "key" : "self");
  const [key, setKey] = useState(testKey);
  const [tried, setTried] = useState(false);
  const [asking, setAsking] = useState(false);
  const sending = useSending();
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const { call, wrong } = useMemo(
    () => build(operation, { values, type, body, file }),
    [values, type, body, file],
  );
  const errorOf = (/** @type {string} */ name) =>
    tried && wrong[name]
      ? wrong[name] === "missing"
        ? t("This is needed.")
        : t("This is not JSON.")
      : undefined;
  const isTest = sender === "key";
  const keyError =
    tried && isTest && !TEST_KEY.test(key)
      ? t("Paste a test key: it begins with sp_test_. Keys for live data belong in a program.")
      : undefined;
  const start = () => {
    setAsking(false);
    void sending.start(call, { key: isTest ? key : "", file });
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    setTried(true);
    if (sending.busy) return;
    if (Object.keys(wrong).length || (isTest && !TEST_KEY.test(key)))
      requestAnimationFrame(() =>
        /** @type {HTMLElement | null} */ (form.current?.querySelector("[aria-invalid]"))?.focus(),
      );
    else if (operation.method !== "GET" && !isTest) setAsking(true);
    else start();
  };
  const byKeys = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
  };
  return html`
    <p>
      <${LinkButton} href=${to("developers/explorer")} kind="quiet" icon="back">
        ${t("All operations")}
      <//>
    </p>
    <div class="columns">
      <div>
        <${Card}
          title=${operation.summary}
          lang="en"
          actions=${
            html`<a href=${operation.docs} target="_blank" rel="noopener">
              ${t("In the docs")}
            </a>`
          }
        >
          <p>
            <code class=${`method ${operation.method}`}>${operation.method}</code>${" "}
            <code class="call-path">${operation.path}</code>
          </p>
          <p class="soft post-text" lang="en">
            ${operation.text}
          </p>
          <form ref=${form} noValidate onSubmit=${submit} onKeyDown=${byKeys}>
            ${operation.parameters.map(({ name, place, required, text, values: choices, example }) => html`
              <${Field}
                key=${`${place}/${name}`}
                label=${required ? html`<code>${name}</code>` : t("{name} (optional)", { name })}
                hint=${html`<span lang="en">${text}</span>`}
                error=${errorOf(`${place}/${name}`)}
                value=${values[`${place}/${name}`] ?? ""}
                placeholder=${choices.length ? undefined : example}
                options=${
                  choices.length ? [["", ""], ...choices.map((value) => [value, value])] : undefined
                }
                autocomplete="off"
                spellcheck="false"
                onInput=${(/** @type {string} */ value) =>
                  setValues((old) => ({ ...old, [`${place}/${name}`]: value }))
                }
              />
            `)}
            <${RequestBody}
              operation=${operation}
              type=${type}
              onType=${setType}
              body=${body}
              onBody=${setBody}
              onFile=${setFile}
              error=${errorOf("body")}
            />
            <${Field}
              label=${t("Sent as")}
              value=${sender}
              options=${[
                [
                  "self",
                  t("{name}, with live data", { name: me.value.user.name ?? me.value.user.email }),
                ],
                ["key", t("A program with a test key: the sandbox only")],
              ]}
              onInput=${setSender}
            />
            ${isTest && html`
              <${Field}
                label=${t("Test key")}
                type="password"
                autocomplete="off"
                placeholder="sp_test_…"
                hint=${t("It stays in this page until you close it.")}
                error=${keyError}
                value=${key}
                onInput=${(/** @type {string} */ value) => {
                  setKey(value.trim());
                  testKey = TEST_KEY.test(value.trim()) ? value.trim() : "";
                }}
              />
            `}
            ${!isTest && operation.scope && !may(operation.scope) && html`
              <p class="warn">
                <${Icon} name="warn" />${" "}
                ${t("Your role does not include {scope}: it will be refused.", { scope: operation.scope })}
              </p>
            `}
            <div class="actions">
              <${Button} kind="primary" type="submit" icon="send" busy=${sending.busy}>
                ${t("Send {method}", { method: operation.method })}
              <//>
              ${sending.busy && html`
                <${Button} icon="close" onClick=${sending.stop}>
                  ${t("Stop")}
                <//>
              `}
            </div>
          </form>
        <//>
      </div>
      <div>
        <${Result} sending=${sending} />
        <${Card} title=${t("The request")}>
          <${Samples} call=${call} />
        <//>
      </div>
    </div>
    ${asking && html`
      <${Dialog}
        title=${t("This may change live data")}
        onClose=${() => setAsking(false)}
        onSubmit=${start}
        actions=${
          html`
            <${Button} onClick=${() => setAsking(false)}>${t("Cancel")}<//>
            <${Button} kind="danger" type="submit">
              ${t("Send {method}", { method: operation.method })}
            <//>
            `
        }
      >
        <p>
          <code>
            ${operation.method} ${call.path}
          </code>
        </p>
        <p>
          ${t(
            "It is sent as {name} in {workspace}, and does what it says: posts appear, what is deleted is gone. With a test key, nothing leaves the sandbox.",
            { name: me.value.user.name ?? me.value.user.email, workspace: me.value.workspace.name },
          )}
        </p>
      <//>
    `}
  `;
}

/**
 * @param {{
 *   operation: Operation, type: string, onType: (type: string) => void, body: string,
 *   onBody: (body: string) => void, onFile: (file: File | null) => void, error?: string
 * }} props
 */
function RequestBody({ operation, type, onType, body, onBody, onFile, error }) {
  const selected = operation.bodies.find((candidate) => candidate.type === type);
  if (!selected) return null;
  const isJson = type === "application/json";
  return html`
    ${operation.bodies.length > 1 && html`
      <${Field}
        label=${t("Kind of the body")}
        value=${type}
        options=${operation.bodies.map((candidate) => [candidate.type, candidate.type])}
        onInput=${onType}
      />
    `}
    ${selected.examples.length > 1 && html`
      <${Field}
        label=${t("Example")}
        value=${String(selected.examples.findIndex((example) => example.text === body))}
        options=${[
          ["-1", ""],
          ...selected.examples.map((example, index) => [String(index), example.summary]),
        ]}
        onInput=${(/** @type {string} */ index) =>
          index !== "-1" && onBody(selected.examples[Number(index)].text)
        }
      />
    `}
    ${isJson ? html`
      <${Field}
        label=${operation.needsBody ? t("Body") : t("{name} (optional)", { name: t("Body") })}
        rows=${Math.min(16, Math.max(4, body.split("\n").length))}
        value=${body}
        error=${error}
        spellcheck="false"
        class="code"
        onInput=${onBody}
      />
    ` : html`
      <${Field}
        label=${t("File")}
        type="file"
        error=${error}
        onChange=${(/** @type {any} */ event) => onFile(event.currentTarget.files[0] ?? null)}
      />
    `}
  `;
}

/** One call at a time: what came of it, and what stops it. */
function useSending() {
  const [state, setState] = useState(
    /** @type {{busy: boolean, answer: Answer | null, message: string}} */ ({
      busy: false,
      answer: null,
      message: "",
    }),
  );
  const abort = useRef(/** @type {AbortController | null} */ (null));
  useEffect(() => () => abort.current?.abort(), []);
  const start = async (
    /** @type {Parameters<typeof send>[0]} */ call,
    /** @type {{key: string, file: File | null}} */ options,
  ) => {
    const mine = new AbortController();
    abort.current = mine;
    setState({ busy: true, answer: null, message: "" });
    try {
      await send(call, {
        ...options,
        signal: mine.signal,
        onAnswer: (answer) => setState((old) => ({ ...old, answer })),
      });
      setState((old) => ({ ...old, busy: false }));
    } catch (error) {
      setState((old) => ({
        ...old,
        busy: false,
        message: mine.signal.aborted
          ? t("Stopped.")
          : t("No answer: {reason}", { reason: error instanceof Error ? error.message : String(error) }),
      }));
    }
  };
  return { ...state, start, stop: () => abort.current?.abort() };
}

/** @param {{sending: ReturnType<typeof useSending>}} props */
function Result({ sending: { busy, answer, message } }) {
  const [tone, icon] =
    !answer || answer.status >= 500
      ? ["bad", "cross"]
      : answer.status >= 400
        ? ["warn", "warn"]
        : ["ok", "check"];
  const region = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (answer) region.current?.scrollIntoView({ block: "nearest" });
  }, [answer?.ms]);
  const requestId = answer?.headers.find(([name]) => name === "x-request-id")?.[1];
  return html`
    <${Card} title=${t("Answer")}>
      <div role="status" ref=${region} class="below-bar">
        ${busy && !answer && html`<p class="soft">${t("Sending…")}</p>`}
        ${!busy && !answer && !message && html`<p class="soft">${t("Nothing was sent yet.")}</p>`}
        ${answer && html`
          <p>
            <span class=${`badge ${tone}`}>
              <${Icon} name=${icon} />
              ${answer.status} ${answer.reason}
            </span>${" "}
            <span class="soft">${number(answer.ms)} ms</span>${" "}
            ${requestId && html`
              <a href=${to("developers/requests", { requestId })}>${t("In the request log")}</a>
            `}
          </p>
        `}
        ${message && html`<p class="bad">${message}</p>`}
      </div>
      ${answer && html`
        <dl class="facts">
          ${answer.headers.map(([name, value]) => html`
            <dt>
              <code>${name}</code>
            </dt>
            <dd>${value}</dd>
            `)}
        </dl>
        ${answer.isFile && html`
          <p class="soft">${t("The answer is a file; the curl command brings it.")}</p>
        `}
        ${answer.text && html`
          <pre tabindex="0" class="answer">
            ${answer.text}
          </pre>
        `}
        ${answer.cut && html`
          <p class="soft">
            ${t("Only the beginning is shown; the curl command brings all of it.")}
          </p>
        `}
      `}
    <//>
  `;
}
