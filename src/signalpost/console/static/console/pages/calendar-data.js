// What the calendar shows: posts and free slots of its days, and moving a post to another time.
import { useRef, useState } from "../html.js";
import { all, get, patch } from "../api.js";
import { t } from "../i18n.js";
import { dateTime } from "../time.js";
import { addDays, addMonths, dateOf, dayStart, weekStart } from "../zones.js";
import { toast, toastProblem } from "../components/toasts.js";
import { drafts, momentOf } from "./calendar-post.js";

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/** @typedef {{date: string, total: number, posts: Post[]}} CalendarDay */
/** @typedef {{at: string, localTime: string, queue: import("signalpost/api").Rows<"/queues">[0]}} FreeSlot */
/** How many weeks are planned at a time, this one included. */
export const WEEKS = 5;

/**
 * The days that are shown, first and last.
 * @param {string} view
 * @param {string} date
 * @returns {[string, string]}
 */
export function range(view, date) {
  if (view === "day" || view === "list") return [date, date];
  if (view === "week") return [weekStart(date), addDays(weekStart(date), 6)];
  if (view === "weeks") return [weekStart(date), addDays(weekStart(date), 7 * WEEKS - 1)];
  const first = weekStart(`${date.slice(0, 8)}01`);
  const last = addDays(weekStart(addDays(addMonths(`${date.slice(0, 8)}01`, 1), -1)), 6);
  return [first, last];
}

/**
 * What is asked of the service.
 * @param {string} view
 * @param {string} first
 * @param {string} last
 * @param {string} zone
 * @param {Record<string, string>} filters
 * @param {boolean} isWhole whether more of each day is needed than a grid shows
 */
export async function load(view, first, last, zone, filters, isWhole) {
  if (view !== "day" && view !== "list")
    return get("/posts/calendar", {
      startDate: first,
      endDate: last,
      timezone: zone,
      perDay: view === "week" || isWhole ? 20 : 4,
      ...filters,
    });
  const to = view === "day" ? dayStart(addDays(last, 1), zone).toISOString() : undefined;
  const query = {
    from: dayStart(first, zone).toISOString(),
    to,
    sort: "scheduledAt",
    limit: 50,
    ...filters,
  };
  const [page, counted] = await Promise.all([
    get("/posts", query),
    view === "day"
      ? get("/posts/calendar", { startDate: first, endDate: last, timezone: zone, perDay: 0, ...filters })
      : null,
  ]);
  return { ...page, query, total: counted?.days[0].total };
}

/** What can be chosen at once, beyond what is shown. */
const CHOSEN_MAX = 1_000;

/**
 * All posts of the days that are shown; of a list those from its first day on.
 * @param {{view: string, first: string, last: string, zone: string, filters: Record<string, string>}} place
 */
export const loadAll = ({ view, first, last, zone, filters }) =>
  all(
    "/posts",
    {
      from: dayStart(first, zone).toISOString(),
      to: view === "list" ? undefined : dayStart(addDays(last, 1), zone).toISOString(),
      sort: "scheduledAt",
      ...filters,
    },
    CHOSEN_MAX,
  );

/**
 * The posts that are shown, in the order of time.
 * @param {{data?: Post[], days?: unknown} | undefined} data of a list or a day
 * @param {Map<string, CalendarDay>} days
 */
export const inOrder = (data, days) =>
  [...(data?.data ?? [...days.values()].flatMap(({ posts }) => posts))].sort((a, b) =>
    momentOf(a).localeCompare(momentOf(b)),
  );

/**
 * The free slots of these days.
 * @param {string} first
 * @param {string} last
 * @param {string} zone
 * @param {string} profileId
 * @returns {Promise<{slots: FreeSlot[], left: number}>}
 */
export async function freeSlots(first, last, zone, profileId) {
  const end = dayStart(addDays(last, 1), zone).toISOString();
  if (end <= new Date().toISOString()) return { slots: [], left: 0 };
  const queues = (await all("/queues", { profileId })).filter((queue) => queue.active);
  const asking = queues.slice(0, QUEUES_MAX);
  const slotsByQueue = await Promise.all(
    asking.map(async (queue) => {
      const { slots } = await get(
        `/queues/${queue.id}/slots`,
        { from: dayStart(first, zone).toISOString(), count: SLOTS_MAX },
        { quiet: true },
      );
      return slots.filter((slot) => slot.free && slot.at < end).map((slot) => ({ ...slot, queue }));
    }),
  );
  return {
    slots: slotsByQueue.flat().sort((a, b) => a.at.localeCompare(b.at)),
    left: queues.length - asking.length,
  };
}

/**
 * Posts that are moved stand at their new times at once, and go back if that is refused.
 * @param {any} loaded
 */
export function useMoves(loaded) {
  const [moved, setMoved] = useState(/** @type {Record<string, string>} */ ({}));
  const settle = (/** @type {string} */ id) =>
    setMoved((/** @type {Record<string, string>} */ old) =>
      Object.fromEntries(Object.entries(old).filter(([key]) => key !== id)),
    );
  /** @param {Post} post @param {string | null} at @param {boolean} [isSchedule] */
  const send = async (post, at, isSchedule) => {
    if (at) setMoved((/** @type {Record<string, string>} */ old) => ({ ...old, [post.id]: at }));
    try {
      const saved = await patch(
        `/posts/${post.id}`,
        // A draft stays one: nothing goes out because it was planned.
        {
          scheduledAt: at,
          timezone: post.timezone,
          ...(post.status === "draft" && !isSchedule ? { publishMode: "draft" } : {}),
        },
        { headers: { "If-Match": `"${post.version}"` } },
      );
      await Promise.all([loaded.reload(), drafts.reload()]);
      return saved;
    } catch (error) {
      toastProblem(error);
      await loaded.reload();
      return null;
    } finally {
      settle(post.id);
    }
  };
  /** @param {Post} post @param {Date} at @param {string} zone @param {boolean} [isSchedule] */
  const move = async (post, at, zone, isSchedule = false) => {
    if (post.scheduledAt && Date.parse(post.scheduledAt) === at.getTime() && !isSchedule) return;
    const saved = await send(post, at.toISOString(), isSchedule);
    if (!saved) return;
    const time = dateTime(saved.scheduledAt ?? "", zone);
    if (isSchedule) toast(t("Scheduled for {time}.", { time }));
    else
      toast(t("Moved to {time}.", { time }), {
        undo: () => void send(saved, post.scheduledAt).then((back) => back && toast(t("Moved back."))),
      });
  };
  return { moved, move };
}

/**
 * The posts of each day, those that are being moved at their new times.
 * @param {any} data
 * @param {Record<string, string>} moved
 * @param {string} zone
 * @returns {Map<string, CalendarDay>}
 */
export function placed(data, moved, zone) {
  const days = new Map(
    /** @type {CalendarDay[]} */ (data?.days ?? []).map((day) => [
      day.date,
      { ...day, posts: [...day.posts] },
    ]),
  );
  for (const day of [...days.values()]) {
    for (const post of [...day.posts].filter((entry) => moved[entry.id])) {
      day.posts = day.posts.filter((entry) => entry !== post);
      day.total -= 1;
      const target = days.get(dateOf(new Date(moved[post.id]), zone));
      if (!target) continue;
      target.posts = [...target.posts, { ...post, scheduledAt: moved[post.id] }].sort((a, b) =>
        momentOf(a).localeCompare(momentOf(b)),
      );
      target.total += 1;
    }
  }
  return days;
}

/**
 * Whether what is loaded is what is asked for now, and not what was shown before.
 * @param {any} loaded
 * @param {any[]} inputs
 */
export function useCurrent(loaded, inputs) {
  const key = JSON.stringify(inputs);
  const of = useRef({ data: /** @type {any} */ (undefined), key: "" });
  if (loaded.data !== of.current.data && !loaded.loading) of.current = { data: loaded.data, key };
  return of.current.key === key;
}

const QUEUES_MAX = 8;
const SLOTS_MAX = 100;
