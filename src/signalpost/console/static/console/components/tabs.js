// The parts of a page, each at an address of its own.
import { html } from "../html.js";
import { to } from "../router.js";

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
