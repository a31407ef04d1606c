// A day by its hours, of which some days have one twice or not at all.
import { html } from "../html.js";
import { t, tn } from "../i18n.js";
import { wallTime, zoneLabel } from "../time.js";
import { addDays, dateOf, dayName, hoursOf } from "../zones.js";
import { Skeleton } from "../components/loaded.js";
import { More } from "../components/more.js";
import { Cell, Entries, GoodHour, Grid, Hours, LONG, MORNING, openSlots } from "./calendar-parts.js";
import { momentOf, timeOf } from "./calendar-post.js";

/** @typedef {import("./calendar-data.js").FreeSlot} FreeSlot */
/** @typedef {import("./calendar-parts.js").ViewProps} ViewProps */
/** @typedef {import("signalpost/api").Schemas["Post"]} Post */

/** @param {ViewProps} props */
export default function Day(props) {
  const { date, today, zone, slots, onCreate, focused, show, page, setPage, moved } = props;
  if (!page) return html`<${Skeleton} lines=${10} />`;
  const posts = page.data
    .map((/** @type {Post} */ post) => (moved[post.id] ? { ...post, scheduledAt: moved[post.id] } : post))
    .filter((/** @type {Post} */ post) => dateOf(new Date(momentOf(post)), zone) === date);
  const free = openSlots(slots, posts);
  const hours = hoursOf(date, zone);
  const hourOf = (/** @type {Date} */ at) => Number(wallTime(at, zone).slice(11, 13));
  const early = posts.map((/** @type {Post} */ post) => hourOf(new Date(momentOf(post))));
  const opening = date === today ? hourOf(new Date()) - 1 : Math.min(MORNING, ...early);
  const last = page.hasMore ? momentOf(page.data.at(-1)) : "";
  return html`
    <p class="soft">
      ${tn(page.total, "{n} post", "{n} posts")}
      ${hours.length !== 24 && ` · ${t("a day of {n} hours: the clocks change", { n: hours.length })}`}
    </p>
    <${Hours} start=${date} opening=${opening} isThere>
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
          ${hours.map(
            ({ at }, index) =>
              (!last || at.toISOString() <= last) && html`
                <${DayHour}
                  key=${at.toISOString()}
                  hours=${hours}
                  index=${index}
                  posts=${posts}
                  free=${free}
                  ...${props}
                />
              `,
          )}
        </tbody>
      <//>
    <//>
    <${More}
      path="/posts"
      query=${page.query}
      page=${page}
      setPage=${setPage}
      summary=${tn(page.data.length, "{n} post shown", "{n} posts shown")}
    />
  `;
}

/**
 * @param {ViewProps & {
 *   hours: ReturnType<typeof hoursOf>, index: number, posts: Post[], free: FreeSlot[]
 * }} props
 */
function DayHour({
  hours,
  index,
  posts,
  free,
  date,
  today,
  zone,
  best,
  filters,
  open,
  onCreate,
  focused,
  drop,
}) {
  const { at, wall } = hours[index];
  const now = wallTime(new Date(), zone);
  const within = (/** @type {string} */ moment) =>
    moment >= hours[index].at.toISOString() &&
    (index + 1 === hours.length || moment < hours[index + 1].at.toISOString());
  const move = (/** @type {Post} */ post) =>
    drop(post, new Date(at.getTime() + (Date.parse(post.scheduledAt ?? "") % 3_600_000 || 0)));
  const inside = posts.filter((post) => within(momentOf(post)));
  const slots = free.filter((slot) => within(slot.at));
  const isTwice = hours.some((other, place) => place !== index && other.wall === wall);
  const isPast = date < today || (date === today && wall.slice(0, 13) < now.slice(0, 13));
  return html`
    <tr data-hour=${Number(wall.slice(11, 13))}>
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
          isPast ? null : onCreate && ((/** @type {string} */ place) => onCreate(place.slice(0, 16)))
        }
        onDrop=${move}
      >
        <${Entries} posts=${inside} slots=${slots} zone=${zone} open=${open} isBig />
        ${slots.length === 0 && html`
          <${GoodHour} best=${best} place=${wall} posts=${inside} zone=${zone} filters=${filters} />
        `}
      <//>
    </tr>
  `;
}
