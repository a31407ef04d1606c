// Accounts of networks.
import { html, useState } from "../html.js";
import { curlOf } from "../api.js";
import { t } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { useLive } from "../live.js";
import { to } from "../router.js";
import { accountsOf, loadPlatforms, may, networkName, profiles } from "../store.js";
import { Time, relative } from "../time.js";
import { NetworkLogo } from "../components/network-logo.js";
import { Badge } from "../components/badge.js";
import { Button } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { Loaded } from "../components/loaded.js";
import { Page } from "../components/page.js";
import { firstProfile } from "../components/profile-field.js";
import { Table } from "../components/table.js";
import { Tabs } from "../components/tabs.js";
import { Account } from "./accounts-account.js";
import { Connect } from "./accounts-connect.js";
import { Invites } from "./accounts-invites.js";

/** @typedef {import("../html.js").Children} Children */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */
/** @typedef {PlatformAccount[] & {cut?: boolean}} Listed */

/** @param {{id: string, query: Record<string, string>}} props */
export default function Accounts({ id, query: { profileId, connect } }) {
  const loaded = useLoad(async () => {
    const [own] = await Promise.all([accountsOf(profileId), loadPlatforms()]);
    return own;
  }, [profileId]);
  useLive(loaded.reload, { seconds: 15 });
  if (id && id !== "invites")
    return html`
      <${Loaded} loaded=${loaded}>
        ${() => html`<${Account} id=${id} reload=${loaded.reload} />`}
      <//>
    `;
  const isInvites = Boolean(id) && may("invites:write");
  return html`
    <${Frame} id=${id} isConnecting=${Boolean(connect)} reload=${loaded.reload}>
      ${isInvites ? html`
        <${Invites} profileId=${profileId} />
      ` : html`
        <${Loaded} loaded=${loaded}>
          ${(/** @type {Listed} */ own) => html`<${Connected} accounts=${own} />`}
        <//>
      `}
    <//>
  `;
}

/**
 * @param {{id: string, isConnecting: boolean, reload: () => Promise<void>, children?: Children}} props
 * `isConnecting`: whether the page opens with the choice of a network
 */
function Frame({ id, isConnecting, reload, children }) {
  const [connecting, setConnecting] = useState(isConnecting && may("accounts:write"));
  return html`
    <${Page}
      title=${t("Accounts")}
      actions=${
        may("accounts:write") && html`
          <${Button} kind="primary" icon="plus" onClick=${() => setConnecting(true)}>
            ${t("Connect an account")}
          <//>
        `
      }
    >
      <${Tabs}
        label=${t("Accounts")}
        path="accounts"
        current=${id}
        tabs=${[["", t("Connected")], ...(may("invites:write") ? [["invites", t("Invitations")]] : [])]}
      />
      ${children}
      ${connecting && html`<${Connect} onClose=${() => setConnecting(false)} onDone=${reload} />`}
    <//>
  `;
}

/** @param {{accounts: Listed}} props */
function Connected({ accounts }) {
  const rows = accounts.map((account) => ({
    key: account.id,
    href: to(`accounts/${account.id}`),
    cells: [
      html`<span class="name">
        <${NetworkLogo} platform=${account.platform} />
        <span>
          ${account.displayName || account.username}
          <br />
          <span class="soft small">
            ${networkName(account.platform)} · ${account.username}
          </span>
        </span>
      </span>`,
      profiles.value?.find((candidate) => candidate.id === account.profileId)?.name,
      html`<${Badge} state=${account.status} />`,
      html`<${Expiry} account=${account} />`,
      html`<${Time} at=${account.lastPublishedAt} kind="relative" />`,
    ],
  }));
  return rows.length ? html`
    <${Table}
      label=${t("Accounts")}
      columns=${[t("Account"), t("Client"), t("State"), t("Access"), t("Last post")]}
      rows=${rows}
      cut=${accounts.cut}
    />
  ` : html`
    <${Empty}
      title=${t("No accounts yet")}
      icon="accounts"
      curl=${curlOf(
        "/platforms/sandbox/connect",
        "-H 'Content-Type: application/json'",
        `-d '{"profileId": "${firstProfile()}", "fields": {"username": "demo"}}'`,
      )}
    >
      ${t(
        "An account is where posts go. Start with the sandbox: it needs no key of any network and publishes nothing.",
      )}
    <//>
  `;
}

/** @param {{account: PlatformAccount}} props */
function Expiry({ account }) {
  if (!account.tokenExpiresAt || account.refreshable)
    return html`<span class="soft">${t("renews itself")}</span>`;
  return html`
    <span title=${account.tokenExpiresAt}>
      ${t("ends {when}", { when: relative(account.tokenExpiresAt) })}
    </span>
  `;
}
