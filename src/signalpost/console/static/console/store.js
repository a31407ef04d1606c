// What many pages need: who is signed in, profiles, accounts, networks. Loaded once, and again after a
// change.
import { computed, signal } from "./html.js";
import { Problem, ROOT, all, get, userId, workspaceId } from "./api.js";
import { takeBegun } from "./begin.js";

/** @typedef {import("signalpost/api").Schemas["Me"]} Me */
/** @typedef {import("signalpost/api").Schemas["Platform"]} Platform */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */
/** @typedef {import("signalpost/api").Schemas["Profile"]} Profile */
/** @typedef {import("signalpost/api").Schemas["Workspace"]} Workspace */
/** @type {import("./vendor/signals.js").Signal<Me>} */
export const me = signal(/** @type {any} */ (null)); // pages are shown when it is there
export const workspaces = signal(/** @type {Workspace[]} */ ([]));
export const profiles = signal(/** @type {(Profile[] & {cut?: boolean}) | null} */ (null));
/** Those whose work goes on: what is written is for one of them. */
export const activeProfiles = computed(() =>
  (profiles.value ?? []).filter(({ archivedAt }) => !archivedAt),
);
export const accounts = signal(/** @type {PlatformAccount[] | null} */ (null));
export const platforms = signal(/** @type {Platform[] | null} */ (null));

const scopes = computed(() => new Set(me.value?.auth.scopes ?? []));
/** Whether the role allows it; the server decides again. @param {string} scope */
export const may = (scope) => scopes.value.has(scope);
/** The zone of the workspace: it plans and counts days in it. */
export const workspaceZone = computed(() => me.value?.workspace.timezone ?? "UTC");
/** In what people who chose none of their own are. */
export const NO_ZONE = "UTC";
/** The zone in which times are shown: the person's own, or that of the workspace. */
export const zone = computed(() => {
  const own = me.value?.user.timezone ?? NO_ZONE;
  return own === NO_ZONE ? workspaceZone.value : own;
});

export async function reloadMe() {
  me.value = await get("/auth/me");
}

/**
 * Have it run once at a time and once in all, unless asked `again`: several parts of a page need the same.
 * @param {() => Promise<void>} load
 */
function shared(load) {
  /** @type {Promise<void> | null} */
  let running = null;
  return (again = false) => {
    if (again) running = null;
    running ??= load().catch((problem) => {
      running = null;
      throw problem;
    });
    return running;
  };
}

export const loadProfiles = shared(async () => {
  profiles.value = await all("/profiles");
});
const loadAccounts = shared(async () => {
  accounts.value = await all("/platforms/accounts/all");
});
export const loadBasics = (again = false) => Promise.all([loadProfiles(again), loadAccounts(again)]);
/**
 * Read accounts again: those of a client, or all.
 * @param {string | undefined} profileId
 * @returns {Promise<PlatformAccount[] & {cut?: boolean}>}
 */
export async function accountsOf(profileId) {
  const [own] = await Promise.all([
    profileId ? all("/platforms/accounts", { profileId }) : null,
    loadBasics(true),
  ]);
  return own ?? accounts.peek() ?? [];
}
export const loadPlatforms = shared(async () => {
  platforms.value = (await get("/platforms")).data;
});

/** @param {string} id @param {string} [page] with what follows it in the address */
export function chooseWorkspace(id, page = "") {
  localStorage.setItem("workspace", id);
  location.assign(`${ROOT}/console${page}`);
}

/** @param {string} id */
export const accountOf = (id) => accounts.value?.find((account) => account.id === id);
/** Networks that spell their names unlike their keys, for pages that do not read `/platforms`. */
const NAMES = /** @type {Record<string, string>} */ ({
  devto: "DEV",
  google_business: "Google Business Profile",
  linkedin: "LinkedIn",
  tiktok: "TikTok",
  wordpress: "WordPress",
  youtube: "YouTube",
});
/** @param {string} key */
export const networkName = (key) =>
  platforms.value?.find((platform) => platform.platform === key)?.name ??
  NAMES[key] ??
  key.charAt(0).toUpperCase() + key.slice(1);

/** Who is signed in; without a session the browser goes to the form. @returns {Promise<boolean>} */
export async function identify() {
  const chosen = workspaceId.peek();
  const ask = () =>
    fetch(`${ROOT}/api/v1/auth/me`, {
      headers: { "X-Console": "1", ...(chosen ? { "X-Workspace-Id": chosen } : {}) },
    });
  const response = await (takeBegun("/auth/me") ?? ask());
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
