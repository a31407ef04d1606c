// The components that pages are made of.
import { html, signal, useCallback, useEffect, useLayoutEffect, useRef, useState } from "./html.js";
import { Problem } from "./api.js";
import { Icon } from "./icons.js";
import { number, t } from "./i18n.js";
import { to } from "./router.js";

/** @typedef {any} Children */

/**
 * A page with its heading and main actions.
 * @param {{
 *   title: string, subtitle?: Children, actions?: Children, children?: Children, wide?: boolean
 * }} props
 */
export function Page({ title, subtitle, actions, children, wide }) {
  useEffect(() => {
    document.title = `${title} · Signalpost`;
  }, [title]);
  return html`
    <div class=${wide ? "page wide" : "page"}>
      <header class="page-head">
        <div>
          <h1>${title}</h1>
          ${subtitle && html`<p class="soft">${subtitle}</p>`}
        </div>
        ${actions && html`<div class="actions">${actions}</div>`}
      </header>
      ${children}
    </div>
  `;
}

/**
 * @param {{
 *   title?: string, actions?: Children, children?: Children, class?: string, id?: string, lang?: string
 * }} props `lang`: of the title, where it is not ours
 */
export function Card({ title, actions, children, class: name = "", id, lang }) {
  const [heading] = useState(newId);
  return html`
    <section class=${`card ${name}`} id=${id} aria-labelledby=${title ? heading : undefined}>
      ${title && html`
        <header class="card-head">
          <h2 id=${heading} lang=${lang}>
            ${title}
          </h2>
          ${actions && html`<div class="actions">${actions}</div>`}
        </header>
      `}
      ${children}
    </section>
  `;
}

/**
 * @param {{
 *   kind?: "primary" | "plain" | "danger" | "quiet", icon?: string, busy?: boolean, children?: Children,
 *   [attribute: string]: any
 * }} props
 */
export function Button({ kind = "plain", icon, busy, children, ...rest }) {
  return html`
    <button
      type="button"
      class=${`button ${kind}`}
      aria-disabled=${busy ? "true" : undefined}
      ...${rest}
      onClick=${busy ? undefined : rest.onClick}
    >
      ${busy ? html`<span class="spinner" aria-hidden="true" />` : icon && html`<${Icon} name=${icon} />`}
      ${children && html`<span>${children}</span>`}
    </button>
  `;
}

/** @param {{href: string, kind?: string, icon?: string, children?: Children}} props */
export function LinkButton({ href, kind = "plain", icon, children }) {
  return html`
    <a class=${`button ${kind}`} href=${href}>
      ${icon && html`<${Icon} name=${icon} />`}
      <span>${children}</span>
    </a>
  `;
}

let ids = 0;
export const newId = () => `f${(ids += 1)}`;

/**
 * A labelled field. `error` is the message of an issue, shown at the field.
 * @param {{
 *   label: Children, hint?: Children, error?: string, type?: string, value?: any,
 *   onInput?: (value: string) => void, options?: [string, string][], rows?: number, children?: Children,
 *   autofocus?: boolean, [attribute: string]: any
 * }} props
 */
export function Field({
  label,
  hint,
  error,
  type = "text",
  value,
  onInput,
  options,
  rows,
  children,
  autofocus,
  ...rest
}) {
  const [id] = useState(newId);
  useEffect(() => {
    if (autofocus) document.getElementById(id)?.focus(); // the attribute only works in a dialog that opens
  }, []);
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  const common = {
    id,
    value,
    "aria-describedby": described,
    "aria-invalid": error ? "true" : undefined,
    autofocus,
    ...rest,
    onInput: (/** @type {any} */ event) => onInput?.(event.currentTarget.value),
  };
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      ${options ? html`
        <select ...${common}>
          ${options.map(([key, name]) => html`
            <option value=${key} selected=${key === value}>
              ${name}
            </option>
          `)}
        </select>
      ` : rows ? html`
        <textarea rows=${rows} ...${common} />
      ` : html`
        <input type=${type} ...${common} />
      `}
      ${children}
      ${hint && html`
        <p class="hint" id=${`${id}-hint`}>
          ${hint}
        </p>
      `}
      ${error && html`
        <p class="error" id=${`${id}-error`}>
          ${error}
        </p>
      `}
    </div>
  `;
}

/**
 * @param {{
 *   label: Children, checked: boolean, onChange: (checked: boolean) => void, hint?: string,
 *   disabled?: boolean
 * }} props
 */
export function Check({ label, checked, onChange, hint, disabled }) {
  return html`
    <label class="check">
      <input
        type="checkbox"
        checked=${checked}
        disabled=${disabled}
        onChange=${(/** @type {any} */ event) => onChange(event.currentTarget.checked)}
      />
      <span>
        ${label}
        ${hint && html`<span class="hint">${hint}</span>`}
      </span>
    </label>
  `;
}

const STATES = /** @type {Record<string, [string, string, string]>} */ ({
  draft: ["neutral", "compose", "Draft"],
  scheduled: ["info", "clock", "Scheduled"],
  queued: ["info", "clock", "Queued"],
  publishing: ["info", "send", "Publishing"],
  processing: ["info", "send", "Processing"],
  retrying: ["warn", "retry", "Retrying"],
  published: ["ok", "check", "Published"],
  partial: ["warn", "warn", "Partly published"],
  failed: ["bad", "cross", "Failed"],
  unknown: ["unknown", "question", "Unknown"],
  cancelled: ["neutral", "close", "Cancelled"],
  removed: ["neutral", "trash", "Removed"],
  pending: ["info", "clock", "Waiting"],
  held: ["warn", "pause", "Held"],
  active: ["ok", "check", "Active"],
  expiring: ["warn", "clock", "Expiring"],
  needs_reauth: ["bad", "warn", "Reconnect"],
  restricted: ["bad", "warn", "Restricted"],
  paused: ["neutral", "pause", "Paused"],
  disconnected: ["neutral", "close", "Disconnected"],
  disabled: ["bad", "cross", "Disabled"],
  delivered: ["ok", "check", "Delivered"],
  skipped: ["neutral", "pause", "Skipped"],
  permanently_failed: ["bad", "cross", "Given up"],
  healthy: ["ok", "check", "Healthy"],
  warning: ["warn", "warn", "Warning"],
  error: ["bad", "cross", "Error"],
  expired: ["neutral", "clock", "Expired"],
  revoked: ["neutral", "close", "Revoked"],
  invited: ["info", "send", "Invited"],
  declined: ["neutral", "close", "Declined"],
  suspended: ["warn", "pause", "Suspended"],
  opened: ["info", "link", "Opened"],
  partially_connected: ["info", "link", "Partly connected"],
  completed: ["ok", "check", "Completed"],
  ready: ["ok", "check", "Ready"],
  uploaded: ["info", "clock", "Uploaded"],
  deleted: ["neutral", "trash", "Deleted"],
  open: ["info", "dot", "Open"],
  in_progress: ["info", "dot", "In progress"],
  waiting: ["warn", "clock", "Waiting"],
  resolved: ["ok", "check", "Resolved"],
  closed: ["neutral", "close", "Closed"],
  waiting_on_user: ["warn", "clock", "Waiting for you"],
  planned: ["info", "clock", "Planned"],
  shipped: ["ok", "check", "Shipped"],
  live: ["ok", "dot", "Live"],
  test: ["neutral", "dot", "Test"],
});

/** How a state looks, wherever it is shown: colour, icon and word. @param {string} state */
export function stateLook(state) {
  const [tone, icon, word] = STATES[state] ?? ["neutral", "dot", state.replaceAll("_", " ")];
  return { tone, icon, word: t(word) };
}

/** @param {{state: string}} props */
export function Badge({ state }) {
  const { tone, icon, word } = stateLook(state);
  return html`
    <span class=${`badge ${tone}`}>
      <${Icon} name=${icon} />
      ${word}
    </span>
  `;
}
/** The words of states, for the test of the catalogs. */
export const STATE_WORDS = Object.values(STATES).map(([, , word]) => word);

/**
 * What the service refused: what happened, what to do, and the id of the request.
 * @param {{problem: unknown, onRetry?: () => void}} props
 */
export function ProblemBox({ problem, onRetry }) {
  const document = problem instanceof Problem ? problem.document : { detail: String(problem) };
  return html`
    <div class="problem" role="alert">
      <${Icon} name="warn" />
      <div>
        <p>
          <strong>${document.title ?? t("Something went wrong")}</strong>
        </p>
        ${document.detail && document.detail !== document.title && html`<p>${document.detail}</p>`}
        ${document.errors?.length > 0 && html`
          <ul>
            ${document.errors.slice(0, 10).map((/** @type {any} */ issue) => html`
              <li>
                <code>${issue.path}</code> ${issue.message}
              </li>
            `)}
          </ul>
        `}
        ${document.remediation && html`
          <p>
            <strong>${t("What to do:")}</strong> ${document.remediation}
          </p>
        `}
        <p class="soft small">
          ${document.code && html`
            <a href=${`/problems/${document.code}`} target="_blank" rel="noopener">
              ${document.code}
            </a>
          `}
          ${document.requestId && html`
            ${" "}
            ·${" "}
            <a href=${to("developers/requests", { requestId: document.requestId })}>
              <code>${document.requestId}</code>
            </a>
          `}
        </p>
        ${onRetry && html`
          <${Button} icon="retry" onClick=${onRetry}>
            ${t("Try again")}
          <//>
        `}
      </div>
    </div>
  `;
}

/** @param {{title: string, children?: Children, action?: Children, curl?: string, icon?: string}} props */
export function Empty({ title, children, action, curl, icon = "posts" }) {
  return html`
    <div class="empty">
      <${Icon} name=${icon} />
      <h2>${title}</h2>
      <p>${children}</p>
      ${action}
      ${curl && html`
        <pre tabindex="0" class="curl">
          ${curl}
        </pre>
      `}
    </div>
  `;
}

/**
 * Grey lines, seen only if loading takes longer than 200 ms (the style sheet waits).
 * @param {{lines?: number}} props
 */
export function Skeleton({ lines = 4 }) {
  return html`
    <div class="skeleton" aria-busy="true" aria-label=${t("Loading")} role="status">
      ${Array.from({ length: lines }, () => html`
        <span />
      `)}
    </div>
  `;
}

const ROWS_MAX = 100;

/**
 * A table; on a phone each row is a card with the column names beside the values. The rows of a long one are
 * shown a hundred at a time, or `atFirst`, so that a page stays light; `cut` says that the list itself goes
 * on.
 * @param {{
 *   label: string, columns: string[], rows: {key: string, href?: string, cells: Children[]}[], cut?: boolean,
 *   atFirst?: number, numbers?: number[]
 * }} props `numbers`: the columns with numbers
 */
export function Table({ label, columns, rows, cut, atFirst = ROWS_MAX, numbers = [] }) {
  const [most, setMost] = useState(atFirst);
  const kind = (/** @type {number} */ index) => (numbers.includes(index) ? "number" : undefined);
  return html`
    <table class="table" aria-label=${label}>
      <thead>
        <tr>
          ${columns.map((name, index) => html`
            <th scope="col" class=${kind(index)}>
              ${name || html`<span class="hidden">${t("Actions")}</span>`}
            </th>
          `)}
        </tr>
      </thead>
      <tbody>
        ${rows.slice(0, most).map((row) => html`
          <tr key=${row.key}>
            ${row.cells.map((cell, index) => html`
              <td data-label=${columns[index]} class=${kind(index)}>
                ${index === 0 && row.href ? html`
                  <a href=${row.href} class="row-link">
                    ${cell}
                  </a>
                ` : (
                  cell
                )}
              </td>
            `)}
          </tr>
        `)}
      </tbody>
    </table>
    ${rows.length > most ? html`
      <p class="more">
        <${Button} onClick=${() => setMost(most + ROWS_MAX)}>${t("Show more")}<//>
      </p>
    ` : (
      cut && html`
        <p class="more soft">
          ${t("Only the first {n} are shown here; the API lists all.", { n: number(rows.length) })}
        </p>
      `
    )}
  `;
}

/**
 * A dialog: the browser's own, so focus, Escape and what lies behind it are right.
 * @param {{
 *   title: string, onClose: () => void, children?: Children, actions?: Children, wide?: boolean,
 *   onSubmit?: () => void
 * }} props
 */
export function Dialog({ title, onClose, children, actions, wide, onSubmit }) {
  const ref = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const [id] = useState(newId);
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const submit = (/** @type {Event} */ event) => {
    event.stopPropagation(); // a dialog may stand in another form, which is not sent with it
    if (event.target !== event.currentTarget) return; // a form within, such as a search
    event.preventDefault();
    onSubmit?.();
  };
  return html`
    <dialog
      ref=${ref}
      class=${wide ? "dialog wide" : "dialog"}
      aria-labelledby=${id}
      onCancel=${(/** @type {Event} */ event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <form onSubmit=${submit} noValidate>
        <header class="card-head">
          <h2 id=${id}>${title}</h2>
          <${Button} kind="quiet" icon="close" aria-label=${t("Close")} onClick=${onClose} />
        </header>
        <div class="dialog-body">${children}</div>
        ${actions && html`<footer class="actions">${actions}</footer>`}
      </form>
    </dialog>
  `;
}

/** @typedef {{id: number, text: string, undo?: () => void, tone: string}} Toast */
export const toasts = signal(/** @type {Toast[]} */ ([]));
const TOAST_MS = 10_000;

/**
 * Say what happened; `undo` takes it back within ten seconds.
 * @param {string} text
 * @param {{undo?: () => void, tone?: string}} [options]
 */
export function toast(text, { undo, tone = "ok" } = {}) {
  const message = { id: (ids += 1), text, undo, tone };
  toasts.value = [...toasts.peek(), message].slice(-4);
  setTimeout(() => dismiss(message.id), TOAST_MS);
}

/** @param {number} id */
const dismiss = (id) => {
  toasts.value = toasts.peek().filter((message) => message.id !== id);
};

export function Toasts() {
  return html`
    <div class="toasts" role="status" aria-live="polite">
      ${toasts.value.map((message) => html`
        <div class=${`toast ${message.tone}`} key=${message.id}>
          <span>${message.text}</span>
          ${message.undo && html`
            <${Button}
              kind="quiet"
              onClick=${() => {
                dismiss(message.id);
                message.undo?.();
              }}
            >
              ${t("Undo")}
            <//>
          `}
          <${Button}
            kind="quiet"
            icon="close"
            aria-label=${t("Dismiss")}
            onClick=${() => dismiss(message.id)}
          />
        </div>
      `)}
    </div>
  `;
}

/** Say that something was refused. @param {unknown} error */
export function toastProblem(error) {
  const document = error instanceof Problem ? error.document : { detail: String(error) };
  toast([document.detail ?? document.title, document.remediation].filter(Boolean).join(" "), {
    tone: "bad",
  });
}

/**
 * Load something, again when `inputs` change or `reload()` is called. What was shown stays until the new is
 * there, and `reload()` ends when it is: also when another one began meanwhile. `setData` takes the answer of
 * a change, which no load that began before it replaces. `data` is undefined until the first load ends: it is
 * read inside `Loaded`, or with `?.`.
 * @template T
 * @param {() => Promise<T>} load
 * @param {unknown[]} inputs
 * @returns {{
 *   data: T, problem: unknown, loading: boolean, reload: () => Promise<void>,
 *   setData: (data: T) => void
 * }}
 */
export function useLoad(load, inputs) {
  const [state, setState] = useState(
    /** @type {{data: T, problem: unknown, loading: boolean}} */ ({
      data: /** @type {any} */ (undefined),
      problem: null,
      loading: true,
    }),
  );
  const latest = useRef(0);
  const ended = useRef(0);
  const newest = useRef(/** @type {Promise<void>} */ (Promise.resolve()));
  const reload = useCallback(() => {
    const mine = (latest.current += 1);
    const run = async () => {
      setState((old) => ({ ...old, loading: true }));
      try {
        const data = await load();
        if (mine === latest.current) setState({ data, problem: null, loading: false });
      } catch (problem) {
        if (mine === latest.current) setState((old) => ({ ...old, problem, loading: false }));
      }
      ended.current = Math.max(ended.current, mine);
      // Overtaken: who waits goes on when the newer one is shown.
      if (newest.current !== done) await newest.current;
    };
    const done = run();
    newest.current = done;
    return done;
  }, inputs);
  const setData = (/** @type {T} */ data) => {
    const isLoading = ended.current < latest.current;
    ended.current = latest.current += 1;
    setState({ data, problem: null, loading: false });
    if (isLoading) void reload(); // what that load has read may be older than the data
  };
  useLayoutEffect(() => {
    // the request is under way before the browser paints what is there without it
    void reload();
    return () => {
      latest.current += 1;
    };
  }, inputs);
  return { ...state, reload, setData };
}

/**
 * Call an operation from a button: busy while it runs, refusals shown.
 * @param {() => Promise<any>} act
 * @returns {[boolean, () => Promise<void>]}
 */
export function useAction(act) {
  const [busy, setBusy] = useState(false);
  return [
    busy,
    async () => {
      setBusy(true);
      try {
        await act();
      } catch (error) {
        toastProblem(error);
      } finally {
        setBusy(false);
      }
    },
  ];
}

/**
 * The three ways a list can be: loading, refused, or there.
 * @param {{
 *   loaded: {data: any, problem: unknown, reload: () => void}, lines?: number,
 *   children: (data: any) => Children
 * }} props
 */
export function Loaded({ loaded, lines, children }) {
  if (loaded.problem && loaded.data === undefined)
    return html`<${ProblemBox} problem=${loaded.problem} onRetry=${loaded.reload} />`;
  if (loaded.data === undefined) return html`<${Skeleton} lines=${lines} />`;
  return html`
    ${loaded.problem && html`<${ProblemBox} problem=${loaded.problem} onRetry=${loaded.reload} />`}
    ${children(loaded.data)}
  `;
}

/**
 * A component of a module that is loaded when it is first shown, so that a page weighs only what it shows.
 * @param {() => Promise<{default: any}>} load
 * @param {number} [lines] of text that it is about as high as
 */
export function lazy(load, lines = 9) {
  /** @type {any} */
  let component;
  return function Lazy(/** @type {any} */ props) {
    const loaded = useLoad(async () => {
      component ??= (await load()).default;
      return component;
    }, []);
    if (component) return html`<${component} ...${props} />`;
    return html`
      <${Loaded} loaded=${loaded} lines=${lines}>
        ${() => null}
      <//>
    `;
  };
}

/** Copy a text. @param {{text: string, label?: string}} props */
export function Copy({ text, label = t("Copy") }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 2_000);
  };
  return html`
    <${Button} kind="quiet" icon=${done ? "check" : "copy"} onClick=${copy}>
      ${done ? t("Copied") : label}
    <//>
  `;
}

/** @param {{tabs: [string, string][], current: string, path: string, label: string}} props */
export function Tabs({ tabs, current, path, label }) {
  return html`
    <nav class="tabs" aria-label=${label}>
      ${tabs.map(([key, name]) => html`
        <a
          href=${to(key ? `${path}/${key}` : path)}
          aria-current=${key === current ? "page" : undefined}
        >
          ${name}
        </a>
      `)}
    </nav>
  `;
}

/** The initial of a network or person, in a colour of its own. @param {{name: string}} props */
export function Avatar({ name }) {
  const hue = [...name].reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0) % 6;
  return html`
    <span class=${`avatar hue${hue}`} aria-hidden="true">
      ${(name[0] ?? "?").toUpperCase()}
    </span>
  `;
}
