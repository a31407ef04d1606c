// One operation of the API: fill in its parameters, send it, read the answer.
import { html, useMemo, useRef, useState } from "../html.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";
import { build } from "../explorer.js";
import { to } from "../router.js";
import { Samples } from "../samples.js";
import { may, me } from "../store.js";
import { Button, LinkButton } from "../components/button.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { Field } from "../components/field.js";
import { Card } from "../components/page.js";
import { Result, useSending } from "./developers-answer.js";

/** @typedef {import("../html.js").InputEvent} InputEvent */
/** @typedef {import("../explorer.js").Operation} Operation */

const TEST_KEY = /^sp_test_/;
let testKey = ""; // for the next operations; it is kept nowhere else

/** @param {{operation: Operation}} props */
export function OperationPage({ operation }) {
  const form = useOperation(operation);
  const { values, setValues, errorOf, sending, call } = form;
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
          <form ref=${form.ref} noValidate onSubmit=${form.submit} onKeyDown=${form.byKeys}>
            <${Parameters}
              operation=${operation}
              values=${values}
              onChange=${setValues}
              errorOf=${errorOf}
            />
            <${RequestBody}
              operation=${operation}
              type=${form.type}
              onType=${form.setType}
              body=${form.body}
              onBody=${form.setBody}
              onFile=${form.setFile}
              error=${errorOf("body")}
            />
            <${Sender} operation=${operation} form=${form} />
            <${Actions} operation=${operation} sending=${sending} />
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
    ${form.asking && html`
      <${MayChange}
        operation=${operation}
        path=${call.path}
        onClose=${form.cancel}
        act=${form.start}
      />
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
        onChange=${(/** @type {InputEvent} */ event) => onFile(event.currentTarget.files?.[0] ?? null)}
      />
    `}
  `;
}

/** What is filled in for an operation, and sending it. @param {Operation} operation */
function useOperation(operation) {
  const [values, setValues] = useState(/** @type {Record<string, string>} */ ({}));
  const [type, setType] = useState(operation.bodies[0]?.type ?? "");
  const [body, setBody] = useState(operation.bodies[0]?.examples[0]?.text ?? "");
  const [file, setFile] = useState(/** @type {File | null} */ (null));
  const [sender, setSender] = useState(testKey ? "key" : "self");
  const [key, setKey] = useState(testKey);
  const [tried, setTried] = useState(false);
  const [asking, setAsking] = useState(false);
  const sending = useSending();
  const ref = useRef(/** @type {HTMLFormElement | null} */ (null));
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
  const start = async () => {
    setAsking(false);
    void sending.start(call, { key: isTest ? key : "", file });
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    setTried(true);
    if (sending.busy) return;
    if (Object.keys(wrong).length || (isTest && !TEST_KEY.test(key)))
      requestAnimationFrame(() =>
        /** @type {HTMLElement | null} */ (ref.current?.querySelector("[aria-invalid]"))?.focus(),
      );
    else if (operation.method !== "GET" && !isTest) setAsking(true);
    else start();
  };
  const byKeys = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
  };
  return {
    ref,
    ...{ values, setValues, type, setType, body, setBody, setFile, errorOf },
    ...{ sender, setSender, key, setKey, keyError },
    ...{ call, sending, submit, byKeys, asking, start, cancel: () => setAsking(false) },
  };
}

/**
 * @param {{
 *   operation: Operation, values: Record<string, string>, errorOf: (name: string) => string | undefined,
 *   onChange: (change: (old: Record<string, string>) => Record<string, string>) => void
 * }} props
 */
function Parameters({ operation, values, errorOf, onChange }) {
  return operation.parameters.map(({ name, place, required, text, values: choices, example }) => html`
    <${Field}
      key=${`${place}/${name}`}
      label=${required ? html`<code>${name}</code>` : t("{name} (optional)", { name })}
      hint=${html`<span lang="en">${text}</span>`}
      error=${errorOf(`${place}/${name}`)}
      value=${values[`${place}/${name}`] ?? ""}
      placeholder=${choices.length ? undefined : example}
      options=${choices.length ? [["", ""], ...choices.map((value) => [value, value])] : undefined}
      autocomplete="off"
      spellcheck="false"
      onInput=${(/** @type {string} */ value) =>
        onChange((old) => ({ ...old, [`${place}/${name}`]: value }))
      }
    />
  `);
}

/**
 * As whom it is sent: as the person, or as a program with a test key.
 * @param {{operation: Operation, form: ReturnType<typeof useOperation>}} props
 */
function Sender({ operation, form }) {
  const { sender, key } = form;
  const isTest = sender === "key";
  return html`
    <${Field}
      label=${t("Sent as")}
      value=${sender}
      options=${[
        ["self", t("{name}, with live data", { name: me.value.user.name ?? me.value.user.email })],
        ["key", t("A program with a test key: the sandbox only")],
      ]}
      onInput=${form.setSender}
    />
    ${isTest && html`
      <${Field}
        label=${t("Test key")}
        type="password"
        autocomplete="off"
        placeholder="sp_test_…"
        hint=${t("It stays in this page until you close it.")}
        error=${form.keyError}
        value=${key}
        onInput=${(/** @type {string} */ value) => {
          form.setKey(value.trim());
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
  `;
}

/** @param {{operation: Operation, sending: ReturnType<typeof useSending>}} props */
function Actions({ operation, sending }) {
  return html`
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
  `;
}

/**
 * @param {{operation: Operation, path: string, onClose: () => void, act: () => Promise<void>}} props
 */
function MayChange({ operation, path, onClose, act }) {
  const { user, workspace } = me.value;
  return html`
    <${ConfirmDialog}
      title=${t("This may change live data")}
      confirm=${t("Send {method}", { method: operation.method })}
      keep=${t("Cancel")}
      act=${act}
      onClose=${onClose}
    >
      <p>
        <code>
          ${operation.method} ${path}
        </code>
      </p>
      <p>
        ${t(
          "It is sent as {name} in {workspace}, and does what it says: posts appear, what is deleted is gone. With a test key, nothing leaves the sandbox.",
          { name: user.name ?? user.email, workspace: workspace.name },
        )}
      </p>
    <//>
  `;
}
