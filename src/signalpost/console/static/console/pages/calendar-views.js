// The views of the calendar: grids of a month and a week, the hours of a day, and lists.
import { html, useEffect, useRef, useState } from "../html.js";
import { get, curlOf } from "../api.js";
import { Icon } from "../icons.js";
import { number, t, tn } from "../i18n.js";
import { to } from "../router.js";
import { zoneLabel, wallTime } from "../time.js";
import { useAction } from "../hooks.js";
import { Button, LinkButton } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { Skeleton } from "../components/loaded.js";
import { addDays, dateOf, dayName, hoursOf, resolve } from "../zones.js";
import { Entry, dragged, momentOf, timeOf } from "./calendar-post.js";

/** @typedef {import("./calendar.js").CalendarDay} CalendarDay */
/** @typedef {import("./calendar.js").FreeSlot} FreeSlot */
/**
 * @typedef {{days: Map<string, CalendarDay>, first: string, last: string, date: string, today: string,
 *   zone: string, slots: FreeSlot[], open: (post: any) => void, onCreate: ((wall: string) => void) | null,
 *   focused: {current: string}, show: (change: Record<string, string>) => void,
 *   drop: (post: any, at: Date) => void,
 *   page?: any, setPage: (page: any) => void, moved: Record<string, string>}} ViewProps
 */
const MONTH_SHOWN = 3;
const HOURS = [7, 20];

/** @param {string} first @param {string} last */
const datesOf = (first, last) => {
  const dates = [];
  for (let date = first; date <= last; date = addDays(date, 1)) dates.push(date);
  return dates;
};

const LONG = /** @type {Intl.DateTimeFormatOptions} */ ({ weekday: "long", day: "numeric", month: "long" });

/**
 * The cells of a grid: one of them is in the order of the Tab key, the arrow keys lead to the others, Enter
 * writes a post there.
 * @param {{
 *   label: string, columns: number, focused: {current: string}, onCreate: ((wall: string) => void) | null,
 *   children: any, start: string, step: (by: number) => void
 * }} props
 */
function Grid({ label, columns, focused, onCreate, children, start, step }) {
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
 *   onCreate: ((wall: string) => void) | null, onDrop: (post: any) => void, children?: any
 * }} props
 */
function Cell({ wall, label, isFirst, kind, focused, onCreate, onDrop, children }) {
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

/** A free time of a queue. @param {{slot: FreeSlot, zone: string}} props */
const Slot = ({ slot, zone }) => html`
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

/**
 * How many slots are free; short beside another number, so that a cell never grows.
 * @param {{count: number, isShort: boolean, onClick: () => void}} props
 */
function FreeSlots({ count, isShort, onClick }) {
  const name = tn(count, "{n} free slot", "{n} free slots");
  return html`
    <button
      type="button"
      class="more-link"
      title=${isShort ? name : undefined}
      aria-label=${isShort ? name : undefined}
      onClick=${onClick}
    >
      ${isShort ? html`
        <${Icon} name="clock" /> ${number(count)}
      ` : (
        name
      )}
    </button>
  `;
}

/**
 * The free slots at whose time no post of the profile stands already.
 * @param {FreeSlot[]} slots
 * @param {any[]} posts
 */
function openSlots(slots, posts) {
  const taken = new Set(posts.map((post) => `${post.profileId} ${momentOf(post)}`));
  return slots.filter((slot) => !taken.has(`${slot.queue.profileId} ${slot.at}`));
}

/**
 * Posts and free slots in the order of their times.
 * @param {{posts: any[], slots: FreeSlot[], zone: string, open: (post: any) => void, isBig?: boolean}} props
 */
function Entries({ posts, slots, zone, open, isBig }) {
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
const cellLabel = (date, day) => `${dayName(date, LONG)}: ${tn(day?.total ?? 0, "{n} post", "{n} posts")}`;

/** @param {ViewProps} props */
export function Month({
  days,
  first,
  last,
  date,
  today,
  zone,
  slots,
  open,
  onCreate,
  focused,
  show,
  drop,
}) {
  const dates = datesOf(first, last);
  const weeks = Array.from({ length: dates.length / 7 }, (_, week) => dates.slice(week * 7, week * 7 + 7));
  const move = (/** @type {any} */ post, /** @type {string} */ target) =>
    drop(post, resolve(`${target}T${wallTime(new Date(momentOf(post)), zone).slice(11)}`, zone));
  const step = (/** @type {number} */ by) => show({ date: by > 0 ? addDays(last, 1) : addDays(first, -1) });
  return html`
    <${Grid}
      label=${dayName(date, { month: "long", year: "numeric" })}
      columns=${7}
      focused=${focused}
      onCreate=${onCreate}
      start=${first}
      step=${step}
    >
      <thead>
        <tr>
          ${dates.slice(0, 7).map((weekday) => html`
            <th scope="col" key=${weekday}>
              <span aria-hidden="true">${dayName(weekday, { weekday: "short" })}</span>
              <span class="hidden">${dayName(weekday, { weekday: "long" })}</span>
            </th>
          `)}
        </tr>
      </thead>
      <tbody>
        ${weeks.map((week) => html`
          <tr key=${week[0]}>
            ${week.map((cellDate) => {
              const day = days.get(cellDate);
              const posts = day?.posts ?? [];
              const visible = posts.slice(
                0,
                (day?.total ?? 0) > MONTH_SHOWN + 1 ? MONTH_SHOWN : MONTH_SHOWN + 1,
              );
              const more = (day?.total ?? 0) - visible.length;
              const free = openSlots(
                slots.filter((slot) => dateOf(new Date(slot.at), zone) === cellDate),
                posts,
              );
              const tense = cellDate === today ? "today" : cellDate < today ? "past" : "";
              const kind = cellDate.slice(0, 7) === date.slice(0, 7) ? tense : `${tense} other`;
              return html`
                <${Cell}
                  key=${cellDate}
                  wall=${`${cellDate}T09:00`}
                  label=${cellLabel(cellDate, day)}
                  isFirst=${cellDate === date}
                  kind=${kind}
                  focused=${focused}
                  onCreate=${cellDate < today ? null : onCreate}
                  onDrop=${(/** @type {any} */ post) => move(post, cellDate)}
                >
                  <div class="day-head">
                    <button
                      type="button"
                      class="day-number"
                      aria-label=${t("Open {day}", { day: dayName(cellDate, LONG) })}
                      onClick=${() => show({ view: "day", date: cellDate })}
                    >
                      ${Number(cellDate.slice(8))}
                    </button>
                  </div>
                  ${visible.map((post) => html`
                    <${Entry} key=${post.id} post=${post} zone=${zone} open=${open} />
                  `)}
                  ${more > 0 && html`
                    <button
                      type="button"
                      class="more-link"
                      onClick=${() => show({ view: "day", date: cellDate })}
                    >
                      ${t("+{n} more", { n: number(more) })}
                    </button>
                  `}
                  ${free.length > 0 && visible.length < 3 && html`<${Slot} slot=${free[0]} zone=${zone} />`}
                  ${free.length > (visible.length < 3 ? 1 : 0) && html`
                    <${FreeSlots}
                      count=${free.length}
                      isShort=${more > 0}
                      onClick=${() => show({ view: "day", date: cellDate })}
                    />
                  `}
                <//>
              `;
            })}
          </tr>
        `)}
      </tbody>
    <//>
  `;
}

/**
 * What stands in each hour of a day: by the hour of the wall clock, of which some days have one twice or not
 * at all.
 * @param {string} date
 * @param {string} zone
 * @param {any[]} posts
 * @param {FreeSlot[]} slots
 */
function byHour(date, zone, posts, slots) {
  const hours = new Map(
    /** @type {[number, {at: Date[], posts: any[], slots: FreeSlot[]}][]} */ (
      Array.from({ length: 24 }, (_, hour) => [hour, { at: [], posts: [], slots: [] }])
    ),
  );
  const hourOf = (/** @type {string} */ at) =>
    hours.get(Number(wallTime(new Date(at), zone).slice(11, 13)));
  for (const hour of hoursOf(date, zone)) hours.get(Number(hour.wall.slice(11, 13)))?.at.push(hour.at);
  for (const post of posts) hourOf(momentOf(post))?.posts.push(post);
  for (const slot of slots) hourOf(slot.at)?.slots.push(slot);
  return hours;
}

/** @param {number} hour */
const hourName = (hour) => dayTime(`${String(hour).padStart(2, "0")}:00`);
/** @param {string} wall */
const dayTime = (wall) => timeOf(`2026-01-01T${wall}Z`, "UTC");

/** @param {ViewProps} props */
export function Week({ days, first, last, date, today, zone, slots, open, onCreate, focused, show, drop }) {
  const [isWhole, setWhole] = useState(false);
  const columns = datesOf(first, last).map((cellDate) => {
    const day = days.get(cellDate);
    const posts = day?.posts ?? [];
    return {
      date: cellDate,
      day,
      hours: byHour(
        cellDate,
        zone,
        posts,
        openSlots(
          slots.filter((slot) => dateOf(new Date(slot.at), zone) === cellDate),
          posts,
        ),
      ),
    };
  });
  const used = columns.flatMap(({ hours }) =>
    [...hours].filter(([, hour]) => hour.posts.length + hour.slots.length > 0).map(([number_]) => number_),
  );
  const [from, until] = isWhole ? [0, 23] : [Math.min(HOURS[0], ...used), Math.max(HOURS[1], ...used)];
  const now = wallTime(new Date(), zone);
  const move = (/** @type {any} */ post, /** @type {string} */ wall) =>
    drop(post, resolve(`${wall.slice(0, 13)}:${wallTime(new Date(momentOf(post)), zone).slice(14)}`, zone));
  return html`
    <${Grid}
      label=${t("Week of {day}", { day: dayName(first, LONG) })}
      columns=${7}
      focused=${focused}
      onCreate=${onCreate}
      start=${first}
      step=${(/** @type {number} */ by) => show({ date: addDays(date, by * 7) })}
    >
      <thead>
        <tr>
          <th class="hour">
            <span class="hidden">${t("Time")}</span>
          </th>
          ${columns.map(({ date: columnDate, day }) => html`
            <th scope="col" key=${columnDate} class=${columnDate === today ? "today" : ""}>
              <button
                type="button"
                class="day-title"
                onClick=${() => show({ view: "day", date: columnDate })}
              >
                <span class="hidden">${t("Open {day}", { day: dayName(columnDate, LONG) })}</span>
                <span aria-hidden="true">
                  ${dayName(columnDate, { weekday: "short" })} <strong>${Number(columnDate.slice(8))}</strong>
                </span>
              </button>
              ${day && day.total > day.posts.length && html`
                <button
                  type="button"
                  class="more-link"
                  onClick=${() => show({ view: "day", date: columnDate })}
                >
                  ${t("+{n} more", { n: number(day.total - day.posts.length) })}
                </button>
              `}
            </th>
          `)}
        </tr>
      </thead>
      <tbody>
        ${Array.from({ length: until - from + 1 }, (_, index) => from + index).map((hour) => html`
          <tr key=${hour}>
            <th scope="row" class="hour">
              ${hourName(hour)}
            </th>
            ${columns.map(({ date: columnDate, hours }) => {
              const { at, posts, slots: free } = /** @type {any} */ (hours.get(hour));
              const wall = `${columnDate}T${String(hour).padStart(2, "0")}:00`;
              const isPast = wall.slice(0, 13) < now.slice(0, 13);
              const note = at.length
                ? at.length > 1 && t("This hour comes twice")
                : t("This hour does not exist");
              return html`
                <${Cell}
                  key=${columnDate}
                  wall=${wall}
                  label=${[
                    [dayName(columnDate, LONG), hourName(hour), ...(note ? [note] : [])].join(", "),
                    tn(posts.length, "{n} post", "{n} posts"),
                  ].join(": ")}
                  isFirst=${columnDate === date && hour === from}
                  kind=${[
                    at.length ? "" : "gap",
                    isPast ? "past" : "",
                    wall.slice(0, 13) === now.slice(0, 13) ? "now" : "",
                  ].join(" ")}
                  focused=${focused}
                  onCreate=${isPast || !at.length ? null : onCreate}
                  onDrop=${(/** @type {any} */ post) => move(post, wall)}
                >
                  ${note && html`<span class="soft small">${note}</span>`}
                  <${Entries} posts=${posts} slots=${free} zone=${zone} open=${open} />
                <//>
              `;
            })}
          </tr>
        `)}
      </tbody>
      <tfoot>
        <tr>
          <td colspan="8">
            <${Button} kind="quiet" onClick=${() => setWhole(!isWhole)}>
              ${isWhole ? t("Hours of the day only") : t("All hours")}
            <//>
          </td>
        </tr>
      </tfoot>
    <//>
  `;
}

/** @param {ViewProps} props */
export function Day({
  date,
  today,
  zone,
  slots,
  open,
  onCreate,
  focused,
  show,
  drop,
  page,
  setPage,
  moved,
}) {
  const now = wallTime(new Date(), zone);
  if (!page) return html`<${Skeleton} lines=${10} />`;
  const posts = page.data
    .map((/** @type {any} */ post) => (moved[post.id] ? { ...post, scheduledAt: moved[post.id] } : post))
    .filter((/** @type {any} */ post) => dateOf(new Date(momentOf(post)), zone) === date);
  const free = openSlots(slots, posts);
  const hours = hoursOf(date, zone);
  const within = (/** @type {string} */ at, /** @type {number} */ index) =>
    at >= hours[index].at.toISOString() &&
    (index + 1 === hours.length || at < hours[index + 1].at.toISOString());
  const move = (/** @type {any} */ post, /** @type {Date} */ at) =>
    drop(post, new Date(at.getTime() + (new Date(momentOf(post)).getTime() % 3_600_000)));
  const last = page.hasMore ? momentOf(page.data.at(-1)) : "";
  return html`
    <p class="soft">
      ${tn(page.total, "{n} post", "{n} posts")}
      ${hours.length !== 24 && ` · ${t("a day of {n} hours: the clocks change", { n: hours.length })}`}
    </p>
    <${Grid}
      label=${dayName(date, LONG)}
      columns=${1}
      focused=${focused}
      onCreate=${onCreate}
      start=${date}
      step=${(/** @type {number} */ by) => show({ date: addDays(date, by) })}
    >
      <thead>
        <tr>
          <th class="hour" scope="col">
            <span class="hidden">${t("Time")}</span>
          </th>
          <th scope="col">
            <span class="hidden">${t("Posts")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        ${hours.map(({ at, wall }, index) => {
          if (last && hours[index].at.toISOString() > last) return null;
          const inside = posts.filter((/** @type {any} */ post) => within(momentOf(post), index));
          const isTwice = hours.some((other, place) => place !== index && other.wall === wall);
          const isPast = date < today || (date === today && wall.slice(0, 13) < now.slice(0, 13));
          return html`
            <tr key=${at.toISOString()}>
              <th scope="row" class="hour">
                ${timeOf(at.toISOString(), zone)}
                ${isTwice && html`<span class="small">${zoneLabel(zone, at).split(", ")[1]}</span>`}
              </th>
              <${Cell}
                wall=${`${wall}${isTwice && index > 0 && hours[index - 1].wall === wall ? "+" : ""}`}
                label=${`${timeOf(at.toISOString(), zone)}: ${tn(inside.length, "{n} post", "{n} posts")}`}
                isFirst=${index === Math.min(9, hours.length - 1)}
                kind=${`wide${isPast ? " past" : ""}${wall.slice(0, 13) === now.slice(0, 13) ? " now" : ""}`}
                focused=${focused}
                onCreate=${
                  isPast
                    ? null
                    : onCreate && ((/** @type {string} */ place) => onCreate(place.slice(0, 16)))
                }
                onDrop=${(/** @type {any} */ post) => move(post, at)}
              >
                <${Entries}
                  posts=${inside}
                  slots=${free.filter((slot) => within(slot.at, index))}
                  zone=${zone}
                  open=${open}
                  isBig
                />
              <//>
            </tr>
          `;
        })}
      </tbody>
    <//>
    <${More} page=${page} setPage=${setPage} />
  `;
}

/** A list by days: for phones, and for what comes next. @param {ViewProps} props */
export function Agenda({
  days,
  first,
  last,
  today,
  zone,
  slots,
  open,
  onCreate,
  show,
  page,
  setPage,
  moved,
}) {
  /** @type {Map<string, any[]>} */
  const groups = new Map();
  for (const entry of page?.data ?? [...days.values()].flatMap((day) => day.posts)) {
    const post = moved[entry.id] ? { ...entry, scheduledAt: moved[entry.id] } : entry;
    const date = dateOf(new Date(momentOf(post)), zone);
    groups.set(date, [...(groups.get(date) ?? []), post]);
  }
  const isList = Boolean(page);
  if (!isList && !days.size) return html`<${Skeleton} lines=${8} />`;
  const dates = isList
    ? [...groups.keys()].sort()
    : datesOf(first, last).filter((date) => groups.has(date) || date >= today);
  if (!dates.length) return html`<${Nothing} first=${first} />`;
  return html`
    <div class="agenda">
      ${dates.map((date) => {
        const posts = groups.get(date) ?? [];
        const free = openSlots(
          slots.filter((slot) => dateOf(new Date(slot.at), zone) === date),
          posts,
        );
        const more = isList ? 0 : (days.get(date)?.total ?? 0) - posts.length;
        return html`
          <section
            key=${date}
            class=${date === today ? "today" : ""}
            aria-label=${dayName(date, LONG)}
          >
            <h3>
              <button type="button" class="day-title" onClick=${() => show({ view: "day", date })}>
                ${dayName(date, { weekday: "short", day: "numeric", month: "short" })}
              </button>
            </h3>
            <div>
              <${Entries} posts=${posts} slots=${free.slice(0, 3)} zone=${zone} open=${open} isBig />
              ${more > 0 && html`
                <button
                  type="button"
                  class="more-link"
                  onClick=${() => show({ view: "day", date })}
                >
                  ${t("+{n} more", { n: number(more) })}
                </button>
              `}
              ${!posts.length &&
                !free.length &&
                (onCreate ? html`
                  <button type="button" class="slot" onClick=${() => onCreate(`${date}T09:00`)}>
                    ${t("Write a post")}
                  </button>
                ` : html`
                  <span class="soft">–</span>
                `)}
            </div>
          </section>
        `;
      })}
    </div>
    ${isList && html`<${More} page=${page} setPage=${setPage} />`}
  `;
}

/** @param {{first: string}} props */
const Nothing = ({ first }) => html`
  <${Empty}
    title=${t("Nothing planned from here on")}
    icon="calendar"
    action=${
      html`<${LinkButton} href=${to("compose", { at: `${first}T09:00` })} kind="primary" icon="compose">
        ${t("Write a post")}
      <//>`
    }
    curl=${curlOf(`/posts/calendar?startDate=${first}`)}
  >
    ${t("Posts with a time stand here in their order, with those that were published.")}
  <//>
`;

/** @param {{page: any, setPage: (page: any) => void}} props */
function More({ page, setPage }) {
  const [busy, load] = useAction(async () => {
    const next = await get("/posts", { ...page.query, cursor: page.nextCursor });
    setPage({ ...page, ...next, data: [...page.data, ...next.data] });
  });
  return (
    page.hasMore && html`
      <p class="actions">
        <${Button} busy=${busy} onClick=${load}>
          ${t("Show more")}
        <//>
        <span class="soft" role="status">
          ${tn(page.data.length, "{n} post shown", "{n} posts shown")}
        </span>
      </p>
    `
  );
}
