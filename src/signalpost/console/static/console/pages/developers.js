// For programs: API keys, webhooks with every delivery, the request log, and the explorer of the API.
import { html } from "../html.js";
import { ROOT, hasExtension } from "../api.js";
import { t } from "../i18n.js";
import { may } from "../store.js";
import { lazy } from "../components/lazy.js";
import { Page } from "../components/page.js";
import { Tabs } from "../components/tabs.js";
import { Keys } from "./developers-keys.js";

const Apps = lazy(() => import("./developers-apps.js"));
const Webhooks = lazy(() => import("./developers-webhooks.js"));
const Webhook = lazy(() => import("./developers-webhook.js"));
const Requests = lazy(() => import("./developers-requests.js"));
const Explorer = lazy(() => import("./developers-explorer.js"));

const hasApps = () => may("keys:write") && hasExtension("apps");
const hasRequestLog = () => hasExtension("request_log");

const PARTS = /** @type {Record<string, (query: Record<string, string>, part: string) => unknown>} */ ({
  apps: () => hasApps() && html`<${Apps} />`,
  webhooks: () => may("webhooks:read") && html`<${Webhooks} />`,
  requests: (query) => hasRequestLog() && html`<${Requests} query=${query} />`,
  explorer: (query, part) => html`<${Explorer} query=${query} part=${part} />`,
});

/** @param {{id: string, part: string, query: Record<string, string>}} props */
export default function Developers({ id, part, query }) {
  if (id === "webhooks" && part) return html`<${Webhook} id=${part} query=${query} />`;
  const tabs = [
    ["", t("API keys")],
    ...(hasApps() ? [["apps", t("Apps")]] : []),
    ...(may("webhooks:read") ? [["webhooks", t("Webhooks")]] : []),
    ...(hasRequestLog() ? [["requests", t("Request log")]] : []),
    ["explorer", t("Explorer")],
  ];
  return html`
    <${Page}
      title=${t("Developers")}
      actions=${
        html`<a class="button plain" href=${`${ROOT}/docs`} target="_blank" rel="noopener">
          ${t("API reference")}
        </a>`
      }
    >
      <${Tabs} label=${t("Developers")} path="developers" current=${id} tabs=${tabs} />
      ${PARTS[id]?.(query, part) || html`<${Keys} />`}
    <//>
  `;
}
