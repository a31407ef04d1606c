// A list by days: for phones, and for what comes next.
import { html } from "../html.js";
import { curlOf } from "../api.js";
import { number, t, tn } from "../i18n.js";
import { to } from "../router.js";
import { may } from "../store.js";
import { dateOf, dayName } from "../zones.js";
import { LinkButton } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { Skeleton } from "../components/loaded.js";
import { More } from "../components/more.js";
import { Entries, LONG, datesOf, openSlots } from "./calendar-parts.js";
import { momentOf } from "./calendar-post.js";

/** @typedef {import("./calendar-parts.js").ViewProps} ViewProps */
/** @typedef {import("signalpost/api").Schemas["Post"]} Post */

/** A list by days: for phones, and for what comes next. @param {ViewProps} props */
export default function Agenda(props) {
  const { days, first, last, today, zone, page, setPage, moved } = props;
  /** @type {Map<string, Post[]>} */
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
      ${dates.map((day) => html`
        <${AgendaDay}
          key=${day}
          day=${day}
          posts=${groups.get(day) ?? []}
          isList=${isList}
          ...${props}
        />
      `)}
    </div>
    ${isList && html`
      <${More}
        path="/posts"
        query=${page.query}
        page=${page}
        setPage=${setPage}
        summary=${tn(page.data.length, "{n} post shown", "{n} posts shown")}
      />
    `}
  `;
}

/** @param {{first: string}} props */
const Nothing = ({ first }) => html`
  <${Empty}
    title=${t("Nothing planned from here on")}
    icon="calendar"
    action=${
      may("posts:write") && html`
        <${LinkButton} href=${to("compose", { at: `${first}T09:00` })} kind="primary" icon="compose">
          ${t("Write a post")}
        <//>
      `
    }
    curl=${curlOf(`/posts/calendar?startDate=${first}`)}
  >
    ${t("Posts with a time stand here in their order, with those that were published.")}
  <//>
`;

/** @param {ViewProps & {day: string, posts: Post[], isList: boolean}} props */
function AgendaDay({ day: date, posts, isList, days, today, zone, slots, open, onCreate, show }) {
  const openDay = () => show({ view: "day", date });
  const free = openSlots(
    slots.filter((slot) => dateOf(new Date(slot.at), zone) === date),
    posts,
  );
  const more = isList ? 0 : (days.get(date)?.total ?? 0) - posts.length;
  return html`
    <section class=${date === today ? "today" : ""} aria-label=${dayName(date, LONG)}>
      <h3>
        <button type="button" class="day-title" onClick=${openDay}>
          ${dayName(date, { weekday: "short", day: "numeric", month: "short" })}
        </button>
      </h3>
      <div>
        <${Entries} posts=${posts} slots=${free.slice(0, 3)} zone=${zone} open=${open} isBig />
        ${more > 0 && html`
          <button type="button" class="more-link" onClick=${openDay}>
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
}
