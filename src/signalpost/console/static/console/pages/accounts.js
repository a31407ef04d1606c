// Accounts of networks: connect, look at their health, reconnect, pause, move, disconnect; invitations for
// other people.
import { html, useEffect, useState } from "../html.js";
import { all, get, patch, post, remove, curlOf } from "../api.js";
import { Icon } from "../icons.js";
import { number, t } from "../i18n.js";
import { useLive } from "../live.js";
import { go, to } from "../router.js";
import { accounts, loadBasics, loadPlatforms, may, networkName, platforms, profiles } from "../store.js";
import { Time, relative } from "../time.js";
import { useAction, useLoad } from "../hooks.js";
import { Avatar } from "../components/avatar.js";
import { Badge } from "../components/badge.js";
import { Button, LinkButton } from "../components/button.js";
import { Copy } from "../components/copy.js";
import { Dialog } from "../components/dialog.js";
import { Empty } from "../components/empty.js";
import { Check, Field } from "../components/field.js";
import { Loaded } from "../components/loaded.js";
import { Card, Page } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { Table } from "../components/table.js";
import { Tabs } from "../components/tabs.js";
import { toast, toastProblem } from "../components/toasts.js";

const load = async () => {
  await Promise.all([loadBasics(true), loadPlatforms()]);
  return true;
};

/** @typedef {import("../html.js").Children} Children */
/** @typedef {import("signalpost/api").Schemas["AccountHealth"]} AccountHealth */
/** @typedef {import("signalpost/api").Schemas["CreatedPlatformInvite"]} CreatedPlatformInvite */
/** @typedef {import("signalpost/api").Schemas["Platform"]} Platform */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */
/** @typedef {import("signalpost/api").Schemas["PlatformInvite"]} PlatformInvite */

/** @param {{id: string}} props */
export default function Accounts({ id }) {
  const loaded = useLoad(load, []);
  useLive(loaded.reload, { seconds: 15 });
  if (id && id !== "invites")
    return html`
      <${Loaded} loaded=${loaded}>
        ${() => html`<${Account} id=${id} reload=${loaded.reload} />`}
      <//>
    `;
  return html`
    <${Frame} id=${id} reload=${loaded.reload}>
      ${id ? html`
        <${Invites} />
      ` : html`
        <${Loaded} loaded=${loaded}>${() => html`<${List} />`}<//>
      `}
    <//>
  `;
}

/** @param {{id: string, reload: () => Promise<void>, children?: any}} props */
function Frame({ id, reload, children }) {
  const [connecting, setConnecting] = useState(false);
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

function List() {
  const rows = (accounts.value ?? []).map((account) => ({
    key: account.id,
    href: to(`accounts/${account.id}`),
    cells: [
      html`<span class="name">
        <${Avatar} name=${networkName(account.platform)} />
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
      columns=${[t("Account"), t("Profile"), t("State"), t("Access"), t("Last post")]}
      rows=${rows}
    />
  ` : html`
    <${Empty}
      title=${t("No accounts yet")}
      icon="accounts"
      curl=${curlOf(
        "/platforms/sandbox/connect",
        "-H 'Content-Type: application/json'",
        `-d '{"profileId": "${profiles.value?.[0]?.id}", "fields": {"username": "demo"}}'`,
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

/** @param {{id: string, reload: () => Promise<void>}} props */
function Account({ id, reload }) {
  const account = accounts.value?.find((candidate) => candidate.id === id);
  const health = useLoad(() => get(`/platforms/accounts/${id}/health`), [id]);
  const [dialog, setDialog] = useState("");
  const [testing, test] = useAction(async () => {
    health.setData(await get(`/platforms/accounts/${id}/health`, { refresh: true }));
    await reload();
  });
  const [pausing, pause] = useAction(async () => {
    await patch(`/platforms/accounts/${id}`, {
      status: account?.status === "paused" ? "active" : "paused",
    });
    await reload();
  });
  if (!account)
    return html`
      <${Page} title=${t("Not found")}>
        <${Empty}
          title=${t("There is no such account")}
          icon="accounts"
          action=${html`<${LinkButton} href=${to("accounts")}>${t("All accounts")}<//>`}
        >
          ${t("It may have been disconnected.")}
        <//>
      <//>
    `;
  const actions = may("accounts:write") && html`
    <${Button} icon="link" onClick=${() => setDialog("connect")}>
      ${t("Reconnect")}
    <//>
    <${Button} icon="pause" busy=${pausing} onClick=${pause}>
      ${account.status === "paused" ? t("Resume") : t("Pause")}
    <//>
    <${Button} kind="danger" onClick=${() => setDialog("disconnect")}>
      ${t("Disconnect")}
    <//>
  `;
  return html`
    <${Page}
      title=${account.displayName || account.username}
      subtitle=${
        html`
          <${Badge} state=${account.status} /> ${networkName(account.platform)} · ${account.username}
        `
      }
      actions=${actions}
    >
      ${account.statusReason && html`
        <div class="notice warn">
          <${Icon} name="warn" />
          <p>${account.statusReason}</p>
        </div>
      `}
      <div class="columns">
        <${Card} title=${t("Details")}>
          <dl class="facts">
            <dt>${t("Profile")}</dt>
            <dd>
              <${Move} account=${account} reload=${reload} />
            </dd>
            <dt>${t("Id")}</dt>
            <dd>
              <code>${account.id}</code>
            </dd>
            ${account.profileUrl && html`
              <dt>${t("Address")}</dt>
              <dd>
                <a href=${account.profileUrl} target="_blank" rel="noopener noreferrer">
                  ${account.profileUrl}
                </a>
              </dd>
            `}
            <dt>${t("Connected")}</dt>
            <dd>
              <${Time} at=${account.createdAt} />
            </dd>
            <dt>${t("Posts today")}</dt>
            <dd>
              ${number(account.postsToday)}
              ${account.dailyLimit ? ` / ${number(account.dailyLimit)}` : ""}
            </dd>
            <dt>${t("Can do")}</dt>
            <dd>
              ${Object.entries(account.capabilities)
                .filter(([, value]) => value === true)
                .map(([name]) => name)
                .join(", ")}
            </dd>
          </dl>
        <//>
        <${Card}
          title=${t("Health")}
          actions=${
            html`<${Button} icon="retry" busy=${testing} onClick=${test}>
              ${t("Test now")}
            <//>`
          }
        >
          <${Loaded} loaded=${health}>
            ${(/** @type {AccountHealth} */ data) => html`<${Health} health=${data} />`}
          <//>
        <//>
      </div>
      ${dialog === "connect" && html`
        <${Connect}
          account=${account}
          onClose=${() => setDialog("")}
          onDone=${async () => {
            await reload();
            await health.reload();
          }}
        />
      `}
      ${dialog === "disconnect" && html`<${Disconnect} account=${account} onClose=${() => setDialog("")} />`}
    <//>
  `;
}

/** @param {{health: AccountHealth}} props */
function Health({ health }) {
  return html`
    <p>
      <${Badge} state=${health.status} />${" "}
      <span class="soft">
        ${t("checked")} <${Time} at=${health.checkedAt} kind="relative" />
      </span>
    </p>
    ${health.issues.map((issue) => html`
      <div class="notice warn">
        <${Icon} name="warn" />
        <p>${issue.message}</p>
      </div>
    `)}
    ${health.recommendations.length > 0 && html`
      <ul>
        ${health.recommendations.map((/** @type {string} */ text) => html`
          <li>${text}</li>
        `)}
      </ul>
    `}
    <dl class="facts">
      <dt>${t("Access")}</dt>
      <dd>
        ${health.token.valid ? t("valid") : t("not valid")}
        ${health.token.expiresAt ? html`
          ${" "}
          · <${Time} at=${health.token.expiresAt} />
          ` : (
          ""
        )}
      </dd>
      ${health.token.lastRefreshedAt && html`
        <dt>${t("Renewed")}</dt>
        <dd>
          <${Time} at=${health.token.lastRefreshedAt} kind="relative" />
        </dd>
        `}
      ${health.permissions.missing.length > 0 && html`
        <dt>${t("Missing permissions")}</dt>
        <dd class="bad">${health.permissions.missing.join(", ")}</dd>
        `}
      <dt>${t("Last 7 days")}</dt>
      <dd>
        ${t("{published} published, {failed} failed", {
          published: number(health.recent.published),
          failed: number(health.recent.failed),
        })}
      </dd>
      ${health.quota.limit !== null && html`
        <dt>${t("Limit of the network")}</dt>
        <dd>
          ${number(health.quota.used)} / ${number(health.quota.limit)}
        </dd>
        `}
    </dl>
  `;
}

/** @param {{account: PlatformAccount, reload: () => Promise<void>}} props */
function Move({ account, reload }) {
  const choose = (/** @type {any} */ event) =>
    patch(`/platforms/accounts/${account.id}`, { profileId: event.currentTarget.value })
      .then(() => toast(t("Moved.")), toastProblem)
      .then(reload);
  const name = profiles.value?.find((candidate) => candidate.id === account.profileId)?.name;
  return (profiles.value?.length ?? 0) > 1 && may("accounts:write") ? html`
    <select aria-label=${t("Profile")} onChange=${choose}>
      ${profiles.value?.map((candidate) => html`
        <option value=${candidate.id} selected=${candidate.id === account.profileId}>
          ${candidate.name}
        </option>
      `)}
    </select>
  ` : (
    name
  );
}

/** @param {{account: PlatformAccount, onClose: () => void}} props */
function Disconnect({ account, onClose }) {
  const [busy, act] = useAction(async () => {
    const done = await remove(`/platforms/accounts/${account.id}`);
    toast(t("Disconnected. Posts that no longer go there: {n}.", { n: done.affectedPosts }));
    await loadBasics(true);
    go("accounts");
  });
  return html`
    <${Dialog}
      title=${t("Disconnect {name}?", { name: account.username })}
      onClose=${onClose}
      onSubmit=${act}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Keep it")}<//>
          <${Button} kind="danger" type="submit" busy=${busy}>
            ${t("Disconnect")}
          <//>
        `
      }
    >
      <p>
        ${t(
          "What waits for this account fails, and we forget its access. What is published stays. Connect the same account again to go on.",
        )}
      </p>
    <//>
  `;
}

/** @param {{account?: PlatformAccount, onClose: () => void, onDone: () => Promise<void>}} props */
function Connect({ account, onClose, onDone }) {
  const [platform, setPlatform] = useState(account?.platform ?? "");
  const [profileId, setProfileId] = useState(
    account?.profileId ??
      profiles.value?.find((candidate) => candidate.isDefault)?.id ??
      profiles.value?.[0]?.id ??
      "",
  );
  useEffect(() => {
    Promise.all([loadBasics(), loadPlatforms()]).catch(toastProblem);
  }, []);
  const chosen = platforms.value?.find((network) => network.platform === platform);
  const able = (platforms.value ?? [])
    .filter((network) => network.available)
    .sort((a, b) => Number(b.configured) - Number(a.configured));
  if (!chosen) {
    return html`
      <${Dialog} title=${t("Connect an account")} onClose=${onClose} wide>
        <div class="chips even">
          ${able.map((network) => html`
            <button
              type="button"
              class="chip"
              key=${network.platform}
              onClick=${() => setPlatform(network.platform)}
            >
              <${Avatar} name=${network.name} />
              <span>
                <strong>${network.name}</strong>
                <span class="soft">
                  ${network.configured ? t("ready") : t("the operator sets it up first")}
                </span>
              </span>
            </button>
          `)}
        </div>
      <//>
    `;
  }
  return html`
    <${ConnectForm}
      platform=${chosen}
      account=${account}
      profileId=${profileId}
      onClose=${onClose}
      onDone=${onDone}
      profileField=${
        !account &&
        (profiles.value?.length ?? 0) > 1 && html`
          <${Field}
            label=${t("Profile")}
            options=${profiles.value?.map((candidate) => [candidate.id, candidate.name])}
            value=${profileId}
            onInput=${setProfileId}
          />
        `
      }
    />
  `;
}

/**
 * @param {{
 *   platform: Platform, account: PlatformAccount | undefined, profileId: string, profileField: Children,
 *   onClose: () => void,
 *   onDone: () => Promise<void>
 * }} props
 */
function ConnectForm({ platform, account, profileId, profileField, onClose, onDone }) {
  const [fields, setFields] = useState(/** @type {Record<string, string>} */ ({}));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [busy, setBusy] = useState(false);
  const [url, setUrl] = useState("");
  const byForm = platform.modes.includes("credentials") && !platform.modes.includes("oauth");
  const submit = async () => {
    if (url || busy) return;
    setBusy(true);
    setProblem(null);
    try {
      if (byForm) {
        await post(`/platforms/${platform.platform}/connect`, {
          profileId,
          fields,
          ...(account ? { accountId: account.id } : {}),
        });
        await onDone();
        toast(t("Connected."));
        onClose();
      } else {
        const begun = await get(`/platforms/${platform.platform}/auth-url`, {
          profileId,
          accountId: account?.id,
          instanceUrl: fields.instanceUrl,
        });
        setUrl(begun.url ?? begun.authUrl ?? "");
      }
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  const errorOf = (/** @type {string} */ name) =>
    problem?.issues?.find(
      (/** @type {any} */ issue) => issue.path.endsWith(`/${name}`) || issue.path === name,
    )?.message;
  const close = () => {
    onClose();
    void onDone();
  };
  const actions = url ? html`
    <${Button} kind="primary" onClick=${close}>
      ${t("Done")}
    <//>
  ` : html`
    <${Button} onClick=${onClose}>${t("Cancel")}<//>
    <${Button} kind="primary" type="submit" busy=${busy}>
      ${byForm ? t("Connect") : t("Continue")}
    <//>
  `;
  return html`
    <${Dialog}
      title=${
        account
          ? t("Reconnect {name}", { name: account.username })
          : t("Connect {network}", { network: platform.name })
      }
      onClose=${url ? close : onClose}
      onSubmit=${submit}
      actions=${actions}
    >
      ${problem && html`<${ProblemBox} problem=${problem} />`}
      ${profileField}
      ${url ? html`
        <p>${t("Agree at the network, in a window of its own; then come back here.")}</p>
        <a class="button primary" href=${url} target="_blank" rel="noopener">
          <${Icon} name="link" />
          <span>${t("Continue at {network}", { network: platform.name })}</span>
        </a>
      ` : byForm ? (
        platform.credentialFields.map((field, index) => html`
          <${Field}
            key=${field.name}
            label=${field.required ? field.label : `${field.label} (${t("optional")})`}
            type=${field.secret ? "password" : "text"}
            autocomplete="off"
            autofocus=${index === 0}
            error=${errorOf(field.name)}
            value=${fields[field.name] ?? ""}
            onInput=${(/** @type {string} */ value) => setFields({ ...fields, [field.name]: value })}
          />
        `)
      ) : html`
        ${platform.platform === "mastodon" && html`
          <${Field}
            label=${t("Server")}
            placeholder="mastodon.social"
            value=${fields.instanceUrl ?? ""}
            error=${errorOf("instanceUrl")}
            onInput=${(/** @type {string} */ instanceUrl) => setFields({ instanceUrl })}
            autofocus
          />
        `}
        <p>${t("You go to the network, sign in there and agree. We never see your password.")}</p>
      `}
    <//>
  `;
}

function Invites() {
  const loaded = useLoad(() => all("/platform-invites", {}, 200), []);
  const [making, setMaking] = useState(false);
  const revoke = (/** @type {PlatformInvite} */ invite) =>
    remove(`/platform-invites/${invite.id}`)
      .then(() => toast(t("The link no longer works.")), toastProblem)
      .then(loaded.reload);
  const button = html`
    <${Button} kind="primary" icon="plus" onClick=${() => setMaking(true)}>
      ${t("Invite someone")}
    <//>
  `;
  return html`
    <${Loaded} loaded=${loaded}>
      ${(/** @type {PlatformInvite[]} */ invites) =>
        invites.length ? html`
          <p>${button}</p>
          <${Table}
            label=${t("Invitations")}
            columns=${[t("For"), t("Networks"), t("State"), t("Ends"), ""]}
            rows=${invites.map((invite) => ({
              key: invite.id,
              cells: [
                invite.label ?? invite.email ?? t("anyone with the link"),
                invite.platforms.map(networkName).join(", "),
                html`<${Badge} state=${invite.status} />`,
                html`<${Time} at=${invite.expiresAt} />`,
                ["pending", "opened", "partially_connected"].includes(invite.status) && html`
                  <${Button} kind="danger" onClick=${() => revoke(invite)}>
                    ${t("Revoke")}
                  <//>
                `,
              ],
            }))}
          />
          ` : html`
          <${Empty} title=${t("No invitations")} icon="link" action=${button}>
            ${t(
              "Send a link to whoever has the password of an account: they connect it without a login here, and see nothing else.",
            )}
          <//>
        `
      }
    <//>
    ${making && html`
      <${Invite}
        onClose=${() => {
          setMaking(false);
          void loaded.reload();
        }}
      />
    `}
  `;
}

/** @param {{onClose: () => void}} props */
function Invite({ onClose }) {
  const [fields, setFields] = useState({
    profileId: profiles.value?.[0]?.id ?? "",
    platforms: /** @type {string[]} */ ([]),
    label: "",
    message: "",
  });
  const [invite, setMade] = useState(/** @type {CreatedPlatformInvite | null} */ (null));
  const [busy, make] = useAction(async () => {
    setMade(
      await post("/platform-invites", {
        profileId: fields.profileId,
        platforms: fields.platforms,
        label: fields.label || null,
        message: fields.message || null,
      }),
    );
  });
  const ready = (platforms.value ?? []).filter((network) => network.available && network.configured);
  if (invite)
    return html`
      <${Dialog}
        title=${t("Send this link")}
        onClose=${onClose}
        actions=${
          html`
            <${Copy} text=${invite.url} />
            <${Button} kind="primary" onClick=${onClose}>
              ${t("Done")}
            <//>
          `
        }
      >
        <p>${t("It is shown only now.")}</p>
        <pre tabindex="0">${invite.url}</pre>
      <//>
    `;
  return html`
    <${Dialog}
      title=${t("Invite someone")}
      onClose=${onClose}
      onSubmit=${make}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Cancel")}<//>
          <${Button} kind="primary" type="submit" busy=${busy} disabled=${!fields.platforms.length}>
            ${t("Make the link")}
          <//>
        `
      }
    >
      <${Field}
        label=${t("For")}
        hint=${t("So that you recognise it in the list")}
        value=${fields.label}
        maxlength="100"
        onInput=${(/** @type {string} */ label) => setFields({ ...fields, label })}
        autofocus
      />
      ${(profiles.value?.length ?? 0) > 1 && html`
        <${Field}
          label=${t("Profile")}
          options=${profiles.value?.map((candidate) => [candidate.id, candidate.name])}
          value=${fields.profileId}
          onInput=${(/** @type {string} */ profileId) => setFields({ ...fields, profileId })}
        />
      `}
      <div role="group" aria-label=${t("Networks")}>
        <div class="legend">${t("Networks")}</div>
        ${ready.map((network) => html`
          <${Check}
            key=${network.platform}
            label=${network.name}
            checked=${fields.platforms.includes(network.platform)}
            onChange=${(/** @type {boolean} */ on) =>
              setFields({
                ...fields,
                platforms: on
                  ? [...fields.platforms, network.platform]
                  : fields.platforms.filter((key) => key !== network.platform),
              })
            }
          />
        `)}
      </div>
      <${Field}
        label=${t("Message")}
        rows=${3}
        maxlength="500"
        value=${fields.message}
        onInput=${(/** @type {string} */ message) => setFields({ ...fields, message })}
      />
    <//>
  `;
}
