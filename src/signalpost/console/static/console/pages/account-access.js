// What else acts or lets in for me: API keys that I made, my phone, the provider of the sign-in; and leaving.
import { html } from "../html.js";
import { all, get } from "../api.js";
import { Badge } from "../components/badge.js";
import { LinkButton } from "../components/button.js";
import { List } from "../components/list.js";
import { Card } from "../components/page.js";
import { useLoad } from "../hooks.js";
import { t } from "../i18n.js";
import { to } from "../router.js";
import { may, me } from "../store.js";
import { Time } from "../time.js";

/** @typedef {import("signalpost/api").Schemas["ApiKey"]} ApiKey */

export default function Access() {
  return html`
    ${may("keys:write") && html`<${Keys} />`}
    <${Provider} />
  `;
}

function Keys() {
  const loaded = useLoad(() => all("/api-keys", { mine: true }), []);
  return html`
    <${Card}
      title=${t("API keys that I made")}
      actions=${
        html`<${LinkButton} href=${to("developers")} icon="developers">
          ${t("All keys")}
        <//>`
      }
    >
      <p class="soft">${t("They act with your rights, as long as you have them.")}</p>
      <${List}
        loaded=${loaded}
        label=${t("API keys that I made")}
        columns=${[t("Name"), t("Key"), t("Last used"), t("State")]}
        empty=${html`<p>${t("None.")}</p>`}
        row=${(/** @type {ApiKey} */ key) => ({
          key: key.id,
          cells: [
            html`<strong dir="auto">${key.name}</strong>`,
            html`<code>${key.prefix}…</code>`,
            html`<${Time} at=${key.lastUsedAt} kind="relative" />`,
            html`<${Badge} state=${key.status} />`,
          ],
        })}
      />
    <//>
  `;
}

function Provider() {
  const loaded = useLoad(() => get("/auth/options"), []);
  const provider = loaded.data?.oidc;
  if (!provider) return null;
  return html`
    <${Card} title=${t("Sign-in provider")}>
      <p>
        ${t("You can also sign in with {name}, with the address {email}.", {
          name: provider.label,
          email: me.value.user.email,
        })}
      </p>
    <//>
  `;
}
