// What can be done with many posts: for which of them, by which call, how a lost answer is heard again, and
// how it is taken back.
import { Problem, get, patch, post as send, remove } from "../api.js";
import { t, tn } from "../i18n.js";
import { accounts } from "../store.js";
import { wallTime } from "../time.js";
import { addDays, resolve } from "../zones.js";

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/** @typedef {import("./many-run.js").Item} Item */
/** @typedef {Record<string, string>} Values what the person chose */
/** @typedef {{want?: Item["want"], refusal?: [string, string]}} Prepared */
/**
 * @typedef {{
 *   doing: string, done: (count: number) => string,
 *   prepare: (post: Post, values: Values, index: number) => Prepared,
 *   act: (item: Item, key: string) => Promise<Partial<Item>>,
 *   isDone?: (post: Post, item: Item) => boolean,
 *   undo?: (item: Item, key: string) => Promise<unknown>
 * }} Action
 */

const MINUTE_MS = 60_000;
const match = (/** @type {number | undefined} */ version) => ({ headers: { "If-Match": `"${version}"` } });

/** When a post is or was due. @param {Post} post */
export const momentOf = (post) => post.scheduledAt ?? post.publishedAt ?? post.createdAt;

/**
 * The time to which a post is moved. By days, its wall time stays, also where clocks change.
 * @param {Post} post @param {Values} values @param {number} index
 */
function timeFor(post, values, index) {
  if (values.to) {
    const between = index * Number(values.between || 0) * MINUTE_MS;
    return new Date(resolve(values.to, values.zone).getTime() + between).toISOString();
  }
  const sign = values.way === "earlier" ? -1 : 1;
  const wall = wallTime(new Date(post.scheduledAt ?? ""), post.timezone);
  const day = addDays(wall.slice(0, 10), sign * Number(values.days || 0));
  const minutes = Number(values.hours || 0) * 60 + Number(values.minutes || 0);
  const at = new Date(post.scheduledAt ?? "");
  const moved = Number(values.days) ? resolve(`${day}${wall.slice(10)}`, post.timezone) : at;
  return new Date(moved.getTime() + sign * minutes * MINUTE_MS).toISOString();
}

/**
 * A draft stays one: nothing goes out because it was planned.
 * @param {Item} item @param {string | null} at
 */
const retime = (item, at) =>
  patch(
    `/posts/${item.id}`,
    {
      scheduledAt: at,
      timezone: item.timezone,
      ...(item.status === "draft" ? { publishMode: "draft" } : {}),
    },
    match(item.version),
  );

/** @returns {Action} */
const moveAction = () => ({
  doing: t("Moving"),
  done: (count) => tn(count, "{n} post was moved.", "{n} posts were moved."),
  prepare(post, values, index) {
    if (!["draft", "scheduled"].includes(post.status))
      return {
        refusal: [
          t("It does not wait for a time: only drafts and scheduled posts are moved."),
          t("Open it to see how far it is."),
        ],
      };
    if (!values.to && !post.scheduledAt)
      return {
        refusal: [t("It has no time from which it could be moved."), t("Move it to a time instead.")],
      };
    return { want: timeFor(post, values, index) };
  },
  act: async (item) => ({ version: (await retime(item, String(item.want))).version }),
  isDone: (post, item) =>
    Boolean(post.scheduledAt) && Date.parse(post.scheduledAt ?? "") === Date.parse(String(item.want)),
  undo: (item) => retime(item, item.scheduledAt),
});

/** @param {string} text */
export const tagsOf = (text) => [
  ...new Set(
    text
      .split(",")
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
];

/** @returns {Action} */
const tagAction = () => ({
  doing: t("Tagging"),
  done: (count) => tn(count, "{n} post was tagged.", "{n} posts were tagged."),
  prepare(post, values) {
    const named = tagsOf(values.tags);
    const others = post.tags.filter((tag) => !named.includes(tag));
    return { want: values.way === "remove" ? others : [...others, ...named] };
  },
  act: async (item) => ({
    version: (await patch(`/posts/${item.id}`, { tags: item.want }, match(item.version))).version,
  }),
  isDone: (post, item) => JSON.stringify(post.tags) === JSON.stringify(item.want),
  undo: (item) => patch(`/posts/${item.id}`, { tags: item.tags }, match(item.version)),
});

/** @returns {Action} */
const askAction = () => ({
  doing: t("Asking for approval"),
  done: (count) => tn(count, "{n} post waits for approval.", "{n} posts wait for approval."),
  prepare(post) {
    if (post.approval.state === "pending")
      return { refusal: [t("It waits for approval already."), t("Nothing has to be done.")] };
    if (post.status !== "draft")
      return {
        refusal: [
          t("Only a draft can be offered for approval, and it is none."),
          t("Take it off the queue first, if it still waits there."),
        ],
      };
    return {};
  },
  act: async (item, key) => ({
    version: (await send(`/posts/${item.id}/request-approval`, { version: item.version }, { key })).version,
  }),
  isDone: (post) => post.approval.state === "pending",
});

/** @returns {Action} */
const approveAction = () => ({
  doing: t("Approving"),
  done: (count) => tn(count, "{n} post is approved.", "{n} posts are approved."),
  prepare: (post) =>
    post.approval.state === "pending"
      ? {}
      : { refusal: [t("Nobody has asked for its approval."), t("Ask for it first.")] },
  act: async (item, key) => ({
    version: (await send(`/posts/${item.id}/approve`, { version: item.version }, { key })).version,
  }),
  isDone: (post) => post.approval.state === "approved",
});

/** @returns {Action} */
const copyAction = () => ({
  doing: t("Duplicating"),
  done: (count) => tn(count, "{n} draft was made.", "{n} drafts were made."),
  prepare: (_, values) => ({ want: values.profileId }),
  async act(item, key) {
    const { targets, scheduledAt, media, ...post } = await get(`/posts/${item.id}`, {}, { quiet: true });
    const { text, title, link, firstComment, tags, campaign, notes, thread, options, timezone } = post;
    const networks = new Set(targets.map(({ platform }) => platform));
    const own = (accounts.peek() ?? []).filter(
      ({ profileId, platform }) => profileId === item.want && networks.has(platform),
    );
    const isAhead = Boolean(scheduledAt) && Date.parse(scheduledAt ?? "") > Date.now();
    const copy = await send(
      "/posts",
      {
        ...{ text, title, link, firstComment, tags, campaign, notes, thread, options },
        profileId: String(item.want),
        publishMode: "draft",
        targets: own.map(({ id }) => ({ accountId: id })),
        media: media.map(({ mediaId, altText }) => ({ mediaId, altText })),
        ...(isAhead ? { scheduledAt, timezone } : {}),
      },
      { key },
    );
    return { copyId: copy.id };
  },
  undo: (item) => remove(`/posts/${item.copyId}`),
});

/** @returns {Action} */
const trashAction = () => ({
  doing: t("Deleting"),
  done: (count) => tn(count, "{n} post is in the trash.", "{n} posts are in the trash."),
  prepare: () => ({}),
  act: (item) => remove(`/posts/${item.id}`, match(item.version)).then(() => ({})),
  undo: (item, key) => send(`/posts/${item.id}/restore`, {}, { key }),
});

/** @typedef {"move" | "tag" | "ask" | "approve" | "copy" | "trash"} Kind */
export const ACTIONS = /** @type {Record<Kind, () => Action>} */ ({
  move: moveAction,
  tag: tagAction,
  ask: askAction,
  approve: approveAction,
  copy: copyAction,
  trash: trashAction,
});

const LOST = new Set(["version_conflict", "invalid_state", "not_found"]);

/**
 * Whether a refusal only says that it was done before: the answer to the first try was lost.
 * @param {unknown} error @param {Kind} kind @param {Item} item
 */
export async function wasDone(error, kind, item) {
  if (!(error instanceof Problem) || !LOST.has(error.code)) return false;
  try {
    const post = await get(`/posts/${item.id}`, {}, { quiet: true });
    return ACTIONS[kind]().isDone?.(post, item) ?? false;
  } catch (problem) {
    return kind === "trash" && problem instanceof Problem && problem.status === 404;
  }
}
