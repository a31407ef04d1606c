// What two people made of one draft, field by field.
import { contentOf, draftOf } from "../draft.js";
import { go } from "../router.js";
import { NOTHING, statusOf, textOf } from "./composer-kept.js";

/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("./composer-draft.js").Saving} Saving */
/** @typedef {import("./composer-kept.js").Base} Base */
/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/**
 * @typedef {{mine: Draft, theirs: Draft, conflicts: string[], changed: string[]}} Merged `mine`, `theirs`:
 * what both changed, the one way and the other; all else is as whoever changed it has it. `changed`: by
 * another
 */

/** The time of a post is its own when it is published at once or in a slot. */
const TIMES = new Set(["when", "at", "timezone", "queueId"]);

/** Without what only the page needs: previews of files, keys of rows. @param {unknown} value */
const text = (value) =>
  JSON.stringify(value ?? null, (_, member) => {
    if (!member || typeof member !== "object" || Array.isArray(member)) return member;
    const isFile = "mediaId" in member;
    const isRow = "key" in member && "media" in member;
    return Object.fromEntries(
      Object.entries(member)
        .filter(
          ([name]) => !(isFile && ["kind", "preview", "name"].includes(name)) && !(isRow && name === "key"),
        )
        .sort(),
    );
  });

/** @param {unknown} first @param {unknown} second */
const isSame = (first, second) => text(first) === text(second);

/**
 * What the service has may be what was sent from here, if the answer was lost; it may also write a field
 * another way, so what it has is compared with what it had, and what is here with what was sent.
 * @param {Draft} mine @param {Base} base @param {Draft} theirs what the service has now @returns {Merged}
 */
export function merge(mine, base, theirs) {
  const merged = { mine: { ...mine }, theirs: { ...mine } };
  const [conflicts, changed] = [/** @type {string[]} */ ([]), /** @type {string[]} */ ([])];
  const [here, there] = [contentOf(mine), contentOf(theirs)];
  for (const field of Object.keys(there)) {
    const isOurs = base.sending && isSame(there[field], base.sending[field]);
    if (isOurs || isSame(there[field], base.server[field]) || isSame(there[field], here[field])) continue;
    const value = { [field]: theirs[/** @type {keyof Draft} */ (field)] };
    changed.push(field);
    Object.assign(merged.theirs, value);
    if (isSame(here[field], base.sent[field])) Object.assign(merged.mine, value);
    else conflicts.push(field);
  }
  return { ...merged, conflicts, changed };
}

/** Whether the service has all that is here. @param {Draft} mine @param {Base} base @param {Draft} theirs */
function isDone(mine, base, theirs) {
  const [here, there] = [contentOf(mine), contentOf(theirs)];
  return Object.keys(there).every(
    (field) =>
      TIMES.has(field) ||
      isSame(here[field], there[field]) ||
      (isSame(here[field], base.sent[field]) && isSame(there[field], base.server[field])),
  );
}

/**
 * Bring together what was written here and what the service has: what only one changed is taken; what both
 * did is asked about.
 * @param {Saving} saver @param {Post | null} post null: it was deleted
 */
export function meet(saver, post) {
  const { draft, base } = saver;
  saver.problem = null;
  if (!post) saver.moved = { post };
  else if (statusOf(post) !== base.status) {
    if (!isDone(draft, base, draftOf(post))) saver.moved = { post };
    else {
      saver.end(); // it was sent, and the answer was lost
      if (saver.isOpen) go(`posts/${post.id}`, {}, { replace: true });
    }
  } else if (post.version !== draft.version) {
    const merged = merge(draft, base, draftOf(post));
    if (merged.conflicts.length) saver.conflict = { post };
    else {
      settle(saver, post, merged.mine);
      if (merged.changed.length) saver.news = { post, changed: merged.changed };
    }
  }
}

/**
 * Go on with this, on top of what the service has.
 * @param {Saving} saver @param {Post} post @param {Draft} draft
 */
export function settle(saver, post, draft) {
  saver.conflict = null;
  saver.receive(draft);
  saver.take(post);
  saver.savedText = textOf(draftOf(post));
  if (textOf(saver.draft) === saver.savedText) saver.drop();
  else saver.keepAll();
  saver.later();
  saver.render();
}

/** Go on as a draft of its own. @param {Saving} saver */
export function separate(saver) {
  saver.moved = null;
  saver.base = NOTHING;
  saver.draft = { ...saver.draft, id: "", version: 0, failed: false, hasTargets: false };
  saver.keepAll();
  return saver.save(true);
}
