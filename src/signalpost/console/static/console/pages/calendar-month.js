// A month: a cell for each day.
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { number, t, tn } from "../i18n.js";
import { wallTime } from "../time.js";
import { addDays, dateOf, dayName, resolve } from "../zones.js";
import { WEEKS } from "./calendar-data.js";
import { Cell, GoodHour, Grid, LONG, Slot, cellLabel, datesOf, openSlots } from "./calendar-parts.js";
import { Entry, isUntimed, momentOf } from "./calendar-post.js";

/** @typedef {import("./calendar-parts.js").ViewProps} ViewProps */
/** @typedef {import("signalpost/api").Schemas["Post"]} Post */

const MONTH_SHOWN = 3;

/** How many posts of a day are shown: one more where a link to it would stand. @param {number} total */
const mostOf = (total) => (total > MONTH_SHOWN + 1 ? MONTH_SHOWN : MONTH_SHOWN + 1);

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
 * The time of day that a post keeps; a draft without one gets the morning.
 * @param {Post} post @param {string} zone
 */
const timeOn = (post, zone) =>
  isUntimed(post) ? "09:00" : wallTime(new Date(momentOf(post)), zone).slice(11);

/** @param {ViewProps} props */
export default function Month(props) {
  const { view, first, last, date, onCreate, focused, show } = props;
  const dates = datesOf(first, last);
  const weeks = Array.from({ length: dates.length / 7 }, (_, week) => dates.slice(week * 7, week * 7 + 7));
  const isMonth = view === "month";
  const before = addDays(first, isMonth ? -1 : -7 * WEEKS);
  const step = (/** @type {number} */ by) => show({ date: by > 0 ? addDays(last, 1) : before });
  return html`
    <${Grid}
      label=${
        isMonth
          ? dayName(date, { month: "long", year: "numeric" })
          : t("Weeks from {day} on", { day: dayName(first, LONG) })
      }
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
            ${week.map((day) => html`
              <${MonthDay} key=${day} day=${day} ...${props} />
            `)}
          </tr>
        `)}
      </tbody>
    <//>
  `;
}

/** @param {ViewProps & {day: string}} props */
function MonthDay({
  day: date,
  view,
  isPrinting,
  first,
  date: selected,
  days,
  today,
  zone,
  slots,
  best,
  filters,
  open,
  onCreate,
  focused,
  show,
  drop,
}) {
  const move = (/** @type {Post} */ post) => drop(post, resolve(`${date}T${timeOn(post, zone)}`, zone));
  const openDay = () => show({ view: "day", date });
  const day = days.get(date);
  const [posts, total] = [day?.posts ?? [], day?.total ?? 0];
  const visible = isPrinting ? posts : posts.slice(0, mostOf(total));
  // The cell itself, which begins a post, needs 24 pixels that nothing else takes.
  const hasPlace = visible.length < 3;
  const more = total - visible.length;
  const free = openSlots(
    slots.filter((slot) => dateOf(new Date(slot.at), zone) === date),
    posts,
  );
  const tense = date === today ? "today" : date < today ? "past" : "";
  const isOther = view === "month" && date.slice(0, 7) !== selected.slice(0, 7);
  return html`
    <${Cell}
      wall=${`${date}T09:00`}
      label=${cellLabel(date, day)}
      isFirst=${date === selected}
      kind=${isOther ? `${tense} other` : tense}
      focused=${focused}
      onCreate=${date < today ? null : onCreate}
      onDrop=${move}
    >
      <div class="day-head">
        ${hasPlace && html`
          <${GoodHour} best=${best} place=${date} posts=${posts} zone=${zone} filters=${filters} />
        `}
        <button type="button" class="day-number" onClick=${openDay}>
          <span class="hidden">${t("Open {day}", { day: dayName(date, LONG) })}</span>
          <span aria-hidden="true">
            ${date === first || date.endsWith("-01")
              ? dayName(date, { day: "numeric", month: "short" })
              : Number(date.slice(8))}
          </span>
        </button>
      </div>
      ${visible.map((post) => html`
        <${Entry} key=${post.id} post=${post} zone=${zone} open=${open} />
      `)}
      ${more > 0 && html`
        <button type="button" class="more-link" onClick=${openDay}>
          ${t("+{n} more", { n: number(more) })}
        </button>
      `}
      ${free.length > 0 && hasPlace && html`<${Slot} slot=${free[0]} zone=${zone} />`}
      ${free.length > (hasPlace ? 1 : 0) && html`
        <${FreeSlots} count=${free.length} isShort=${more > 0} onClick=${openDay} />
      `}
    <//>
  `;
}
