// What is being written, as the composer has it; from a post, and as a request.
import { wallTime } from "./time.js";

/** @typedef {(values: Partial<Draft>) => void} Change */
/** @typedef {(path: string) => string | undefined} ErrorAt what was refused at a field */
/** @typedef {Record<string, Record<string, unknown>>} Options of the networks, by platform and key */
/**
 * What an account has of its own, or a file and the composer does not show.
 * @typedef {{media?: File[], title?: string, options?: Record<string, unknown>} & Record<string, unknown>
 * } Own
 */
/** @typedef {{key: string, text: string, media: File[]}} Part a further post of a thread */
/** @typedef {import("signalpost/api").Schemas["RecurrenceIn"]} Repeat */
/**
 * @typedef {{
 *   mediaId: string, altText: string, kind: string, preview: string, name: string,
 *   own?: Record<string, unknown>,
 *   picture?: Pick<import("signalpost/api").Schemas["Media"], "width" | "height" | "focalPoint">
 * }} File
 * @typedef {{id: string, version: number, failed: boolean, hasTargets: boolean,
 *   profileId: string, text: string,
 *   variants: Record<string, string>, accountIds: string[], media: File[], options: Options,
 *   own: Record<string, Own>, thread: Part[], repeat: Repeat | null, isRepeatChanged: boolean,
 *   when: "now" | "slot" | "schedule", at: string, timezone: string, queueId: string, firstComment: string,
 * link: string, tags: string, title: string, campaign: string,
 * utm?: import("signalpost/api").Schemas["UtmIn"] | null}} Draft `utm`: undefined: what the client has
 */

/** @param {string} profileId @param {string} timezone @returns {Draft} */
export const emptyDraft = (profileId, timezone) => ({
  id: "",
  version: 0,
  failed: false,
  hasTargets: false,
  profileId,
  text: "",
  variants: {},
  accountIds: [],
  media: [],
  options: {},
  own: {},
  thread: [],
  repeat: null,
  isRepeatChanged: false,
  when: "now",
  at: "",
  timezone,
  queueId: "",
  firstComment: "",
  link: "",
  tags: "",
  title: "",
  campaign: "",
  utm: undefined,
});

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/** @param {Post} post @param {boolean} isCopy @returns {Draft} */
export function draftOf(post, isCopy = false) {
  const own = post.targets.filter((target) => target.text !== null && target.text !== post.text);
  return {
    id: isCopy ? "" : post.id,
    version: isCopy ? 0 : post.version,
    failed: !isCopy && post.status === "failed",
    hasTargets: !isCopy && post.targets.length > 0,
    profileId: post.profileId,
    text: post.text,
    variants: Object.fromEntries(own.map((target) => [target.accountId, target.text ?? ""])),
    accountIds: post.targets.map((target) => target.accountId),
    media: post.media.map(fileOf),
    options: post.options,
    own: Object.fromEntries(
      post.targets.map(({ accountId, title, media, scheduledAt, options }) => [
        accountId,
        filled({
          title,
          media: media && media.map(fileOf),
          options,
          scheduledAt: isCopy ? null : scheduledAt,
        }),
      ]),
    ),
    thread: post.thread.map(({ text, media }, index) => ({
      key: String(index),
      text,
      media: media.map(fileOf),
    })),
    repeat: isCopy ? null : /** @type {Repeat | null} */ (post.recurrence),
    isRepeatChanged: false,
    when:
      !isCopy && (post.publishMode === "schedule" || (post.publishMode === "draft" && post.scheduledAt))
        ? "schedule"
        : "now",
    at: post.scheduledAt && !isCopy ? wallTime(new Date(post.scheduledAt), post.timezone) : "",
    timezone: post.timezone,
    queueId: "",
    firstComment: post.firstComment ?? "",
    link: post.link ?? "",
    tags: post.tags.join(", "),
    title: post.title ?? "",
    campaign: post.campaign ?? "",
    utm: post.utm,
  };
}

/** @param {Post["media"][0]} media @returns {File} */
const fileOf = ({ mediaId, altText, ...others }) => ({
  mediaId,
  altText: altText ?? "",
  kind: "",
  preview: "",
  name: "",
  own: filled(others),
});

/**
 * What is sent of a file; a draft that an earlier version kept has some of it beside the rest.
 * @param {File} file
 */
function mediaOf(file) {
  const { mediaId, altText, own, ...others } = file;
  const fields = Object.entries(others).filter(
    ([name]) => !["kind", "preview", "name", "picture"].includes(name),
  );
  return { ...Object.fromEntries(fields), ...own, mediaId, ...(altText ? { altText } : {}) };
}

/** @param {Record<string, unknown>} values @returns {Own} */
const filled = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));

/**
 * The body of `POST /posts`, `PATCH /posts/{id}` and `POST /posts/validate`.
 * @param {Draft} draft
 * @param {"draft" | "send" | "check" | "text"} purpose `text`: of a post that failed, which is submitted
 * again after it
 */
export function bodyOf(draft, purpose) {
  const targets = draft.accountIds.map((accountId) => ({
    accountId,
    ...draft.own?.[accountId],
    ...(draft.own?.[accountId]?.media ? { media: draft.own[accountId].media?.map(mediaOf) } : {}),
    ...(draft.variants[accountId] === undefined ? {} : { text: draft.variants[accountId] }),
  }));
  const times = purpose === "text" ? {} : purpose === "draft" ? plannedOf(draft) : timesOf(draft);
  return {
    ...(draft.id && purpose !== "check" ? {} : { profileId: draft.profileId }),
    text: draft.text,
    ...(purpose !== "text" && (targets.length || draft.hasTargets) ? { targets } : {}),
    media: draft.media.map(mediaOf),
    options: draft.options ?? {}, // one that an earlier version of the console kept has none
    thread: (draft.thread ?? []).map(({ text, media }) => ({ text, media: media.map(mediaOf) })),
    ...repeatOf(draft, purpose),
    title: draft.title || null,
    link: draft.link || null,
    firstComment: draft.firstComment || null,
    campaign: draft.campaign || null,
    ...(draft.utm === undefined ? {} : { utm: draft.utm }),
    tags: draft.tags
      .split(",")
      .map((tag) => tag.trim())
      .filter(Boolean),
    ...times,
  };
}

/**
 * A rule that stays as it is is not sent: what waits by it would be made again.
 * @param {Draft} draft @param {"draft" | "send" | "check" | "text"} purpose
 */
function repeatOf(draft, purpose) {
  const repeat = draft.when === "schedule" ? (draft.repeat ?? null) : null;
  if (purpose === "check") return repeat ? { recurrence: repeat } : {};
  if (purpose === "text" || (draft.id ? !draft.isRepeatChanged : !repeat)) return {};
  return { recurrence: repeat };
}

/** The time for which a draft is meant, if there is one. @param {Draft} draft */
const plannedOf = ({ when, at, timezone }) => ({
  publishMode: "draft",
  ...(when === "schedule" && at ? { scheduledAt: at, timezone } : { scheduledAt: null }),
});

/** @param {Draft} draft */
function timesOf(draft) {
  if (draft.when === "slot")
    return { publishMode: "slot", ...(draft.queueId ? { queueId: draft.queueId } : {}) };
  return draft.when === "schedule"
    ? { publishMode: "schedule", scheduledAt: draft.at, timezone: draft.timezone }
    : { publishMode: "now" };
}

/** @typedef {Record<string, unknown>} Content what of a draft a person decides, by the names of its fields */
export const OF_THE_POST = new Set(["id", "version", "failed", "hasTargets", "isRepeatChanged"]);

/** @param {Draft} draft @returns {Content} */
export function contentOf(draft) {
  const content = Object.fromEntries(Object.entries(draft).filter(([field]) => !OF_THE_POST.has(field)));
  const media = draft.media.map(({ mediaId, altText, own = {} }) => ({ mediaId, altText, own }));
  return { ...content, media };
}

/** Whether there is anything to save. @param {Draft} draft */
export const isEmpty = (draft) =>
  ![draft.text, ...Object.values(draft.variants), draft.firstComment, draft.link, draft.tags].some((text) =>
    text.trim(),
  ) && !(draft.title || draft.campaign || draft.media.length || draft.thread?.length);
