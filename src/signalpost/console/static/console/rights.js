// What the role of whoever is signed in allows beyond its scopes: buttons follow from it, and the service
// decides again. The table of roles in the reference says the same.
import { may, me } from "./store.js";

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */

/** @param {string[]} roles */
const is = (...roles) => roles.includes(me.value?.role);

/** Whether the role manages the workspace, its clients and what others made. */
export const isAdmin = () => is("owner", "admin");
/** Whether the role approves and rejects posts. */
export const mayDecide = () => is("owner", "admin", "approver");

/** @param {{type: string, id: string | null} | null} actor who made it */
export const isMine = (actor) => actor?.type === "user" && actor.id === me.value?.user.id;

const OPEN = new Set(["pending", "rejected", "changes_requested"]);

/**
 * Whether the role changes this post: a contributor only own drafts, and what waits for approval.
 * @param {Post} post
 */
export const mayEdit = (post) =>
  may("posts:write") &&
  (may("posts:publish") ||
    (isMine(post.createdBy) && (post.status === "draft" || OPEN.has(post.approval.state))));

/** Whether the role deletes it for good, or from the networks: an editor only own ones. @param {Post} post */
export const mayPurge = (post) => isAdmin() || (may("posts:publish") && isMine(post.createdBy));

/** Whether the role deletes this file. @param {import("signalpost/api").Schemas["Media"]} media */
export const mayDeleteFile = (media) => may("media:write") && (isAdmin() || isMine(media.createdBy));

/** Whether programs are something of this person: keys, webhooks, and what a page calls. */
export const isDeveloper = () => may("keys:write") || may("webhooks:read");
