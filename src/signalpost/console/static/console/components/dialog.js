// A dialog.
import { html, useEffect, useRef, useState } from "../html.js";
import { t } from "../i18n.js";
import { newId } from "../hooks.js";
import { Button } from "./button.js";

/** @typedef {import("../html.js").Children} Children */

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
