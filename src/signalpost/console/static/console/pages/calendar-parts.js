// What the views of the calendar are made of: a grid with its cells, posts and free slots in their order.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../html.js";
import { Icon } from "../icons.js";
import { t, tn } from "../i18n.js";
import { to } from "../router.js";
import { wallTime } from "../time.js";
import { addDays, dayName } from "../zones.js";
import { Entry, dragged, momentOf, timeOf } from "./calendar-post.js";

/** @typedef {PostList & {query: Record<string, unknown>}} Listed with what it was asked by */
/** @typedef {import("signalpost/api").Schemas["PostList"]} PostList */
/** @typedef {import("../html.js").Children} Children */

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/** @typedef {import("signalpost/api").Schemas["BestTimes"]} BestTimes */

/** @typedef {import("./calendar-data.js").CalendarDay} CalendarDay */
/** @typedef {import("./calendar-data.js").FreeSlot} FreeSlot */

/**
 * @typedef {{view: string, isPrinting: boolean,
 *   days: Map<string, CalendarDay>, first: string, last: string, date: string, today: string,
 *   zone: string, slots: FreeSlot[], best: BestTimes | null, filters: {profileId: string},
 *   open: (post: Post) => void, onCreate: ((wall: string) => void) | null,
 *   focused: {current: string}, show: (change: Record<string, string>) => void,
 *   drop: (post: Post, at: Date) => void,
 *   page?: any, setPage: (page: any) => void, moved: Record<string, string>}} ViewProps
 */

/** @param {string} first @param {string} last */
export const datesOf = (first, last) => {
  const dates = [];
  for (let date = first; date <= last; date = addDays(date, 1)) dates.push(date);
  return dates;
};

export const LONG = /** @type {Intl.DateTimeFormatOptions} */ ({
  weekday: "long",
  day: "numeric",
  month: "long",
});

/**
 * The cells of a grid: one of them is in the order of the Tab key, the arrow keys lead to the others, Enter
 * writes a post there.
 * @param {{
 *   label: string, columns: number, focused: {current: string}, onCreate: ((wall: string) => void) | null,
 *   children: unknown, start: string, step: (by: number) => void
 * }} props
 */
export function Grid({ label, columns, focused, onCreate, children, start, step }) {
  const table = useRef(/** @type {HTMLTableElement | null} */ (null));
  const [, redraw] = useState(0);
  const next = useRef("");
  const cells = () =>
    /** @type {HTMLElement[]} */ ([...(table.current?.querySelectorAll("[data-wall]") ?? [])]);
  useEffect(() => {
    if (!next.current) return;
    const at = next.current === "first" ? 0 : cells().length - 1;
    next.current = "";
    cells()[at]?.focus();
  }, [start]);
  const onFocus = (/** @type {FocusEvent} */ event) => {
    const cell = event.target instanceof Element ? event.target.closest("[data-wall]") : null;
    if (!(cell instanceof HTMLElement) || focused.current === cell.dataset.wall) return;
    focused.current = cell.dataset.wall ?? "";
    redraw((/** @type {number} */ count) => count + 1);
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.shiftKey) return; // chooses posts
    const mirror = document.documentElement.dir === "rtl" ? -1 : 1;
    const by = { ArrowRight: mirror, ArrowLeft: -mirror, ArrowDown: columns, ArrowUp: -columns }[event.key];
    const all = cells();
    const cell = event.target instanceof Element ? event.target.closest("[data-wall]") : null;
    const index = all.indexOf(/** @type {HTMLElement} */ (cell));
    if (index < 0) return;
    if (event.key === "Enter" && event.target === cell)
      onCreate?.(/** @type {HTMLElement} */ (cell).dataset.wall ?? "");
    else if (by === undefined) return;
    else if (all[index + by]) all[index + by].focus();
    else {
      next.current = by > 0 ? "first" : "last";
      step(Math.sign(by));
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return html`
    <table
      role="grid"
      class="calendar-grid"
      aria-label=${label}
      ref=${table}
      onFocusIn=${onFocus}
      onKeyDown=${onKey}
    >
      ${children}
    </table>
  `;
}

/**
 * A place in the grid: what stands there, and where a post can be dropped or written.
 * @param {{
 *   wall: string, label: string, isFirst: boolean, kind: string, focused: {current: string},
 *   onCreate: ((wall: string) => void) | null, onDrop: (post: Post) => void, children?: Children
 * }} props
 */
export function Cell({ wall, label, isFirst, kind, focused, onCreate, onDrop, children }) {
  const [over, setOver] = useState(false);
  const drop = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    setOver(false);
    if (dragged.post) onDrop(dragged.post);
  };
  const allow = (/** @type {DragEvent} */ event) => {
    if (!dragged.post) return;
    event.preventDefault();
    setOver(true);
  };
  const isActive = focused.current ? focused.current === wall : isFirst;
  return html`
    <td
      role="gridcell"
      data-wall=${wall}
      tabindex=${isActive ? "0" : "-1"}
      class=${`${kind}${over ? " over" : ""}${onCreate ? " free" : ""}`}
      onDragOver=${allow}
      onDragLeave=${() => setOver(false)}
      onDrop=${drop}
      onClick=${(/** @type {MouseEvent} */ event) =>
        event.target instanceof Element && !event.target.closest("a, button") && onCreate?.(wall)
      }
    >
      <span class="hidden">${label}</span>
      ${children}
    </td>
  `;
}

/** The hour at which days begin that are not today. */
export const MORNING = 7;

/**
 * The hours of days, of which those from `opening` on are in view at first.
 * @param {{start: string, opening: number, isThere: boolean, children?: Children}} props
 */
export function Hours({ start, opening, isThere, children }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    const row = box.current?.querySelector(`[data-hour="${Math.max(0, opening)}"]`);
    if (!(row instanceof HTMLElement) || !box.current) return;
    const head = box.current.querySelector("thead");
    box.current.scrollTop = row.offsetTop - (head?.offsetHeight ?? 0);
  }, [start, isThere]);
  return html`
    <div class="calendar-hours" ref=${box}>
      ${children}
    </div>
  `;
}

/** A free time of a queue. @param {{slot: FreeSlot, zone: string}} props */
export const Slot = ({ slot, zone }) => html`
  <a
    class="slot"
    href=${to("compose", {
      at: wallTime(new Date(slot.at), zone),
      timezone: zone,
      profileId: slot.queue.profileId,
    })}
    title=${t("Free slot of {queue}", { queue: slot.queue.name })}
  >
    <span class="entry-time">${timeOf(slot.at, zone)}</span>
    <span class="entry-title">${slot.queue.name}</span>
    <span class="hidden">${t("free slot")}</span>
  </a>
`;

/** How sure it is that an hour is good. @param {BestTimes} best */
const hintOf = (best) => {
  if (best.basis === "defaults") return t("Usually a good hour");
  return best.confidence === "low" ? t("Perhaps a good hour") : t("Your posts do well at this hour");
};

/**
 * The best hour of a day, or this hour if it is good: it leads to a post at that time.
 * @param {{
 *   best: BestTimes | null, place: string, posts: Post[], zone: string, filters: {profileId: string}
 * }} props `place`: a day or an hour, as wall time
 */
export function GoodHour({ best, place, posts, zone, filters: { profileId } }) {
  const day = (new Date(`${place.slice(0, 10)}T00:00Z`).getUTCDay() + 6) % 7;
  const now = wallTime(new Date(), zone);
  const taken = posts.map((post) => wallTime(new Date(momentOf(post)), zone).slice(0, 13));
  const wall = best?.recommended
    .filter(({ dayOfWeek }) => dayOfWeek === day)
    .map(({ hour }) => `${place.slice(0, 10)}T${String(hour).padStart(2, "0")}:00`)
    .find((at) => at > now && at.startsWith(place) && !taken.includes(at.slice(0, 13)));
  if (!best || !wall) return null;
  return html`
    <a
      class="good-hour"
      href=${to("compose", { at: wall, timezone: zone, profileId })}
      title=${hintOf(best)}
    >
      <${Icon} name="star" /> ${timeOf(`${wall}Z`, "UTC")}
      <span class="hidden">${hintOf(best)}</span>
    </a>
  `;
}

/**
 * The free slots at whose time no post of the profile stands already.
 * @param {FreeSlot[]} slots
 * @param {Post[]} posts
 */
export function openSlots(slots, posts) {
  const taken = new Set(posts.map((post) => `${post.profileId} ${momentOf(post)}`));
  return slots.filter((slot) => !taken.has(`${slot.queue.profileId} ${slot.at}`));
}

/**
 * Posts and free slots in the order of their times.
 * @param {{
 *   posts: Post[], slots: FreeSlot[], zone: string, open: (post: Post) => void, isBig?: boolean
 * }} props
 */
export function Entries({ posts, slots, zone, open, isBig }) {
  const rows = [
    ...posts.map((post) => ({
      at: momentOf(post),
      row: html`<${Entry} key=${post.id} post=${post} zone=${zone} open=${open} isBig=${isBig} />`,
    })),
    ...slots.map((slot) => ({
      at: slot.at,
      row: html`<${Slot} key=${`${slot.queue.id}${slot.at}`} slot=${slot} zone=${zone} />`,
    })),
  ];
  return rows.sort((a, b) => a.at.localeCompare(b.at)).map(({ row }) => row);
}

/** @param {string} date @param {CalendarDay | undefined} day */
export const cellLabel = (date, day) =>
  `${dayName(date, LONG)}: ${tn(day?.total ?? 0, "{n} post", "{n} posts")}`;
