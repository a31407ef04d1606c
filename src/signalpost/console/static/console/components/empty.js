// A list without rows: what it is for, and how to begin.
import { html } from "../html.js";
import { t } from "../i18n.js";
import { Icon } from "../icons.js";

/** @typedef {import("../html.js").Children} Children */

/** @param {{title: string, children?: Children, action?: Children, curl?: string, icon?: string}} props */
export function Empty({ title, children, action, curl, icon = "posts" }) {
  return html`
    <div class="empty">
      <${Icon} name=${icon} />
      <h2>${title}</h2>
      <p>${children}</p>
      ${action}
      ${curl && html`
        <details class="small">
          <summary>${t("Details for developers")}</summary>
          <pre tabindex="0" class="curl">
            ${curl}
          </pre>
        </details>
      `}
    </div>
  `;
}
