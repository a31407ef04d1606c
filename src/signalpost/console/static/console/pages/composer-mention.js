// Whom a text mentions: who types @ and two letters is offered people of the networks of the post.
import { html, useEffect, useState } from "../html.js";
import { lazyDialog } from "../components/lazy.js";

/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */
/** A mention that begins. @typedef {{field: HTMLTextAreaElement, from: number, text: string}} Typed */

const People = lazyDialog(() => import("./composer-people.js"));
const BEGUN = /(?:^|[\s(])@([\p{L}\p{N}_][\p{L}\p{N}_.-]{1,29})$/u;

/** @param {EventTarget | null} field @returns {Typed | null} */
function typedIn(field) {
  if (!(field instanceof HTMLTextAreaElement) || !field.dataset.steps) return null;
  const end = field.selectionStart;
  const text = field.selectionEnd === end ? BEGUN.exec(field.value.slice(0, end))?.[1] : undefined;
  return text === undefined ? null : { field, from: end - text.length - 1, text };
}

/**
 * People for a text with its field in `place`, until the cursor goes elsewhere.
 * @param {{
 *   place: {current: HTMLElement | null}, accounts: PlatformAccount[], draft: Draft,
 *   change?: import("../draft.js").Change
 * }} props `change`: without it, the text cannot be another one for some accounts
 */
export function Mention({ place, accounts, draft, change }) {
  const [typed, setTyped] = useState(/** @type {Typed | null} */ (null));
  const close = () => setTyped(null);
  useEffect(() => {
    const element = /** @type {HTMLElement} */ (place.current);
    const onInput = (/** @type {Event} */ { target }) => setTyped(typedIn(target));
    const onKey = (/** @type {KeyboardEvent} */ { key, ctrlKey, metaKey }) =>
      (ctrlKey || metaKey || /^(Arrow(Left|Right)|Home|End|Page)/.test(key)) && close();
    const onPress = (/** @type {Event} */ { target }) => target instanceof HTMLTextAreaElement && close();
    element.addEventListener("input", onInput);
    element.addEventListener("keydown", onKey);
    element.addEventListener("pointerdown", onPress);
    element.addEventListener("focusout", close);
  }, []);
  const able = accounts.filter(
    ({ id, capabilities }) => capabilities.mentions && (!change || draft.variants[id] === undefined),
  );
  return (
    typed &&
    able.length > 0 && html`<${People} ...${{ typed, able, accounts, draft, change }} onClose=${close} />`
  );
}
