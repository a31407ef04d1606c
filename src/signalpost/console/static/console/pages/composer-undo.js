// The buttons that undo what was done to a draft, and do it again.
import { html, useLayoutEffect } from "../html.js";
import { t } from "../i18n.js";
import { Button } from "../components/button.js";
import { useChanges } from "./composer-draft.js";

/** @typedef {import("./composer-draft.js").Saving} Saving */

/** @param {{saver: Saving}} props */
export function Undo({ saver }) {
  useChanges(saver);
  const { steps } = saver;
  useLayoutEffect(() => steps?.show(), [steps?.turn]);
  return html`
    <${Walk} steps=${steps} isBack name=${t("Undo")} keys="Control+Z" />
    <${Walk} steps=${steps} name=${t("Redo")} keys="Control+Shift+Z" />
    <span class="hidden" role="status">
      <span key=${steps?.turn}>${steps?.said}</span>
    </span>
  `;
}

/**
 * It keeps the focus when there is nothing left to undo.
 * @param {{steps: Saving["steps"], isBack?: boolean, name: string, keys: string}} props
 */
function Walk({ steps, isBack = false, name, keys }) {
  const isAble = (isBack ? steps?.done : steps?.undone)?.length;
  return html`
    <${Button}
      kind="quiet"
      icon=${isBack ? "undo" : "redo"}
      aria-label=${name}
      title=${name}
      aria-keyshortcuts=${keys}
      aria-disabled=${isAble ? undefined : "true"}
      onClick=${() => steps?.walk(isBack)}
    />
  `;
}
