// The frame: who is signed in, the navigation, and the page that the address names. Pages are loaded when
// they are needed.
import { html, render, signal, useEffect, useState } from "./html.js";
import { Problem, ROOT, anotherUser, get, online, sessionEnded, userId, workspaceId } from "./api.js";
import { Icon } from "./icons.js";
import { LANGUAGES, chooseLanguage, language, loadLanguage, loadTexts, t } from "./i18n.js";
import { KeyboardDialogs, showPalette } from "./keys.js";
import { route, to } from "./router.js";
import { chooseWorkspace, may, me, workspaces } from "./store.js";
import {
  Button,
  Dialog,
  Field,
  LinkButton,
  Page,
  ProblemBox,
  Skeleton,
  Toasts,
  toastProblem,
} from "./ui.js";

/**
 * Address -> module in `pages`, which exports its page as `default`: a component that receives `id`, `part`
 * and `query`.
 */
const PAGES = /** @type {Record<string, string>} */ ({
  "": "home",
  posts: "posts",
  compose: "composer",
  calendar: "calendar",
  media: "media",
  accounts: "accounts",
  analytics: "analytics",
  developers: "developers",
  team: "team",
  billing: "billing",
  support: "support",
  admin: "admin",
});

/** @returns {[string, string, string][]} */
const navigation = () => [
  ["", "home", t("Home")],
  ["calendar", "calendar", t("Calendar")],
  ["posts", "posts", t("Posts")],
  ["media", "media", t("Media")],
  ["accounts", "accounts", t("Accounts")],
  ["analytics", "analytics", t("Analytics")],
  ["developers", "developers", t("Developers")],
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

const drawer = signal(false);
const menu = signal(false);
const theme = signal(localStorage.getItem("theme") ?? "system");

/** @param {string} name */
function setTheme(name) {
  theme.value = name;
  localStorage.setItem("theme", name);
  document.documentElement.dataset.theme = name;
}
document.documentElement.dataset.theme = theme.peek();

function Frame() {
  const { page } = route.value;
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
      <a class="brand" href=${to("")}>
        Signalpost
      </a>
      <${LinkButton} href=${to("compose")} kind="primary" icon="compose">
        ${t("Write")}
      <//>
    </header>
    <aside class=${menu.value ? "side open" : "side"}>
      <${Side} page=${page} />
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
    <${Toasts} />
    <${KeyboardDialogs} />
    ${drawer.value && html`
      <${LazyDrawer}
        onClose=${() => {
          drawer.value = false;
        }}
      />
    `}
    ${anotherUser.value ? html`<${AnotherUser} />` : sessionEnded.value && html`<${SignInAgain} />`}
  `;
}

/** @param {{page: string}} props */
function Side({ page }) {
  const { user, workspace } = me.value;
  return html`
    <div class="side-head">
      <a class="brand" href=${to("")}>
        Signalpost
      </a>
      ${workspaces.value.length > 1 ? html`
        <select
          class="workspace"
          aria-label=${t("Workspace")}
          onChange=${(/** @type {any} */ event) => chooseWorkspace(event.currentTarget.value)}
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
        </a>
      `)}
    </nav>
    <div class="side-foot">
      <${Button} kind="quiet" icon="search" onClick=${showPalette}>
        ${t("Commands")}
        <kbd>Ctrl K</kbd>
      <//>
      <${Button}
        kind="quiet"
        icon="api"
        onClick=${() => {
          drawer.value = true;
        }}
      >
        ${t("API calls")}
      <//>
      <a class="button quiet" href=${`${ROOT}/docs`} target="_blank" rel="noopener">
        <${Icon} name="question" />
        <span>${t("Help and docs")}</span>
      </a>
      <div class="choices">
        <select
          aria-label=${t("Colours")}
          onChange=${(/** @type {any} */ event) => setTheme(event.currentTarget.value)}
        >
          ${[
            ["system", t("System")],
            ["light", t("Light")],
            ["dark", t("Dark")],
          ].map(([key, name]) => html`
            <option value=${key} selected=${key === theme.value}>
              ${name}
            </option>
          `)}
        </select>
        <select
          aria-label=${t("Language")}
          onChange=${(/** @type {any} */ event) => chooseLanguage(event.currentTarget.value)}
        >
          ${Object.entries(LANGUAGES).map(([key, name]) => html`
            <option value=${key} selected=${key === language.value}>
              ${name}
            </option>
          `)}
        </select>
      </div>
      <form method="post" action=${`${ROOT}/logout`} class="who">
        <span title=${user.email}>${user.name ?? user.email}</span>
        <button class="button quiet" aria-label=${t("Sign out")} title=${t("Sign out")}>
          <${Icon} name="logout" />
        </button>
      </form>
    </div>
  `;
}

/** The pages whose modules are loaded. */
const components = signal(/** @type {Record<string, any>} */ ({}));

/** The page of the address; its module is loaded at the first visit. */
function Current() {
  const { page, id, part, query } = route.value;
  const [failed, setFailed] = useState("\0");
  useEffect(() => {
    load(page).catch(() => setFailed(page));
  }, [page]);
  const component = components.value[page];
  if (!component && failed === page)
    return html`
      <div class="page">
        <${ProblemBox}
          problem=${t(
            "This page could not be loaded. A new version may have been installed: reload the page.",
          )}
          onRetry=${() => location.reload()}
        />
      </div>
    `;
  if (!component)
    return html`
      <div class="page">
        <${Skeleton} lines=${6} />
      </div>
    `;
  return html`<${component} key=${`${page}/${id}`} id=${id} part=${part} query=${query} />`;
}

/** @param {string} page */
async function load(page) {
  if (components.peek()[page]) return;
  const name = PAGES[page];
  const [module] = name
    ? await Promise.all([import(`./pages/${name}.js`), loadTexts(name)])
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

/** @param {{onClose: () => void}} props */
function LazyDrawer({ onClose }) {
  const [component, setComponent] = useState(/** @type {any} */ (null));
  useEffect(() => {
    import("./drawer.js").then((module) => setComponent(() => module.default), toastProblem);
  }, []);
  return component && html`<${component} onClose=${onClose} />`;
}

/**
 * The session has ended: sign in without leaving the page, here or with the provider in another tab; nothing
 * typed is lost.
 */
function SignInAgain() {
  const [fields, setFields] = useState({ email: me.value?.user.email ?? "", password: "", code: "" });
  const [message, setMessage] = useState("");
  const [provider, setProvider] = useState(/** @type {{label: string, url: string} | null} */ (null));
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) =>
    setFields({ ...fields, [name]: value });
  const look = async () => {
    if (document.hidden) return;
    const response = await fetch(`${ROOT}/api/v1/auth/me`, { headers: { "X-Console": "1" } });
    if (!response.ok) return;
    if ((await response.json()).user.id === me.peek().user.id) sessionEnded.value = false;
    else location.reload(); // someone else: nothing of the first person is sent for them
  };
  useEffect(() => {
    get("/auth/options").then((options) => setProvider(options.oidc), toastProblem);
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  const submit = async () => {
    const response = await fetch(`${ROOT}/login`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams(fields),
    });
    if (response.type === "opaqueredirect") await look();
    else setMessage(t("That is not right. Check e-mail, password and code."));
  };
  return html`
    <${Dialog}
      title=${t("Sign in again")}
      onClose=${() => location.reload()}
      onSubmit=${submit}
      actions=${
        html`<${Button} kind="primary" type="submit">
          ${t("Sign in")}
        <//>`
      }
    >
      <p>
        ${t("Your session has ended, or this needs your password once more. What you typed is still here.")}
      </p>
      ${provider && html`
        <p>
          <a class="button plain" href=${provider.url} target="_blank" rel="noopener">
            <${Icon} name="link" />
            <span>${t("Sign in with {name}", { name: provider.label })}</span>
          </a>
        </p>
        <p class="soft">
          ${t("It opens in another tab. Come back here afterwards; this page goes on by itself.")}
        </p>
      `}
      <${Field}
        label=${t("E-mail")}
        type="email"
        autocomplete="username"
        value=${fields.email}
        onInput=${set("email")}
      />
      <${Field}
        label=${t("Password")}
        type="password"
        autocomplete="current-password"
        value=${fields.password}
        onInput=${set("password")}
        error=${message}
        autofocus
      />
      <${Field}
        label=${t("Code")}
        hint=${t("Only with a second factor")}
        autocomplete="one-time-code"
        value=${fields.code}
        onInput=${set("code")}
      />
    <//>
  `;
}

/**
 * Someone else has signed in: nothing that this page does is for them, so it goes on as theirs only from the
 * beginning.
 */
function AnotherUser() {
  const reload = () => location.reload();
  return html`
    <${Dialog}
      title=${t("Someone else is signed in")}
      onClose=${reload}
      onSubmit=${reload}
      actions=${
        html`<${Button} kind="primary" type="submit">
          ${t("Reload the page")}
        <//>`
      }
    >
      <p>
        ${t(
          "In this browser another person has signed in since. What you did last was not done. What you typed is kept for you, until you sign in again.",
        )}
      </p>
    <//>
  `;
}

/** Who is signed in; without a session the browser goes to the form. @returns {Promise<boolean>} */
async function identify() {
  const chosen = workspaceId.peek();
  const response = await fetch(`${ROOT}/api/v1/auth/me`, {
    headers: { "X-Console": "1", ...(chosen ? { "X-Workspace-Id": chosen } : {}) },
  });
  if (response.status === 404 && chosen) {
    localStorage.removeItem("workspace"); // no longer a member there
    workspaceId.value = "";
    return identify();
  }
  if (response.status === 401) {
    location.replace(
      `${ROOT}/login?next=${encodeURIComponent(location.pathname.slice(ROOT.length) + location.search)}`,
    );
    return false;
  }
  const document = await response.json();
  if (!response.ok) throw new Problem(document, response.status);
  me.value = document;
  userId.value = document.user.id;
  workspaceId.value = document.workspace.id;
  return true;
}

async function start() {
  const container = /** @type {HTMLElement} */ (document.getElementById("app"));
  try {
    // Where the page is shown it is tried again, and that says why.
    const opening = load(route.peek().page).catch(() => undefined);
    const [isSignedIn] = await Promise.all([identify(), loadLanguage(), opening]);
    if (!isSignedIn) return;
    render(html`<${Frame} />`, container);
    workspaces.value = (await get("/workspaces", { limit: 100 })).data;
  } catch (error) {
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
