// A week: a cell for each hour of each day.
import { html } from "../html.js";
import { number, t, tn } from "../i18n.js";
import { wallTime } from "../time.js";
import { addDays, dateOf, dayName, hoursOf, resolve } from "../zones.js";
import {
  Cell,
  Entries,
  GoodHour,
  Grid,
  Hours,
  LONG,
  MORNING,
  datesOf,
  openSlots,
} from "./calendar-parts.js";
import { isUntimed, momentOf, timeOf } from "./calendar-post.js";

/** @typedef {import("./calendar-data.js").CalendarDay} CalendarDay */
/** @typedef {import("./calendar-data.js").FreeSlot} FreeSlot */
/** @typedef {import("./calendar-parts.js").ViewProps} ViewProps */
/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/** @typedef {{at: Date[], posts: Post[], slots: FreeSlot[]}} Hour */

/**
 * What stands in each hour of a day: by the hour of the wall clock, of which some days have one twice or not
 * at all.
 * @param {string} date
 * @param {string} zone
 * @param {Post[]} posts
 * @param {FreeSlot[]} slots
 */
function byHour(date, zone, posts, slots) {
  const hours = new Map(
    /** @type {[number, Hour][]} */ (
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

/** The minutes that a post keeps; a draft without a time has none. @param {Post} post @param {string} zone */
const minutesOf = (post, zone) =>
  isUntimed(post) ? "00" : wallTime(new Date(momentOf(post)), zone).slice(14);

/** @param {number} hour */
const hourName = (hour) => dayTime(`${String(hour).padStart(2, "0")}:00`);

/** @param {string} wall */
const dayTime = (wall) => timeOf(`2026-01-01T${wall}Z`, "UTC");

/** @param {ViewProps} props */
export default function Week(props) {
  const { first, last, date, today, zone, days, onCreate, focused, show } = props;
  const columns = columnsOf(props);
  const used = columns.flatMap(({ hours }) =>
    [...hours].filter(([, hour]) => hour.posts.length > 0).map(([number_]) => number_),
  );
  const isNow = today >= first && today <= last;
  const opening = isNow ? Number(wallTime(new Date(), zone).slice(11, 13)) - 1 : Math.min(MORNING, ...used);
  return html`
    <${Hours} start=${first} opening=${opening} isThere=${days.size > 0}>
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
            ${columns.map((column) => html`
              <${WeekDay} key=${column.date} column=${column} today=${today} show=${show} />
            `)}
          </tr>
        </thead>
        <tbody>
          ${Array.from({ length: 24 }, (_, hour) => hour).map((hour) => html`
            <tr key=${hour} data-hour=${hour}>
              <th scope="row" class="hour">
                ${hourName(hour)}
              </th>
              ${columns.map((column) => html`
                <${WeekHour}
                  key=${column.date}
                  column=${column}
                  hour=${hour}
                  isFirst=${column.date === date && hour === MORNING}
                  ...${props}
                />
              `)}
            </tr>
          `)}
        </tbody>
      <//>
    <//>
  `;
}

/** @typedef {{date: string, day: CalendarDay | undefined, hours: Map<number, Hour>}} Column */

/** @param {ViewProps} props @returns {Column[]} */
function columnsOf({ days, first, last, zone, slots }) {
  return datesOf(first, last).map((date) => {
    const day = days.get(date);
    const posts = day?.posts ?? [];
    return {
      date,
      day,
      hours: byHour(
        date,
        zone,
        posts,
        openSlots(
          slots.filter((slot) => dateOf(new Date(slot.at), zone) === date),
          posts,
        ),
      ),
    };
  });
}

/** @param {{column: Column, today: string, show: ViewProps["show"]}} props */
function WeekDay({ column: { date, day }, today, show }) {
  return html`
    <th scope="col" class=${date === today ? "today" : ""}>
      <button type="button" class="day-title" onClick=${() => show({ view: "day", date })}>
        <span class="hidden">${t("Open {day}", { day: dayName(date, LONG) })}</span>
        <span aria-hidden="true">
          ${dayName(date, { weekday: "short" })} <strong>${Number(date.slice(8))}</strong>
        </span>
      </button>
      ${day && day.total > day.posts.length && html`
        <button type="button" class="more-link" onClick=${() => show({ view: "day", date })}>
          ${t("+{n} more", { n: number(day.total - day.posts.length) })}
        </button>
      `}
    </th>
  `;
}

/** @param {ViewProps & {column: Column, hour: number, isFirst: boolean}} props */
function WeekHour({
  column: { date, hours },
  hour,
  isFirst,
  zone,
  best,
  filters,
  open,
  onCreate,
  focused,
  drop,
}) {
  const { at, posts, slots } = /** @type {Hour} */ (hours.get(hour));
  const wall = `${date}T${String(hour).padStart(2, "0")}:00`;
  const now = wallTime(new Date(), zone);
  const isPast = wall.slice(0, 13) < now.slice(0, 13);
  const note = at.length ? at.length > 1 && t("This hour comes twice") : t("This hour does not exist");
  const move = (/** @type {Post} */ post) =>
    drop(post, resolve(`${wall.slice(0, 13)}:${minutesOf(post, zone)}`, zone));
  return html`
    <${Cell}
      wall=${wall}
      label=${[
        [dayName(date, LONG), hourName(hour), ...(note ? [note] : [])].join(", "),
        tn(posts.length, "{n} post", "{n} posts"),
      ].join(": ")}
      isFirst=${isFirst}
      kind=${[
        at.length ? "" : "gap",
        isPast ? "past" : "",
        wall.slice(0, 13) === now.slice(0, 13) ? "now" : "",
      ].join(" ")}
      focused=${focused}
      onCreate=${isPast || !at.length ? null : onCreate}
      onDrop=${move}
    >
      ${note && html`<span class="soft small">${note}</span>`}
      <${Entries} posts=${posts} slots=${slots} zone=${zone} open=${open} />
      ${slots.length === 0 && html`
        <${GoodHour} best=${best} place=${wall} posts=${posts} zone=${zone} filters=${filters} />
      `}
    <//>
  `;
}
