// The calendar: posts at their times in the zone of the workspace or profile, by month, week, day or as a
// list.
import { html, useEffect, useMemo, useRef, useState } from "../html.js";
import { all, get, patch } from "../api.js";
import { t, tn } from "../i18n.js";
import { useCommands } from "../keys.js";
import { useLive } from "../live.js";
import { filter, go } from "../router.js";
import {
  accounts,
  loadBasics,
  loadPlatforms,
  may,
  networkName,
  platforms,
  profiles,
  zone as workspaceZone,
} from "../store.js";
import { dateTime, wallTime, zoneLabel } from "../time.js";
import { useLoad } from "../hooks.js";
import { Button } from "../components/button.js";
import { Field } from "../components/field.js";
import { Loaded } from "../components/loaded.js";
import { Page } from "../components/page.js";
import { toast, toastProblem } from "../components/toasts.js";
import { addDays, addMonths, dateOf, dayName, dayStart, weekStart } from "../zones.js";
import { PostDialog, movable, momentOf } from "./calendar-post.js";
import { Agenda, Day, Month, Week } from "./calendar-views.js";

/** @typedef {{date: string, total: number, posts: any[]}} CalendarDay */
/** @typedef {{at: string, localTime: string, queue: any}} FreeSlot */
const QUEUES_MAX = 8;
const SLOTS_MAX = 100;
const LIVE_SECONDS = 15;
const VIEWS = /** @type {() => Record<string, string>} */ (
  () => ({ month: t("Month"), week: t("Week"), day: t("Day"), list: t("List") })
);
const STATUSES = /** @type {() => [string, string][]} */ (
  () => [
    ["", t("All states")],
    ["draft", t("Draft")],
    ["scheduled", t("Scheduled")],
    ["queued", t("Queued")],
    ["publishing", t("Publishing")],
    ["published", t("Published")],
    ["partial", t("Partly published")],
    ["failed", t("Failed")],
  ]
);
const narrow = matchMedia("(max-width: 47rem)");

/** Whether the screen is that of a phone: grids are lists there. */
function useNarrow() {
  const [is, setIs] = useState(narrow.matches);
  useEffect(() => {
    const changed = () => setIs(narrow.matches);
    narrow.addEventListener("change", changed);
    return () => narrow.removeEventListener("change", changed);
  }, []);
  return is;
}

/**
 * The days that are shown, first and last.
 * @param {string} view
 * @param {string} date
 * @returns {[string, string]}
 */
function range(view, date) {
  if (view === "day" || view === "list") return [date, date];
  if (view === "week") return [weekStart(date), addDays(weekStart(date), 6)];
  const first = weekStart(`${date.slice(0, 8)}01`);
  const last = addDays(weekStart(addDays(addMonths(`${date.slice(0, 8)}01`, 1), -1)), 6);
  return [first, last];
}

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
 * What is asked of the service.
 * @param {string} view
 * @param {string} first
 * @param {string} last
 * @param {string} zone
 * @param {Record<string, string>} filters
 */
async function load(view, first, last, zone, filters) {
  if (view === "month" || view === "week")
    return get("/posts/calendar", {
      startDate: first,
      endDate: last,
      timezone: zone,
      perDay: view === "month" ? 4 : 20,
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

/**
 * The free slots of these days.
 * @param {string} first
 * @param {string} last
 * @param {string} zone
 * @param {string} profileId
 * @returns {Promise<{slots: FreeSlot[], left: number}>}
 */
async function freeSlots(first, last, zone, profileId) {
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
function useMoves(loaded) {
  const [moved, setMoved] = useState(/** @type {Record<string, string>} */ ({}));
  const settle = (/** @type {string} */ id) =>
    setMoved((/** @type {Record<string, string>} */ old) =>
      Object.fromEntries(Object.entries(old).filter(([key]) => key !== id)),
    );
  const send = async (/** @type {any} */ post, /** @type {string} */ at) => {
    setMoved((/** @type {Record<string, string>} */ old) => ({ ...old, [post.id]: at }));
    try {
      const saved = await patch(
        `/posts/${post.id}`,
        { scheduledAt: at, timezone: post.timezone },
        { headers: { "If-Match": `"${post.version}"` } },
      );
      await loaded.reload();
      return saved;
    } catch (error) {
      toastProblem(error);
      await loaded.reload();
      return null;
    } finally {
      settle(post.id);
    }
  };
  const move = async (/** @type {any} */ post, /** @type {Date} */ at, /** @type {string} */ zone) => {
    if (momentOf(post) === at.toISOString()) return;
    const saved = await send(post, at.toISOString());
    if (saved)
      toast(t("Moved to {time}.", { time: dateTime(saved.scheduledAt ?? "", zone) }), {
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
function placed(data, moved, zone) {
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

/** @param {{query: Record<string, string>}} props */
function Shown({ query }) {
  const isNarrow = useNarrow();
  const { profileId = "", accountId = "", platform = "", status = "", tag = "" } = query;
  const zone =
    profiles.value?.find((candidate) => candidate.id === profileId)?.timezone ?? workspaceZone.value;
  const view = query.view in VIEWS() ? query.view : isNarrow ? "list" : "month";
  const today = dateOf(new Date(), zone);
  const date = isDate(query.date) ? query.date : today;
  const [first, last] = range(view, date);
  const filters = { profileId, accountId, platform, status, tag };
  const inputs = [view, first, last, zone, ...Object.values(filters)];
  const loaded = useLoad(() => load(view, first, last, zone, filters), inputs);
  const canWrite = may("posts:write");
  const isPlan = canWrite && !status && !tag && view !== "list" && may("profiles:read");
  const slots = useLoad(
    async () => (isPlan ? freeSlots(first, last, zone, profileId) : { slots: [], left: 0 }),
    [isPlan, first, last, zone, profileId],
  );
  useLive(loaded.reload, { seconds: LIVE_SECONDS, active: !(/** @type {any} */ (loaded.data)?.hasMore) });
  const { moved, move } = useMoves(loaded);
  const [opened, setOpened] = useState(/** @type {any} */ (null));
  const focused = useRef("");
  const isCurrent = useCurrent(loaded, inputs);
  const data = isCurrent ? loaded.data : undefined;
  const days = useMemo(() => placed(data, moved, zone), [data, moved, zone]);

  const show = (/** @type {Record<string, string>} */ change) => filter({ view, date, ...change });
  const step = (/** @type {number} */ by) =>
    show({
      date:
        view === "month"
          ? addMonths(`${date.slice(0, 8)}01`, by)
          : addDays(date, by * (view === "week" || view === "list" ? 7 : 1)),
    });
  const create = (/** @type {string} */ wall) =>
    canWrite && go("compose", { at: later(wall, zone), timezone: zone, profileId });
  useCommands(
    [
      { keys: "t", name: t("Today"), run: () => show({ date: today }) },
      ...Object.entries(VIEWS()).map(([key, name]) => ({
        keys: key[0],
        name,
        run: () => show({ view: key }),
      })),
      ...(canWrite
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
    ],
    [view, date, zone, profileId, canWrite],
  );

  const shared = {
    days,
    first,
    last,
    date,
    today,
    zone,
    slots: slots.data?.slots ?? [],
    open: setOpened,
    onCreate: canWrite ? create : null,
    focused,
    show,
    drop: (/** @type {any} */ post, /** @type {Date} */ at) => void move(post, at, zone),
  };
  const View =
    view === "list" ? Agenda : view === "day" ? Day : isNarrow ? Agenda : view === "week" ? Week : Month;
  return html`
    <${Page}
      wide
      title=${t("Calendar")}
      subtitle=${t("Times of {zone}", { zone: zoneLabel(zone, dayStart(date, zone)) })}
      actions=${html`<${Views} view=${view} show=${show} />`}
    >
      <${Bar}
        view=${view}
        date=${date}
        first=${first}
        last=${last}
        today=${today}
        step=${step}
        show=${show}
        busy=${loaded.loading && !isCurrent}
      />
      <${Filters} filters=${filters} />
      ${slots.data?.left > 0 && html`
        <p class="soft small">
          ${tn(
            slots.data.left,
            "Free slots of {n} more queue are not shown: choose a profile.",
            "Free slots of {n} more queues are not shown: choose a profile.",
          )}
        </p>
      `}
      <${Loaded} loaded=${{ ...loaded, data: loaded.problem ? data : (data ?? {}) }} lines=${10}>
        ${() => html`
          <${View}
            ...${shared}
            page=${view === "list" || view === "day" ? data : undefined}
            setPage=${loaded.setData}
            moved=${moved}
          />
        `}
      <//>
      ${opened && html`
        <${PostDialog}
          post=${opened}
          zone=${zone}
          onClose=${() => setOpened(null)}
          onMove=${
            movable(opened) && may("posts:publish")
              ? (/** @type {Date} */ at) => {
                  setOpened(null);
                  void move(opened, at, zone).then(() => focusOn(opened.id));
                }
              : null
          }
        />
      `}
    <//>
  `;
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
 * Whether what is loaded is what is asked for now, and not what was shown before.
 * @param {any} loaded
 * @param {any[]} inputs
 */
function useCurrent(loaded, inputs) {
  const key = JSON.stringify(inputs);
  const of = useRef({ data: /** @type {any} */ (undefined), key: "" });
  if (loaded.data !== of.current.data && !loaded.loading) of.current = { data: loaded.data, key };
  return of.current.key === key;
}

/** @param {{view: string, show: (change: Record<string, string>) => void}} props */
const Views = ({ view, show }) => html`
  <div class="segmented calendar-view" role="group" aria-label=${t("View")}>
    ${Object.entries(VIEWS()).map(([key, name]) => html`
      <${Button}
        kind="quiet"
        key=${key}
        aria-pressed=${key === view ? "true" : "false"}
        onClick=${() => show({ view: key })}
      >
        ${name}
      <//>
    `)}
  </div>
`;

/** What is shown, and the way to other days. @param {any} props */
function Bar({ view, date, first, last, today, step, show, busy }) {
  const title =
    view === "month"
      ? dayName(date, { month: "long", year: "numeric" })
      : view === "week"
        ? [
            dayName(first, { day: "numeric", month: "short" }),
            dayName(last, { day: "numeric", month: "short", year: "numeric" }),
          ].join(" – ")
        : view === "day"
          ? dayName(date, { weekday: "long", day: "numeric", month: "long", year: "numeric" })
          : t("From {day} on", {
              day: dayName(date, { weekday: "short", day: "numeric", month: "short", year: "numeric" }),
            });
  return html`
    <div class="calendar-bar">
      <${Button}
        onClick=${() => show({ date: today })}
        aria-disabled=${date === today ? "true" : undefined}
      >
        ${t("Today")}
      <//>
      <${Button} kind="quiet" icon="back" aria-label=${t("Earlier")} onClick=${() => step(-1)} />
      <${Button} kind="quiet" icon="next" aria-label=${t("Later")} onClick=${() => step(1)} />
      <h2 aria-live="polite">${title}</h2>
      ${busy && html`<span class="spinner" role="status" aria-label=${t("Loading")} />`}
    </div>
  `;
}

/** @param {{filters: Record<string, string>}} props */
function Filters({ filters }) {
  const count = Object.values(filters).filter(Boolean).length;
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) => filter({ [name]: value });
  const choices = (accounts.value ?? []).filter(
    (account) => !filters.profileId || account.profileId === filters.profileId,
  );
  return html`
    <details class="calendar-filters" open=${count > 0}>
      <summary>${count ? tn(count, "{n} filter", "{n} filters") : t("Filters")}</summary>
      <form
        class="row filters"
        role="search"
        onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}
      >
        ${(profiles.value?.length ?? 0) > 1 && html`
          <${Field}
            label=${t("Profile")}
            options=${[
              ["", t("All profiles")],
              ...(profiles.value ?? []).map((profile) => [profile.id, profile.name]),
            ]}
            value=${filters.profileId}
            onInput=${(/** @type {string} */ value) => filter({ profileId: value, accountId: "" })}
          />
        `}
        <${Field}
          label=${t("Account")}
          options=${[
            ["", t("All accounts")],
            ...choices.map((account) => [
              account.id,
              `${account.username} · ${networkName(account.platform)}`,
            ]),
          ]}
          value=${filters.accountId}
          onInput=${set("accountId")}
        />
        <${Field}
          label=${t("Network")}
          options=${[
            ["", t("All networks")],
            ...(platforms.value ?? []).map((network) => [network.platform, network.name]),
          ]}
          value=${filters.platform}
          onInput=${set("platform")}
        />
        <${Field}
          label=${t("State")}
          options=${STATUSES()}
          value=${filters.status}
          onInput=${set("status")}
        />
        <${TagField} value=${filters.tag} />
        ${count > 0 && html`
          <${Button}
            kind="quiet"
            icon="close"
            onClick=${() => filter({ profileId: "", accountId: "", platform: "", status: "", tag: "" })}
          >
            ${t("Clear the filters")}
          <//>
        `}
      </form>
    </details>
  `;
}

/** @param {{value: string}} props */
function TagField({ value }) {
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  const set = (/** @type {string} */ typed) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => filter({ tag: typed.trim() }), 400);
  };
  return html`<${Field} label=${t("Tag")} type="search" value=${value} maxlength="100" onInput=${set} />`;
}
