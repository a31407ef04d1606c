// What is being written, kept in the browser until the service has it: texts only, no tokens, of each person
// and workspace apart. Each draft has an id of its own here, which the entry of the history knows, so that a
// page that is loaded again finds its own.
import { Problem, get, newKey, userId, workspaceId } from "../api.js";
import { bodyOf, contentOf, draftOf } from "../draft.js";

/** @typedef {import("../draft.js").Content} Content */
/** @typedef {import("../draft.js").Draft} Draft */
/**
 * What the service has, and what is under way.
 * @typedef {{
 *   status: string, profileId: string, sent: Content, server: Content, sending: Content | null,
 *   creating: Creating | null, replaces: string
 * }} Base `sent`: what was sent last, `server`: what the service made of it; `sending`: what it may have by
 * now; `replaces`: the post of another client in whose place this one comes
 */
/** @typedef {{key: string, body: Record<string, unknown>, draft: Draft}} Creating */
/** @typedef {{keptId: string, draft: Draft, base: Base | null, at: number}} KeptDraft */
/** @typedef {import("signalpost/api").Schemas["Post"]} Post */

export const place = () => `${userId.peek()}:${workspaceId.peek()}:`;
/** @param {string} keptId */
export const keyOf = (keptId) => `draft:${place()}${keptId}`;
/** @param {string} keptId */
const baseKey = (keptId) => `draft-base:${place()}${keptId}`;
export const newKeptId = () => newKey().slice("console-".length);

/** @param {string} key */
function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null; // of another version of the console
  }
}

/** @param {string} keptId @returns {KeptDraft | null} */
export function readDraft(keptId) {
  const value = read(keyOf(keptId));
  if (!value) return null;
  const { draft = value, at = 0 } = value; // an earlier version of the console kept the draft alone
  return { keptId, draft, base: read(baseKey(keptId)), at };
}

/** All of them, the latest first. @returns {KeptDraft[]} */
export function allKept() {
  const start = keyOf("");
  return Object.keys(localStorage)
    .flatMap((key) => (key.startsWith(start) ? (readDraft(key.slice(start.length)) ?? []) : []))
    .sort((first, second) => second.at - first.at);
}

/**
 * Returns false if the browser has no room left.
 * @param {string} keptId @param {Draft} draft @param {Base} [base] if it has changed
 */
export function keep(keptId, draft, base) {
  try {
    if (base) localStorage.setItem(baseKey(keptId), JSON.stringify(base));
    localStorage.setItem(keyOf(keptId), JSON.stringify({ draft, at: Date.now() }));
    return true;
  } catch {
    return false;
  }
}

/** @param {string} keptId */
export function forget(keptId) {
  localStorage.removeItem(keyOf(keptId));
  localStorage.removeItem(baseKey(keptId));
}

/** Whether it may be saved while it is written: nobody else waits for what it says. @param {Post} post */
export const statusOf = (post) =>
  post.status === "draft" && post.approval.state === "pending" ? "pending" : post.status;

/** What the service has of a post. @param {Post} post @returns {Base} */
export function baseOf(post) {
  const content = contentOf(draftOf(post));
  return { ...NOTHING, status: statusOf(post), profileId: post.profileId, sent: content, server: content };
}

/** @type {Base} */
export const NOTHING = {
  status: "draft",
  profileId: "",
  sent: {},
  server: {},
  sending: null,
  creating: null,
  replaces: "",
};

/** What would be saved. @param {Draft} draft */
export const textOf = (draft) =>
  draft.profileId + JSON.stringify(bodyOf({ ...draft, id: "saved", hasTargets: true }, "draft"));

/** A post as it is now; null: there is none. @param {string} id @returns {Promise<Post | null>} */
export const newest = (id) =>
  get(`/posts/${id}`, {}, { quiet: true }).catch((error) => {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  });

/** @param {unknown} error */
export const isOffline = (error) => error instanceof Problem && error.code === "offline";

/** Whether it is worth trying again by itself. @param {unknown} error */
export const isPassing = (error) =>
  error instanceof Problem &&
  (isOffline(error) || error.code === "idempotency_in_progress" || [429, 503].includes(error.status));
