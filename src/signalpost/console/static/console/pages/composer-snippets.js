// Snippets: found by typing, seen as they become in this post, inserted at the cursor of the text above.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../html.js";
import { all, remove } from "../api.js";
import { Button } from "../components/button.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { Dialog } from "../components/dialog.js";
import { Empty } from "../components/empty.js";
import { Loaded } from "../components/loaded.js";
import { toast } from "../components/toasts.js";
import { useLoad } from "../hooks.js";
import { t } from "../i18n.js";
import { insertText } from "../insert-text.js";
import { emptyIn, fill, unknownIn, valuesOf } from "../snippet-variables.js";
import { me } from "../store.js";
import { SnippetForm } from "./composer-snippet-form.js";

/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("../html.js").InputEvent} InputEvent */
/** @typedef {import("signalpost/api").Schemas["Snippet"]} Snippet */

const SNIPPETS_MAX = 500;

/** The field that stands above the button. @param {HTMLElement | null} element */
const fieldOf = (element) =>
  /** @type {HTMLTextAreaElement | null} */ (
    element?.closest(".texts, .part")?.querySelector("textarea") ?? null
  );

/** What is for all clients is changed by who sees all of them. @param {Snippet} snippet */
const isOurs = ({ profileId }) => profileId !== null || me.value.profileIds === null;

/** @param {string} typed @returns {(snippet: Snippet) => boolean} */
const matching = (typed) => {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return ({ name, text }) => words.every((word) => `${name}\n${text}`.toLowerCase().includes(word));
};

/** @param {{draft: Draft, onClose: () => void}} props */
export default function SnippetsDialog({ draft, onClose }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const part = useRef(/** @type {[number, number]} */ ([0, 0]));
  const [selected, setSelected] = useState("");
  const [edited, setEdited] = useState(/** @type {Partial<Snippet> | null} */ (null));
  const [deleted, setDeleted] = useState(/** @type {Snippet | null} */ (null));
  const [chosen, choose] = useState("");
  useLayoutEffect(() => {
    const field = fieldOf(place.current);
    if (!field) return;
    part.current = [field.selectionStart, field.selectionEnd];
    setSelected(field.value.slice(...part.current));
    field.focus(); // the dialog, which opens after this, gives the focus back to what has it now
  }, []);
  const loaded = useLoad(async () => {
    const snippets = await all("/snippets", { profileId: draft.profileId }, SNIPPETS_MAX);
    return snippets.sort((a, b) => a.name.localeCompare(b.name, document.documentElement.lang));
  }, [draft.profileId]);
  const insert = (/** @type {Snippet} */ { text }) => {
    const field = fieldOf(place.current);
    place.current?.querySelector("dialog")?.close(); // behind an open one, nothing can be typed
    if (field) {
      field.focus();
      field.setSelectionRange(...part.current);
      insertText(field, fill(text, valuesOf(draft)));
    }
    onClose();
  };
  const add = html`
    <${Button} icon="plus" onClick=${() => setEdited({ text: selected, profileId: draft.profileId })}>
      ${selected.trim() ? t("Save the selected text") : t("New snippet")}
    <//>
  `;
  return html`
    <div ref=${place} onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.stopPropagation()}>
      <${Dialog} title=${t("Insert a snippet")} onClose=${onClose} actions=${add}>
        <${Choice} ...${{ loaded, draft, chosen, choose, insert, setEdited, setDeleted }} />
      <//>
      ${edited && html`
        <${SnippetForm}
          snippet=${edited}
          draft=${draft}
          done=${async (/** @type {Snippet} */ { id }) => {
            choose(id);
            await loaded.reload();
          }}
          onClose=${() => setEdited(null)}
        />
      `}
      ${deleted && html`
        <${Deletion} snippet=${deleted} done=${loaded.reload} onClose=${() => setDeleted(null)} />
      `}
    </div>
  `;
}

/** @param {{snippet: Snippet, done: () => Promise<void>, onClose: () => void}} props */
const Deletion = ({ snippet: { id, name, version }, done, onClose }) => html`
  <${ConfirmDialog}
    title=${t("Delete {name}?", { name })}
    confirm=${t("Delete")}
    act=${async () => {
      await remove(`/snippets/${id}`, { headers: { "If-Match": `"${version}"` } });
      toast(t("Deleted."));
      onClose();
      await done();
    }}
    onClose=${onClose}
  >
    <p>${t("Posts in which it was inserted stay as they are.")}</p>
  <//>
`;

/**
 * The search is there, and has the focus, before the list is: what is typed meanwhile counts.
 * @param {{
 *   loaded: ReturnType<typeof useLoad<Snippet[]>>, draft: Draft, chosen: string,
 *   choose: (id: string) => void, insert: (snippet: Snippet) => void,
 *   setEdited: (snippet: Snippet) => void, setDeleted: (snippet: Snippet) => void
 * }} props
 */
function Choice({ loaded, draft, chosen, choose, insert, setEdited, setDeleted }) {
  const [typed, setTyped] = useState("");
  const [isEarly, setEarly] = useState(false); // Enter was pressed before the list was there
  const matches = (loaded.data ?? []).filter(matching(typed));
  const index = Math.max(
    matches.findIndex(({ id }) => id === chosen),
    0,
  );
  const snippet = matches[index];
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.isComposing || !(step || event.key === "Enter")) return;
    event.preventDefault();
    if (snippet && step) choose(matches[(index + step + matches.length) % matches.length].id);
    else if (snippet) insert(snippet);
    else if (!step) setEarly(!loaded.data);
  };
  useEffect(() => {
    if (isEarly && snippet) insert(snippet);
  }, [isEarly, snippet]);
  if (loaded.data?.length === 0)
    return html`
      <${Empty} title=${t("No snippets yet")} icon="compose">
        ${t("Hashtags, sign-offs and other texts that you write again and again, you save once.")}
      <//>
    `;
  return html`
    <input
      class="palette"
      type="search"
      role="combobox"
      autofocus
      aria-expanded=${loaded.data ? "true" : "false"}
      aria-controls="snippets"
      aria-activedescendant=${snippet && `snippet-${index}`}
      aria-label=${t("Find a snippet")}
      placeholder=${t("Find a snippet")}
      value=${typed}
      onInput=${(/** @type {InputEvent} */ event) => setTyped(event.currentTarget.value)}
      onKeyDown=${onKey}
    />
    <${Loaded} loaded=${loaded} lines=${6}>
      ${() => html`
        <${Matches} matches=${matches} index=${index} choose=${choose} />
        ${snippet ? html`
          <${Preview} text=${snippet.text} draft=${draft} />
          <${Actions} ...${{ snippet, insert, setEdited, setDeleted }} />
            ` : html`
          <p class="soft" role="status">
            ${t("No snippet has these words.")}
          </p>
        `}
        `}
    <//>
  `;
}

/** @param {{matches: Snippet[], index: number, choose: (id: string) => void}} props */
function Matches({ matches, index, choose }) {
  const list = useRef(/** @type {HTMLUListElement | null} */ (null));
  useEffect(
    () => list.current?.children[index]?.scrollIntoView({ block: "nearest" }),
    [index, matches.length],
  );
  return html`
    <ul id="snippets" class="options snippets" role="listbox" aria-label=${t("Snippets")} ref=${list}>
      ${matches.map(({ id, name, text, profileId }, at) => html`
        <li
          key=${id}
          id=${`snippet-${at}`}
          role="option"
          aria-selected=${at === index ? "true" : "false"}
          onClick=${() => choose(id)}
        >
          <span class="clip" dir="auto">
            <strong>${name}</strong>
            <span class="soft"> ${text.trim().split("\n", 1)[0]}</span>
          </span>
          ${!profileId && html`<span class="soft small">${t("All clients")}</span>`}
        </li>
      `)}
    </ul>
  `;
}

/**
 * @param {{
 *   snippet: Snippet, insert: (snippet: Snippet) => void, setEdited: (snippet: Snippet) => void,
 *   setDeleted: (snippet: Snippet) => void
 * }} props
 */
const Actions = ({ snippet, insert, setEdited, setDeleted }) => html`
  <p class="actions">
    <${Button} kind="primary" onClick=${() => insert(snippet)}>
      ${t("Insert")}
    <//>
    ${isOurs(snippet) && html`
      <${Button} onClick=${() => setEdited(snippet)}>
        ${t("Change")}
        <span class="hidden"> ${snippet.name}</span>
      <//>
      <${Button} kind="danger" onClick=${() => setDeleted(snippet)}>
        ${t("Delete")}
        <span class="hidden"> ${snippet.name}</span>
      <//>
    `}
  </p>
`;

/** The text as it is inserted in this post. @param {{text: string, draft: Draft}} props */
function Preview({ text, draft }) {
  const values = valuesOf(draft);
  const empty = emptyIn(text, values);
  const unknown = unknownIn(text);
  return html`
    <h3 id="snippet-preview">${t("As it will stand here")}</h3>
    <section aria-labelledby="snippet-preview">
      <p class="post-text" dir="auto">
        ${fill(text, values)}
      </p>
      ${empty.length > 0 && html`
        <p class="hint">
          ${t("Without a value in this post: {words}.", { words: empty.join(", ") })}
        </p>
      `}
      ${unknown.length > 0 && html`
        <p class="hint">
          ${t("No variable, stays as it is: {words}.", { words: unknown.join(", ") })}
        </p>
      `}
    </section>
  `;
}
