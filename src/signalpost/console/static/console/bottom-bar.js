// The pages that a person on a phone opens most, within reach of a thumb. The menu has the others.
import { html, useEffect } from "./html.js";
import { waiting } from "./approvals-count.js";
import { Icon } from "./icons.js";
import { number, t } from "./i18n.js";
import { to } from "./router.js";
import { navigation } from "./sidebar.js";
import { stylesheet } from "./stylesheet.js";

await stylesheet("bottom-bar.css");

const PAGES = new Set(["", "calendar", "posts", "inbox", "approvals"]);

/** @param {{page: string}} props */
export default function BottomBar({ page }) {
  useEffect(() => showOnIcon(waiting.value), [waiting.value]);
  return html`
    <nav class="bottom-bar" aria-label=${t("Quick access")}>
      ${navigation()
        .filter(([key]) => PAGES.has(key))
        .map(([key, icon, name]) => html`
          <a href=${to(key)} aria-current=${key === page ? "page" : undefined}>
            <${Icon} name=${icon} />
            <span>${name}</span>
            ${key === "approvals" && waiting.value > 0 && html`
              <span class="count">
                ${number(waiting.value)}
                <span class="hidden"> ${t("waiting for you")}</span>
              </span>
            `}
          </a>
        `)}
    </nav>
  `;
}

/** Show the number on the icon of the installed console, where the device can. @param {number} count */
function showOnIcon(count) {
  // It refuses where a person has not allowed notifications: the number in the navigation remains.
  navigator.setAppBadge?.(count).catch(() => undefined);
}
