// Buttons, and links that look like one.
import { html } from "../html.js";
import { Icon } from "../icons.js";

/** @typedef {import("../html.js").Children} Children */

/**
 * @param {{
 *   kind?: "primary" | "plain" | "danger" | "quiet", icon?: string, busy?: boolean, children?: Children,
 *   [attribute: string]: unknown
 * }} props
 */
export function Button({ kind = "plain", icon, busy, children, ...rest }) {
  return html`
    <button
      type="button"
      class=${`button ${kind}`}
      aria-disabled=${busy || undefined}
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
