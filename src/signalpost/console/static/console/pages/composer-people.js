// People to mention, below the field in which their names are typed. The field keeps the focus.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../html.js";
import { get } from "../api.js";
import { useLoad } from "../hooks.js";
import { t, tn } from "../i18n.js";
import { insertText } from "../insert-text.js";
import { networkName } from "../store.js";
import { stylesheet } from "../stylesheet.js";
import { NetworkLogo } from "../components/network-logo.js";
import { toast } from "../components/toasts.js";

await stylesheet("pages/composer-people.css");

/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("./composer-mention.js").Typed} Typed */
/** @typedef {{platform: string, handle: string, name: string}} Person */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */
/** @typedef {{text: string, people: Person[], silent: string[]}} Answer `silent`: who did not answer */

const PAUSE_MS = 250;
/** @type {Answer} */
const NOTHING = { text: "", people: [], silent: [] };

/** Whether a word of a name begins so. @param {string} text @returns {(person: Person) => boolean} */
const beginning = (text) => (person) =>
  `${person.handle} ${person.name}`
    .toLowerCase()
    .split(/[\s@.]+/)
    .some((word) => word.startsWith(text.toLowerCase()));

/** @param {PlatformAccount[]} accounts @param {string} text @returns {Promise<Answer>} */
async function ask(accounts, text) {
  const results = await Promise.allSettled(
    accounts.map(({ id }) => get(`/platforms/accounts/${id}/people`, { q: text }, { quiet: true })),
  );
  const people = results.flatMap((result, index) =>
    result.status === "fulfilled"
      ? result.value.data.map((person) => ({ ...person, platform: accounts[index].platform }))
      : [],
  );
  const silent = accounts.filter((_, index) => results[index].status === "rejected");
  return { text, people, silent: silent.map(({ platform }) => networkName(platform)) };
}

/**
 * @param {{
 *   typed: Typed, able: PlatformAccount[], accounts: PlatformAccount[], draft: Draft,
 *   change?: import("../draft.js").Change, onClose: () => void
 * }} props `able`: those of the accounts whose text it is, and whose network finds people
 */
export default function People({ typed, able, accounts, draft, change, onClose }) {
  const { field, text } = typed;
  const sources = able.filter(
    ({ platform }, at) => able.findIndex((account) => account.platform === platform) === at,
  );
  const choose = (/** @type {Person} */ person) => {
    onClose();
    const isOfAll = accounts.every(({ platform }) => platform === person.platform);
    const own = able.filter(({ platform }) => platform === person.platform);
    if (change && !isOfAll) separate(typed, person, own, draft, change);
    else {
      field.setSelectionRange(typed.from, typed.from + 1 + text.length);
      insertText(field, `@${person.handle} `);
    }
  };
  const ids = sources.map(({ id }) => id).join();
  const [paused, setPaused] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const loaded = useLoad(async () => (paused ? ask(sources, paused) : NOTHING), [paused, ids]);
  const { silent, ...answer } = loaded.data ?? NOTHING;
  // Until who types on is answered, those are left who still fit: Enter takes nobody else.
  const people = answer.text === text ? answer.people : answer.people.filter(beginning(text));
  const [chosen, setIndex] = useState(0);
  const index = Math.min(chosen, Math.max(people.length - 1, 0));
  useEffect(() => setIndex(0), [people.map(({ handle }) => handle).join()]);
  useKeys(field, people, index, setIndex, choose, onClose);
  useField(field, people.length ? `person-${index}` : "");
  return html`
    <div class="people-place" onMouseDown=${(/** @type {Event} */ event) => event.preventDefault()}>
      ${people.length > 0 && html`<${List} people=${people} index=${index} choose=${choose} />`}
      ${silent.length > 0 && !people.length && html`
        <p class="people small soft">
          ${t("No answer about people: {networks}.", { networks: silent.join(", ") })}
        </p>
      `}
      <span class="hidden" role="status">
        ${people.length > 0 && tn(people.length, "{n} person", "{n} people")}
      </span>
    </div>
  `;
}

/**
 * A handle is of one network: of a text for several, only the accounts of that one get it, in a text of their
 * own; elsewhere stands the name.
 * @param {Typed} typed @param {Person} person @param {PlatformAccount[]} own @param {Draft} draft
 * @param {import("../draft.js").Change} change
 */
function separate({ field, from, text }, { platform, handle, name }, own, draft, change) {
  const [before, after] = [field.value.slice(0, from), field.value.slice(from + 1 + text.length)];
  const variants = Object.fromEntries(own.map(({ id }) => [id, `${before}@${handle} ${after}`]));
  change({ text: `${before}${name} ${after}`, variants: { ...draft.variants, ...variants } });
  const at = from + name.length + 1;
  queueMicrotask(() => field.setSelectionRange(at, at)); // when the field has it
  toast(
    t("{network} has a text of its own now, with the handle. Elsewhere stands the name.", {
      network: networkName(platform),
    }),
  );
}

/** @param {{people: Person[], index: number, choose: (person: Person) => void}} props */
function List({ people, index, choose }) {
  const list = useRef(/** @type {HTMLUListElement | null} */ (null));
  useEffect(() => list.current?.children[index]?.scrollIntoView({ block: "nearest" }), [index, people]);
  return html`
    <ul id="people" class="options people" role="listbox" aria-label=${t("People")} ref=${list}>
      ${people.map((person, at) => html`
        <li
          key=${`${person.platform} ${person.handle}`}
          id=${`person-${at}`}
          role="option"
          aria-selected=${at === index ? "true" : "false"}
          onClick=${() => choose(person)}
        >
          <span class="grow">
            <strong dir="auto">${person.name}</strong>
            <span class="soft small" dir="ltr">
              @${person.handle}
            </span>
          </span>
          <span class="networks soft small">
            <${NetworkLogo} platform=${person.platform} /> ${networkName(person.platform)}
          </span>
        </li>
      `)}
    </ul>
  `;
}

/**
 * Arrows, Enter, Tab and Escape are of the list while it has people; then the field does not get them.
 * @param {HTMLTextAreaElement} field @param {Person[]} people @param {number} index
 * @param {(index: number) => void} setIndex @param {(person: Person) => void} choose
 * @param {() => void} onClose
 */
function useKeys(field, people, index, setIndex, choose, onClose) {
  useLayoutEffect(() => {
    const press = (/** @type {KeyboardEvent} */ event) => {
      if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || !people.length) return;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const isChoice = event.key === "Enter" || (event.key === "Tab" && !event.shiftKey);
      if (!step && !isChoice && event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      if (step) setIndex((index + step + people.length) % people.length);
      else if (isChoice) choose(people[index]);
      else onClose();
    };
    field.addEventListener("keydown", press);
    return () => field.removeEventListener("keydown", press);
  });
}

/** What a screen reader knows of the list at the field. @param {HTMLElement} field @param {string} active */
function useField(field, active) {
  useLayoutEffect(() => {
    if (!active) return undefined;
    const attributes = {
      "aria-autocomplete": "list",
      "aria-controls": "people",
      "aria-activedescendant": active,
    };
    for (const [name, value] of Object.entries(attributes)) field.setAttribute(name, value);
    return () => Object.keys(attributes).forEach((name) => field.removeAttribute(name));
  }, [field, active]);
}
