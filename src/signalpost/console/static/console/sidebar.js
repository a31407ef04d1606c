// The navigation beside the page: workspace, pages, commands, who is signed in.
import { html, useEffect } from "./html.js";
import { ROOT, hasExtension } from "./api.js";
import { useWaiting } from "./approvals-count.js";
import { ClientSwitcher } from "./client-switcher.js";
import { Button, LinkButton } from "./components/button.js";
import { toastProblem } from "./components/toasts.js";
import { Icon } from "./icons.js";
import { number, t } from "./i18n.js";
import { showPalette } from "./keys.js";
import { loadModule } from "./modules.js";
import { isDeveloper } from "./rights.js";
import { to } from "./router.js";
import { chooseWorkspace, loadProfiles, may, me, workspaces } from "./store.js";

/** @typedef {import("./html.js").InputEvent} InputEvent */

/** The pages that this person may open: key, icon, name. @returns {[string, string, string][]} */
export const navigation = () => [
  ["", "home", t("Home")],
  ["calendar", "calendar", t("Calendar")],
  ["posts", "posts", t("Posts")],
  ["queues", "clock", t("Queues")],
  ...(hasExtension("feeds")
    ? [/** @type {[string, string, string]} */ (["feeds", "link", t("Feeds")])]
    : []),
  ["approvals", "check", t("Approvals")],
  ["inbox", "support", t("Inbox")],
  ["media", "media", t("Media")],
  ["clients", "clients", t("Clients")],
  ["accounts", "accounts", t("Accounts")],
  ["analytics", "analytics", t("Analytics")],
  ...(isDeveloper()
    ? [/** @type {[string, string, string]} */ (["developers", "developers", t("Developers")])]
    : []),
  ...(may("team:read") ? [/** @type {[string, string, string]} */ (["team", "team", t("Team")])] : []),
  ...(may("billing:read")
    ? [/** @type {[string, string, string]} */ (["billing", "billing", t("Billing")])]
    : []),
  ...(may("support:write")
    ? [/** @type {[string, string, string]} */ (["support", "support", t("Support")])]
    : []),
  ...(may("instance:admin")
    ? [/** @type {[string, string, string]} */ (["admin", "admin", t("Administration")])]
    : []),
];

/** @param {{page: string, onShowCalls: () => void}} props */
export function Sidebar({ page, onShowCalls }) {
  const { workspace } = me.value;
  const waiting = useWaiting();
  useEffect(() => {
    // The page may have asked for them already.
    loadProfiles().catch(toastProblem);
  }, []);
  return html`
    <div class="side-head">
      <a class="brand" href=${to("")}>
        Signalpost
      </a>
      ${workspaces.value.length > 1 ? html`
        <select
          class="workspace"
          aria-label=${t("Workspace")}
          onChange=${(/** @type {InputEvent} */ event) => chooseWorkspace(event.currentTarget.value)}
        >
          ${workspaces.value.map((choice) => html`
            <option value=${choice.id} selected=${choice.id === workspace.id}>
              ${choice.name}
            </option>
          `)}
        </select>
      ` : html`
        <p class="workspace">${workspace.name}</p>
      `}
      <${ClientSwitcher} />
      ${may("posts:write") && html`
        <${LinkButton} href=${to("compose")} kind="primary" icon="compose">
          ${t("Write a post")}
        <//>
      `}
    </div>
    <nav aria-label=${t("Pages")}>
      ${navigation().map(([key, icon, name]) => html`
        <a
          href=${to(key)}
          aria-current=${key === page || (key === "posts" && page === "compose") ? "page" : undefined}
        >
          <${Icon} name=${icon} />
          ${name}
          ${key === "approvals" && waiting > 0 && html`
            <span class="count">
              ${number(waiting)}
              <span class="hidden"> ${t("waiting for you")}</span>
            </span>
          `}
        </a>
      `)}
    </nav>
    <${Foot} page=${page} onShowCalls=${onShowCalls} />
  `;
}

/** Sign out when this browser gets no more notifications. @param {SubmitEvent} event */
async function signOut(event) {
  const form = /** @type {HTMLFormElement} */ (event.currentTarget);
  event.preventDefault();
  // The service ends them in any case, and is asked for nothing else first.
  const loading = loadModule(() => import("./push.js"));
  await loading.then(({ turnOff }) => turnOff()).catch(() => undefined);
  form.submit();
}

/** @param {{page: string, onShowCalls: () => void}} props */
function Foot({ page, onShowCalls }) {
  const { user } = me.value;
  return html`
    <div class="side-foot">
      <${Button} kind="quiet" icon="search" onClick=${showPalette}>
        ${t("Commands")}
        <kbd>Ctrl K</kbd>
      <//>
      ${isDeveloper() && html`
        <${Button} kind="quiet" icon="api" onClick=${onShowCalls}>
          ${t("API calls")}
        <//>
      `}
      <a class="button quiet" href=${`${ROOT}/docs`} target="_blank" rel="noopener">
        <${Icon} name="question" />
        <span>${t("Help and docs")}</span>
      </a>
      <form method="post" action=${`${ROOT}/logout`} class="who" onSubmit=${signOut}>
        <a
          href=${to("account")}
          title=${user.email}
          aria-current=${page === "account" ? "page" : undefined}
        >
          <${Icon} name="settings" />
          <span>${user.name ?? user.email}</span>
          <span class="hidden"> · ${t("My account")}</span>
        </a>
        <button class="button quiet" aria-label=${t("Sign out")} title=${t("Sign out")}>
          <${Icon} name="logout" />
        </button>
      </form>
    </div>
  `;
}
