// What is shown only once, such as a key.
import { html } from "../html.js";
import { t } from "../i18n.js";
import { Button } from "./button.js";
import { Copy } from "./copy.js";
import { Dialog } from "./dialog.js";

/** @typedef {import("../html.js").Children} Children */

/**
 * @param {{
 *   title: string, secret: string, copy?: string, note: string, onClose: () => void, children?: Children
 * }} props `copy`: the words on the button
 */
export function SecretDialog({ title, secret, copy, note, onClose, children }) {
  return html`
    <${Dialog}
      title=${title}
      onClose=${onClose}
      actions=${
        html`
          <${Copy} text=${secret} label=${copy} />
          <${Button} kind="primary" onClick=${onClose}>
            ${t("Done")}
          <//>
        `
      }
    >
      <p>${note}</p>
      <pre tabindex="0">${secret}</pre>
      ${children}
    <//>
  `;
}
