// The frame and the page that the address names. Pages are loaded when they are needed.
import { html, render, signal, useEffect, useState } from "./html.js";
import { anotherUser, get, hasExtension, online, sessionEnded } from "./api.js";
import { answered } from "./under-way.js";
import { forgetBegun } from "./begin.js";
import { followClient } from "./client.js";
import { ClientSwitcher, hasClients } from "./client-switcher.js";
import { Icon } from "./icons.js";
import { followLanguage, loadLanguage, loadTexts, t } from "./i18n.js";
import { useMedia } from "./hooks.js";
import { keyboardDialog } from "./keys.js";
import { loadModule } from "./modules.js";
import { route, to } from "./router.js";
import { Sidebar } from "./sidebar.js";
import { isAdmin } from "./rights.js";
import { loadWords } from "./words.js";
import { identify, may, me, workspaces } from "./store.js";
import { Button, LinkButton } from "./components/button.js";
import { lazyDialog } from "./components/lazy.js";
import { Skeleton } from "./components/loaded.js";
import { Page } from "./components/page.js";
import { ProblemBox } from "./components/problem-box.js";
import { Toasts, toastProblem } from "./components/toasts.js";

import "./theme.js";

/**
 * Address -> module in `pages`, which exports its page as `default`: a component that receives `id`, `part`
 * and `query`.
 */
const PAGES = /** @type {Record<string, string>} */ ({
  "": "home",
  posts: "posts",
  approvals: "approvals",
  compose: "composer",
  calendar: "calendar",
  media: "media",
  clients: "clients",
  accounts: "accounts",
  analytics: "analytics",
  developers: "developers",
  device: "device",
  team: "team",
  billing: "billing",
  support: "support",
  admin: "admin",
  account: "account",
  trash: "trash",
  queues: "queues",
  feeds: "feeds",
  inbox: "inbox",
  import: "import",
});

/** Where the menu is closed: styles ask the same. */
const PHONE = "(max-width: 56rem)";
const drawer = signal(false);
const menu = signal(false);
const loadSessionDialog = () => import("./session-dialog.js");
const loadOffline = () => import("./offline.js");
const BottomBar = lazyDialog(() => import("./bottom-bar.js"));
const CommandPalette = lazyDialog(() => import("./command-palette.js"));
const Drawer = lazyDialog(() => import("./drawer.js"));
const Shortcuts = lazyDialog(() => import("./shortcuts.js"));
const SessionDialog = lazyDialog(loadSessionDialog);

const closeKeyboardDialog = () => {
  keyboardDialog.value = "";
};

function Frame() {
  const { page } = route.value;
  const isPhone = useMedia(PHONE);
  useEffect(() => {
    menu.value = false;
  }, [route.value]);
  return html`
    <a class="skip" href="#main">
      ${t("Skip to content")}
    </a>
    <header class="topbar">
      <${Button}
        kind="quiet"
        icon="menu"
        aria-label=${t("Menu")}
        aria-expanded=${String(menu.value)}
        onClick=${() => {
          menu.value = !menu.value;
        }}
      />
      ${hasClients() ? html`
        <${ClientSwitcher} />
      ` : html`
        <a class="brand" href=${to("")}>
          Signalpost
        </a>
      `}
      ${may("posts:write") && html`
        <${LinkButton} href=${to("compose")} kind="primary" icon="compose">
          ${t("Write")}
        <//>
      `}
    </header>
    <aside class=${menu.value ? "side open" : "side"}>
      <${Sidebar}
        page=${page}
        onShowCalls=${() => {
          drawer.value = true;
        }}
      />
    </aside>
    <main id="main" tabindex="-1">
      ${!online.value && html`
        <p class="offline" role="status">
          <${Icon} name="warn" />
          ${t("No connection. What you type is kept, and sent when the network is back.")}
        </p>
      `}
      <${Current} />
    </main>
    ${isPhone && html`<${BottomBar} page=${page} />`}
    <${Toasts} />
    ${keyboardDialog.value === "help" && html`<${Shortcuts} onClose=${closeKeyboardDialog} />`}
    ${keyboardDialog.value === "palette" && html`<${CommandPalette} onClose=${closeKeyboardDialog} />`}
    ${drawer.value && html`
      <${Drawer}
        onClose=${() => {
          drawer.value = false;
        }}
      />
    `}
    ${(anotherUser.value || sessionEnded.value) && html`<${SessionDialog} />`}
  `;
}

/** The pages whose modules are loaded. */
const components = signal(/** @type {Record<string, unknown>} */ ({}));

/** The page of the address; its module is loaded at the first visit. */
function Current() {
  const { page, id, part, query, key } = route.value;
  const [failed, setFailed] = useState(/** @type {[string, unknown]} */ (["", null]));
  useEffect(() => {
    load(page).catch((problem) => {
      if (problem.document?.retryable && page === route.peek().page) location.reload();
      else setFailed([page, problem]);
    });
  }, [page]);
  const component = components.value[page];
  if (!component && failed[1] && failed[0] === page)
    return html`
      <div class="page">
        <${ProblemBox} problem=${failed[1]} onRetry=${() => location.reload()} />
      </div>
    `;
  if (!component)
    return html`
      <div class="page">
        <${Skeleton} lines=${6} />
      </div>
    `;
  return html`<${component} key=${key} id=${id} part=${part} query=${query} />`;
}

/** @param {string} page */
async function load(page) {
  if (components.peek()[page]) return;
  const name = hasExtension(page) ? PAGES[page] : "";
  const [module] = name
    ? await Promise.all([loadModule(() => import(`./pages/${name}.js`)), loadTexts(name)])
    : [{ default: NotFound }];
  components.value = { ...components.peek(), [page]: module.default };
}

function NotFound() {
  return html`
    <${Page} title=${t("Not found")}>
      <p>
        ${t("There is no such page.")} <a href=${to("")}>${t("Home")}</a>
      </p>
    <//>
  `;
}

async function start() {
  const container = /** @type {HTMLElement} */ (document.getElementById("app"));
  try {
    // Where the page is shown it is tried again, and that says why.
    const opening = load(route.peek().page).catch(() => undefined);
    const [isSignedIn] = await Promise.all([identify(), loadLanguage(), opening]);
    if (!isSignedIn) return;
    followClient();
    await followLanguage(me.peek().user.locale);
    const { workspace, auth } = me.peek();
    if (!workspace.timezoneChosen && isAdmin() && !auth.needsSecondFactor)
      await loadModule(() => import("./first-zone.js"))
        .then(({ takeZone }) => takeZone())
        .catch(toastProblem);
    render(html`<${Frame} />`, container);
    await answered();
    forgetBegun();
    // Before they are needed: by then the service may be away, or have been updated.
    Promise.all([loadSessionDialog(), loadWords()]).catch(toastProblem);
    workspaces.value = (await get("/workspaces", { limit: 100 })).data;
    // After what the page shows. Where it cannot be kept, or the service has gone, the console works without.
    loadOffline()
      .then(({ keepConsole }) => keepConsole())
      .catch(() => undefined);
  } catch (error) {
    const offline = await loadOffline().catch(() => null);
    if (await offline?.waitForService(container)) return location.reload();
    render(
      html`<div class="page">
        <${ProblemBox} problem=${error} onRetry=${() => location.reload()} />
      </div>`,
      container,
    );
  }
}

// Back shows a page as it was left, perhaps by whoever was signed in before.
addEventListener("pageshow", (event) => event.persisted && location.reload());
void start();
