// Something that is done with many posts, one call each: how far it is, what was refused, and what an
// interruption has left. It goes on while other pages are looked at; the tab keeps it over a reload.
import { signal } from "../html.js";
import { Problem } from "../api.js";
import { hasWork, workKey } from "../selection.js";
import { titleOf } from "../post-parts.js";
import { patient } from "../many.js";
import { issueSentence, sentencesOf } from "../words.js";
import { ACTIONS, wasDone } from "./many-actions.js";

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/** @typedef {import("./many-actions.js").Kind} Kind */
/**
 * @typedef {{
 *   id: string, title: string, status: string, version: number, scheduledAt: string | null,
 *   timezone: string, tags: string[], want?: string | string[], copyId?: string,
 *   state: "waiting" | "done" | "refused", refusal: [string, string]
 * }} Item `want`: what it is to be; `copyId`: the post that was made of it; `refusal`: why, and what to do
 */
/**
 * @typedef {{
 *   id: string, kind: Kind, isUndo: boolean, items: Item[], isRunning: boolean, isWaiting: boolean,
 *   problem: [string, string] | null
 * }} Run `problem`: what has interrupted it
 */

/** Calls under way at once. */
const LANES = 3;
const TITLE_MAX = 80;

export const run = signal(/** @type {Run | null} */ (read()));
let aborter = new AbortController();

/** @returns {Run | null} */
function read() {
  const stored = sessionStorage.getItem(workKey());
  return stored ? { ...JSON.parse(stored), isRunning: false, isWaiting: false } : null;
}

/** @param {Run | null} next */
function keep(next) {
  run.value = next;
  hasWork.value = Boolean(next);
  if (next) sessionStorage.setItem(workKey(), JSON.stringify(next));
  else sessionStorage.removeItem(workKey());
}

/** @param {Partial<Run>} change */
const update = (change) => run.value && keep({ ...run.value, ...change });

/** @param {Item} item @param {Partial<Item>} change */
function settle(item, change) {
  const items = run.value?.items.map((old) => (old.id === item.id ? { ...old, ...change } : old));
  update({ items });
}

/** @param {unknown} error @returns {[string, string]} what happened, and what to do */
function sentences(error) {
  const { happened, detail, todo } = sentencesOf(error);
  const [issue] = error instanceof Problem ? error.issues : [];
  return [issue ? issueSentence(issue) : [happened, detail].filter(Boolean).join(" "), todo];
}

/**
 * Begin. What is wanted of each post is settled now, so that nothing is done twice.
 * @param {Kind} kind @param {Post[]} posts @param {Record<string, string>} values
 */
export function start(kind, posts, values) {
  const action = ACTIONS[kind]();
  const items = posts.map((post, index) => {
    const { want, refusal } = action.prepare(post, values, index);
    const { id, status, version, scheduledAt, timezone, tags } = post;
    return /** @type {Item} */ ({
      ...{ id, status, version, scheduledAt, timezone, tags, want },
      title: titleOf(post).slice(0, TITLE_MAX),
      state: refusal ? "refused" : "waiting",
      refusal: refusal ?? ["", ""],
    });
  });
  const [id] = crypto.getRandomValues(new Uint32Array(1));
  keep({
    ...{ id: `${Date.now()}-${id}`, kind, items, isUndo: false },
    ...{ isRunning: false, isWaiting: false, problem: null },
  });
  return goOn();
}

/** Do what is left. */
export async function goOn() {
  const waiting = (run.value?.items ?? []).filter(({ state }) => state === "waiting");
  aborter = new AbortController();
  update({ isRunning: true, problem: null });
  const lane = async () => {
    for (let item = waiting.shift(); item && !aborter.signal.aborted; item = waiting.shift())
      await perform(item);
  };
  try {
    await Promise.all(Array.from({ length: LANES }, lane));
  } catch (error) {
    aborter.abort();
    update({ problem: sentences(error) });
  }
  update({ isRunning: false, isWaiting: false });
}

/** @param {Item} item */
async function perform(item) {
  const { id, kind, isUndo } = /** @type {Run} */ (run.value);
  const action = ACTIONS[kind]();
  const key = `many-${id}-${item.id}${isUndo ? "-undo" : ""}`;
  const act = async () => (isUndo ? void (await action.undo?.(item, key)) : action.act(item, key));
  const tell = (/** @type {boolean} */ isWaiting) => update({ isWaiting });
  try {
    const change = await patient(act, tell, aborter.signal);
    const { version = item.version, copyId } = change ?? {};
    settle(item, { version, copyId: copyId ?? item.copyId, state: "done" });
  } catch (error) {
    const isOfPost = error instanceof Problem && error.status >= 400 && error.status < 500;
    if (!isOfPost || error.status === 429) throw error;
    if (!isUndo && (await wasDone(error, kind, item))) settle(item, { state: "done" });
    else settle(item, { state: "refused", refusal: sentences(error) });
  }
}

/** Take back what was done. */
export function undo() {
  const done = (run.value?.items ?? []).filter(({ state }) => state === "done");
  update({ isUndo: true, items: done.map((item) => ({ ...item, state: "waiting" })) });
  return goOn();
}

/** End after what is under way. */
export const stop = () => aborter.abort();

/** Forget it. */
export const dismiss = () => keep(null);
