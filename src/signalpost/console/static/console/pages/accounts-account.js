// One account: its details and health; reconnect, pause, move, language, disconnect.
import { html, useState } from "../html.js";
import { get, patch, remove } from "../api.js";
import { Icon } from "../icons.js";
import { number, t } from "../i18n.js";
import { useAction, useLoad } from "../hooks.js";
import { isAdmin } from "../rights.js";
import { go, to } from "../router.js";
import { accounts, loadBasics, may, networkName, profiles } from "../store.js";
import { Time } from "../time.js";
import { Badge } from "../components/badge.js";
import { Button, LinkButton } from "../components/button.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { Empty } from "../components/empty.js";
import { Loaded } from "../components/loaded.js";
import { NetworkLogo } from "../components/network-logo.js";
import { Card, Page } from "../components/page.js";
import { toast, toastProblem } from "../components/toasts.js";
import { DeveloperDetails } from "../components/developer-details.js";
import { failureSentences } from "../words.js";
import { Connect } from "./accounts-connect.js";
import { LanguageChoice, hasLanguage } from "./accounts-language.js";

/** @typedef {import("../html.js").InputEvent} InputEvent */

/** @typedef {import("signalpost/api").Schemas["AccountHealth"]} AccountHealth */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */

/** @param {PlatformAccount} account */
const whereOf = (account) => html`
  <${NetworkLogo} platform=${account.platform} /> ${networkName(account.platform)} · ${account.username}
`;

/** @param {{id: string, reload: () => Promise<void>}} props */
export function Account({ id, reload }) {
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
  if (!account) return html`<${NotFound} />`;
  const actions = may("accounts:write") && html`
    <${Button} icon="link" onClick=${() => setDialog("connect")}>
      ${t("Reconnect")}
    <//>
    <${Button} icon="pause" busy=${pausing} onClick=${pause}>
      ${account.status === "paused" ? t("Resume") : t("Pause")}
    <//>
    ${isAdmin() && html`
      <${Button} kind="danger" onClick=${() => setDialog("disconnect")}>
        ${t("Disconnect")}
      <//>
    `}
  `;
  return html`
    <${Page}
      title=${account.displayName || account.username}
      subtitle=${
        html`
          <${Badge} state=${account.status} /> ${whereOf(account)}
        `
      }
      actions=${actions}
    >
      <div class="columns">
        <${Details} account=${account} reload=${reload} />
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
          onDone=${() => reload().then(health.reload)}
        />
      `}
      ${dialog === "disconnect" && html`<${Disconnect} account=${account} onClose=${() => setDialog("")} />`}
    <//>
  `;
}

function NotFound() {
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
}

/** @type {() => Record<string, string>} */
const ABILITIES = () => ({
  text: t("Texts"),
  image: t("Pictures"),
  video: t("Videos"),
  carousel: t("Several pictures"),
  story: t("Stories"),
  thread: t("Threads"),
  firstComment: t("First comment"),
  delete: t("Deleting what is published"),
  analytics: t("Analytics"),
});

/** What posts of the account can be. @param {PlatformAccount} account */
const abilitiesOf = ({ capabilities }) =>
  Object.entries(capabilities)
    .filter(([, value]) => value === true)
    .map(([key]) => ABILITIES()[key] ?? key)
    .join(", ");

/** @param {{account: PlatformAccount, reload: () => Promise<void>}} props */
function Details({ account, reload }) {
  return html`
    <${Card} title=${t("Details")}>
      <dl class="facts">
        <dt>${t("Client")}</dt>
        <dd>
          <${Move} account=${account} reload=${reload} />
        </dd>
        ${hasLanguage(account.platform) && html`
          <dt>${t("Language of the posts")}</dt>
          <dd>
            <${LanguageChoice} account=${account} reload=${reload} />
          </dd>
        `}
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
        <dd>${abilitiesOf(account)}</dd>
      </dl>
    <//>
  `;
}

/** @param {{issue: AccountHealth["issues"][0]}} props */
function Unwell({ issue }) {
  const { happened, todo } = failureSentences({ ...issue, code: `health.${issue.code}` });
  return html`
    <div>
      <p>${happened}</p>
      ${todo && html`<p class="small">${todo}</p>`}
      <${DeveloperDetails} detail=${issue.message} />
    </div>
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
        <${Unwell} issue=${issue} />
      </div>
    `)}
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
  const choose = (/** @type {InputEvent} */ event) =>
    patch(`/platforms/accounts/${account.id}`, { profileId: event.currentTarget.value })
      .then(() => toast(t("Moved.")), toastProblem)
      .then(reload);
  const name = profiles.value?.find((candidate) => candidate.id === account.profileId)?.name;
  const choices = (profiles.value ?? []).filter(
    ({ id, archivedAt }) => !archivedAt || id === account.profileId,
  );
  return choices.length > 1 && isAdmin() ? html`
    <select aria-label=${t("Client")} onChange=${choose}>
      ${choices.map((candidate) => html`
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
  const act = async () => {
    const done = await remove(`/platforms/accounts/${account.id}`);
    toast(t("Disconnected. Posts that no longer go there: {n}.", { n: done.affectedPosts }));
    await loadBasics(true);
    go("accounts");
  };
  return html`
    <${ConfirmDialog}
      title=${t("Disconnect {name}?", { name: account.username })}
      confirm=${t("Disconnect")}
      act=${act}
      onClose=${onClose}
    >
      <p>
        ${t(
          "What waits for this account fails, and we forget its access. What is published stays. Connect the same account again to go on.",
        )}
      </p>
    <//>
  `;
}
