// The client whose posts, accounts and files the pages show. The address says it, so that a link, a reload
// and the way back show the same; this browser keeps it, so that the page that is opened next begins with it.
import { effect, signal } from "./html.js";
import { userId, workspaceId } from "./api.js";
import { toast } from "./components/toasts.js";
import { t } from "./i18n.js";
import { filter, route } from "./router.js";
import { me, profiles } from "./store.js";

/** The pages that list something of a client; others are about the workspace, or about one thing. */
const PAGES = new Set([
  "",
  "posts",
  "approvals",
  "calendar",
  "queues",
  "feeds",
  "inbox",
  "media",
  "accounts",
  "analytics",
  "trash",
]);

/** The id of the client that was chosen; "" for all of them. */
export const client = signal("");

/** What stands for no choice: who sees some clients only has no more than these. */
export const allClients = () => (me.value.profileIds === null ? t("All clients") : t("All my clients"));

/** @param {typeof route.value} place */
const isOfClient = ({ page, id, part }) => PAGES.has(page) && !part && !id.includes("_");

const key = () => `client:${userId.peek()}:${workspaceId.peek()}`;

/** @param {string} id */
function keep(id) {
  client.value = id;
  if (id) localStorage.setItem(key(), id);
  else localStorage.removeItem(key());
}

/**
 * Choose a client, or all. An account by which the address filters was of the other one.
 * @param {string} id
 */
export function chooseClient(id) {
  keep(id);
  if (isOfClient(route.peek())) filter({ profileId: id, accountId: "" });
}

/**
 * Begin with the client that was chosen last, once it is known who is signed in. An address that names a
 * client wins, and chooses it; one that names none gets the name, before its page asks for anything.
 */
export function followClient() {
  client.value = localStorage.getItem(key()) ?? "";
  effect(() => {
    const { query } = route.value;
    if (!isOfClient(route.value)) return;
    if (query.profileId) keep(query.profileId);
    else if (client.peek()) filter({ profileId: client.peek() });
  });
  effect(() => {
    if (!isGone()) return;
    chooseClient("");
    toast(t("The client that you had chosen is not there any more. You see all of them."));
  });
}

/** Whether the client that was chosen is there no longer, or is not for this person. */
function isGone() {
  const visible = profiles.value;
  return (
    Boolean(client.value && visible && !visible.cut) && !visible?.some(({ id }) => id === client.value)
  );
}
