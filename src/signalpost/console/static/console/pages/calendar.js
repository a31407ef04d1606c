// The calendar: posts at their times in the zone of the workspace or profile, by month, week, day or as a
// list.
import { html, useEffect, useMemo, useRef, useState } from "../html.js";
import { get } from "../api.js";
import { t, tn } from "../i18n.js";
import { useLoad, useMedia } from "../hooks.js";
import { useCommands } from "../keys.js";
import { useLive } from "../live.js";
import { filter, go } from "../router.js";
import { chosen, hasWork, selectionKeys, useSelection } from "../selection.js";
import { loadBasics, loadPlatforms, may, profiles, workspaceZone } from "../store.js";
import { stylesheet } from "../stylesheet.js";
import { wallTime, zoneLabel } from "../time.js";
import { addDays, addMonths, dateOf, dayStart } from "../zones.js";
import { mayEdit } from "../rights.js";
import { lazy, lazyDialog } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { Page } from "../components/page.js";
import { usePictures } from "../pictures.js";
import { Bar, Filters, VIEWS, Views } from "./calendar-bar.js";
import {
  WEEKS,
  freeSlots,
  inOrder,
  load,
  loadAll,
  placed,
  range,
  useCurrent,
  useMoves,
} from "./calendar-data.js";
import { PostDialog, isChoosing, movable, inView, pictureOf } from "./calendar-post.js";

const Drafts = lazyDialog(() => import("./calendar-drafts.js"));
const ManyBar = lazyDialog(() => import("./many-bar.js"));

await Promise.all([stylesheet("print.css"), stylesheet("pages/calendar.css")]);

const LIVE_SECONDS = 15;
/** On a phone: grids are lists there. */
const NARROW = "(max-width: 47rem)";

const modules = /** @type {Record<string, () => Promise<{default: unknown}>>} */ ({
  weeks: () => import("./calendar-month.js"),
  month: () => import("./calendar-month.js"),
  week: () => import("./calendar-week.js"),
  day: () => import("./calendar-day.js"),
  list: () => import("./calendar-agenda.js"),
});
const views = Object.fromEntries(Object.entries(modules).map(([name, module]) => [name, lazy(module)]));

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */

/** @param {{query: Record<string, string>}} props */
export default function Calendar({ query }) {
  const basics = useLoad(() => Promise.all([loadBasics(), loadPlatforms()]), []);
  return html`
    <${Loaded} loaded=${basics} lines=${8}>
      ${() => html`<${Shown} query=${query} />`}
    <//>
  `;
}

/**
 * The posts and free slots of these days, as they are now.
 * @param {ReturnType<typeof placeOf>} place
 * @param {boolean} isPlan whether free slots are shown, too
 */
function useDays({ view, viewName, first, last, zone, filters }, isPlan) {
  const { profileId, platform } = filters;
  const [isPrinting, setPrinting] = useState(false);
  const inputs = [view, first, last, zone, isPrinting, ...Object.values(filters)];
  const loaded = useLoad(async () => {
    const [data] = await Promise.all([
      load(view, first, last, zone, filters, isPrinting),
      modules[viewName](),
    ]);
    return data;
  }, inputs);
  const slots = useLoad(
    async () => (isPlan ? freeSlots(first, last, zone, profileId) : { slots: [], left: 0 }),
    [isPlan, first, last, zone, profileId],
  );
  const hasHints = isPlan && viewName !== "list" && may("analytics:read");
  const best = useLoad(
    async () =>
      hasHints
        ? get("/analytics/best-times", { timezone: zone, profileId, platform }, { quiet: true })
        : null,
    [hasHints, zone, profileId, platform],
  );
  useLive(loaded.reload, { seconds: LIVE_SECONDS, active: !(/** @type {any} */ (loaded.data)?.hasMore) });
  const { moved, move } = useMoves(loaded);
  const isCurrent = useCurrent(loaded, inputs);
  const data = isCurrent ? loaded.data : undefined;
  const days = useMemo(() => placed(data, moved, zone), [data, moved, zone]);
  const posts = useMemo(() => inOrder(data, days), [data, days]);
  inView.current = posts;
  usePictures(posts.map(pictureOf), profileId);
  useSelection(posts, inputs);
  useEffect(() => () => void (isChoosing.value = false), []);
  useEffect(() => {
    if (!isPrinting || !data) return undefined;
    const frame = requestAnimationFrame(() => {
      print();
      setPrinting(false);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPrinting, data]);
  const plan = { days, isPrinting, slots: slots.data?.slots ?? [], best: best.data ?? null };
  return { loaded, slots, moved, move, isCurrent, data, posts, plan, setPrinting };
}

/** @param {{query: Record<string, string>}} props */
function Shown({ query }) {
  const isNarrow = useMedia(NARROW);
  const place = placeOf(query, isNarrow);
  const { view, viewName, date, zone, filters } = place;
  const { profileId, status, tag } = filters;
  const canWrite = may("posts:write");
  const isPlan = canWrite && !status && !tag && view !== "list" && may("profiles:read");
  const shownDays = useDays(place, isPlan);
  const { loaded, slots, moved, move, isCurrent, data, posts } = shownDays;
  const [opened, setOpened] = useState(/** @type {Post | null} */ (null));
  const focused = useRef("");
  const { show, step, create } = stepsOf(place);
  useKeys({ ...place, profileId, focused, show, step, create: canWrite ? create : null });
  const shared = {
    ...place,
    ...shownDays.plan,
    open: setOpened,
    onCreate: canWrite ? create : null,
    focused,
    show,
    drop: (/** @type {Post} */ post, /** @type {Date} */ at) => void move(post, at, zone),
  };
  const wasFilled = useRef(false);
  wasFilled.current ||= Boolean(data);
  // Days are drawn before their posts are there, but not the first time: the rows would grow as they arrive.
  const drawn = data ?? (wasFilled.current && !loaded.problem ? {} : undefined);
  const View = views[viewName];
  return html`
    <${Page}
      wide
      title=${t("Calendar")}
      subtitle=${t("Times of {zone}", { zone: zoneLabel(zone, dayStart(date, zone)) })}
      actions=${html`<${Views} view=${view} show=${show} />`}
    >
      <${Bar}
        ...${place}
        hasDrafts=${Boolean(query.drafts)}
        print=${() => shownDays.setPrinting(true)}
        step=${step}
        show=${show}
        busy=${loaded.loading && !isCurrent}
      />
      <${Filters} filters=${filters} />
      <${QueuesLeft} count=${slots.data?.left ?? 0} />
      ${(chosen.value.size > 0 || hasWork.value) && html`
        <${ManyBar} visible=${posts} loadAll=${() => loadAll(place)} reload=${loaded.reload} />
      `}
      <div class=${query.drafts ? "calendar-beside" : ""}>
        ${query.drafts && html`
          <${Drafts} profileId=${profileId} open=${setOpened} onClose=${() => show({ drafts: "" })} />
        `}
        <div class="calendar-main">
          <${Loaded} loaded=${{ ...loaded, data: drawn }} lines=${10}>
            ${() => html`
              <${View}
                ...${shared}
                page=${view === "list" || view === "day" ? data : undefined}
                setPage=${loaded.setData}
                moved=${moved}
              />
            `}
          <//>
        </div>
      </div>
      <${Opened} post=${opened} zone=${zone} move=${move} onClose=${() => setOpened(null)} />
    <//>
  `;
}

/**
 * What is looked at: the view, its days, the zone, the filters.
 * @param {Record<string, string>} query
 * @param {boolean} isNarrow
 */
function placeOf(query, isNarrow) {
  const { profileId = "", accountId = "", platform = "", status = "", tag = "" } = query;
  const zone =
    profiles.value?.find((candidate) => candidate.id === profileId)?.timezone ?? workspaceZone.value;
  const view = query.view in VIEWS() ? query.view : isNarrow ? "list" : "weeks";
  const today = dateOf(new Date(), zone);
  const date = isDate(query.date) ? query.date : today;
  const [first, last] = range(view, date);
  const filters = { profileId, accountId, platform, status, tag };
  const viewName = isNarrow && view !== "day" ? "list" : view;
  return { view, viewName, first, last, date, today, zone, filters };
}

/** How many days are one step. @type {Record<string, number>} */
const STEPS = { weeks: 7 * WEEKS, week: 7, list: 7, day: 1 };
/** The keys of the views. @type {Record<string, string>} */
const VIEW_KEYS = { weeks: "5", month: "m", week: "w", day: "d", list: "l" };

/** The ways to other days, and to a new post. @param {ReturnType<typeof placeOf>} place */
function stepsOf({ view, date, zone, filters: { profileId } }) {
  const show = (/** @type {Record<string, string>} */ change) => filter({ view, date, ...change });
  const step = (/** @type {number} */ by) =>
    show({
      date: view === "month" ? addMonths(`${date.slice(0, 8)}01`, by) : addDays(date, by * STEPS[view]),
    });
  const create = (/** @type {string} */ wall) =>
    go("compose", { at: later(wall, zone), timezone: zone, profileId });
  return { show, step, create };
}

/** @param {string} id */
const focusOn = (id) => requestAnimationFrame(() => document.getElementById(`entry-${id}`)?.focus());

/** @param {string | undefined} text */
const isDate = (text) =>
  /^20\d\d-\d\d-\d\d$/.test(text ?? "") && !Number.isNaN(Date.parse(`${text}T00:00Z`));

/** This wall time, or the next full hour if it has passed. @param {string} wall @param {string} zone */
function later(wall, zone) {
  const next = wallTime(new Date(Math.ceil((Date.now() + 60_000) / 3_600_000) * 3_600_000), zone);
  return wall > next ? wall : next;
}

/**
 * @param {{
 *   view: string, date: string, today: string, zone: string, profileId: string, focused: {current: string},
 *   show: (change: Record<string, string>) => void, step: (by: number) => void,
 *   create: ((wall: string) => void) | null
 * }} props
 */
function useKeys({ view, date, today, zone, profileId, focused, show, step, create }) {
  useCommands(
    [
      { keys: "t", name: t("Today"), run: () => show({ date: today }) },
      ...Object.entries(VIEWS()).map(([key, name]) => ({
        keys: VIEW_KEYS[key],
        name,
        run: () => show({ view: key }),
      })),
      ...(create
        ? [
            {
              keys: "n",
              name: t("Write a post for this day"),
              run: () => create(focused.current || `${date}T09:00`),
            },
          ]
        : []),
      { keys: "ArrowLeft", name: t("Earlier"), run: () => step(-1) },
      { keys: "ArrowRight", name: t("Later"), run: () => step(1) },
      ...selectionKeys(inView),
    ],
    [view, date, zone, profileId, Boolean(create)],
  );
}

/** @param {{count: number}} props */
const QueuesLeft = ({ count }) =>
  count > 0 && html`
    <p class="soft small">
      ${tn(
        count,
        "Free slots of {n} more queue are not shown: choose a client.",
        "Free slots of {n} more queues are not shown: choose a client.",
      )}
    </p>
  `;

/**
 * The post that was opened; the focus is on it again when it has been moved.
 * @param {{
 *   post: Post | null, zone: string, onClose: () => void,
 *   move: (post: Post, at: Date, zone: string, isSchedule: boolean) => Promise<void>
 * }} props
 */
function Opened({ post, zone, move, onClose }) {
  const onMove = (/** @type {Date} */ at, /** @type {boolean} */ isSchedule) => {
    onClose();
    if (post) void move(post, at, zone, isSchedule).then(() => focusOn(post.id));
  };
  if (!post) return null;
  const mayMove = movable(post) && (may("posts:publish") || mayEdit(post));
  return html`
    <${PostDialog} post=${post} zone=${zone} onClose=${onClose} onMove=${mayMove ? onMove : null} />
  `;
}
