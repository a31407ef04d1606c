// How a post repeats: a rule of RFC 5545 in words, and the times that the service makes of it.
import { html } from "../html.js";
import { locale, t, tn } from "../i18n.js";
import { Time, wallTime } from "../time.js";
import { CheckList } from "../components/check-list.js";
import { Field } from "../components/field.js";

/** @typedef {import("../draft.js").Change} Change */
/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("../draft.js").ErrorAt} ErrorAt */
/** @typedef {import("../draft.js").Repeat} Repeat */
/** @typedef {import("signalpost/api").Schemas["PostValidation"]} PostValidation */
/**
 * What can be chosen here of a rule. `day` of a month: "" for that of the post, "-1" for the last, "2TU" for
 * the second Tuesday.
 * @typedef {{frequency: string, interval: number, days: string[], day: string}} Rule
 */

const DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const COUNT = 10;

/**
 * What is chosen of a rule; null: it says more, and only a program can change it.
 * @param {string} rrule
 * @returns {Rule | null}
 */
export function read(rrule) {
  const parts = Object.fromEntries(
    rrule
      .toUpperCase()
      .replace(/^RRULE:/, "")
      .split(";")
      .filter(Boolean)
      .map((part) => part.split("=")),
  );
  const { FREQ, INTERVAL = "1", BYDAY = "", BYMONTHDAY = "", WKST = "MO", ...others } = parts;
  const rule = { frequency: FREQ, interval: Number(INTERVAL), days: /** @type {string[]} */ ([]), day: "" };
  if (Object.keys(others).length || WKST !== "MO") return null;
  if (FREQ === "DAILY" && !BYDAY && !BYMONTHDAY) return rule;
  if (FREQ === "WEEKLY" && !BYMONTHDAY) return { ...rule, days: BYDAY ? BYDAY.split(",") : [] };
  if (FREQ !== "MONTHLY" || (BYDAY && BYMONTHDAY)) return null;
  return /^$|^-1$/.test(BYMONTHDAY) && /^$|^([1-4]|-1)(MO|TU|WE|TH|FR|SA|SU)$/.test(BYDAY)
    ? { ...rule, day: BYMONTHDAY || BYDAY }
    : null;
}

/** @param {Rule} rule */
function written({ frequency, interval, days, day }) {
  const parts = [`FREQ=${frequency}`];
  if (interval > 1) parts.push(`INTERVAL=${interval}`);
  if (frequency === "WEEKLY" && days.length)
    parts.push(`BYDAY=${DAYS.filter((weekday) => days.includes(weekday)).join(",")}`);
  if (frequency === "MONTHLY" && day) parts.push(day === "-1" ? "BYMONTHDAY=-1" : `BYDAY=${day}`);
  return parts.join(";");
}

/** The name of a day of the week: MO is 5 January 2026. @param {string} day */
const dayOfWeek = (day) =>
  new Intl.DateTimeFormat(locale(), { weekday: "long", timeZone: "UTC" }).format(
    Date.UTC(2026, 0, 5 + DAYS.indexOf(day)),
  );

/**
 * The days of a month that the day of the post is: on that date, on the second Tuesday, on the last day.
 * @param {string} at
 */
function daysOfMonth(at) {
  const date = new Date(`${at.slice(0, 10)}T00:00Z`);
  const weekday = DAYS[(date.getUTCDay() + 6) % 7];
  const nth = Math.ceil(date.getUTCDate() / 7);
  const name = dayOfWeek(weekday);
  return /** @type {[string, string][]} */ ([
    ["", t("on day {n}", { n: date.getUTCDate() })],
    ...(nth < 5 ? [[`${nth}${weekday}`, nthName(nth, name)]] : []),
    [`-1${weekday}`, nthName(-1, name)],
    ["-1", t("on the last day")],
  ]);
}

/** @param {number} nth @param {string} day */
const nthName = (nth, day) =>
  nth === 1
    ? t("on the first {day}", { day })
    : nth === 2
      ? t("on the second {day}", { day })
      : nth === 3
        ? t("on the third {day}", { day })
        : nth === 4
          ? t("on the fourth {day}", { day })
          : t("on the last {day}", { day });

/** A rule in words, without its end. @param {Rule} rule */
function sentence({ frequency, interval, days, day }) {
  const every =
    frequency === "DAILY"
      ? tn(interval, "Every day", "Every {n} days")
      : frequency === "WEEKLY"
        ? tn(interval, "Every week", "Every {n} weeks")
        : tn(interval, "Every month", "Every {n} months");
  if (frequency === "WEEKLY" && days.length) {
    const names = DAYS.filter((weekday) => days.includes(weekday)).map(dayOfWeek);
    return t("{every} on {days}", {
      every,
      days: new Intl.ListFormat(locale(), { type: "conjunction" }).format(names),
    });
  }
  if (frequency !== "MONTHLY" || !day) return every;
  const on =
    day === "-1" ? t("on the last day") : nthName(Number.parseInt(day, 10), dayOfWeek(day.slice(-2)));
  return `${every} ${on}`;
}

/** The end of a rule in words. @param {Repeat} repeat @param {string} timezone */
const endOf = ({ count, until }, timezone) =>
  count
    ? tn(count, "{n} post in all", "{n} posts in all")
    : until
      ? t("last on {day}", {
          day: new Intl.DateTimeFormat(locale(), { dateStyle: "long", timeZone: "UTC" }).format(
            new Date(`${lastDay(until, timezone)}T00:00Z`),
          ),
        })
      : "";

/** The last day of a rule, in its zone. @param {string} until @param {string} timezone */
const lastDay = (until, timezone) =>
  (until.endsWith("Z") ? wallTime(new Date(until), timezone) : until).slice(0, 10);

/**
 * @param {{draft: Draft, change: Change, errorAt: ErrorAt, checked: PostValidation | null}} props
 */
export default function Repeats({ draft, change, errorAt, checked }) {
  const repeat = draft.repeat ?? null;
  const rule = repeat && read(repeat.rrule);
  const set = (/** @type {Repeat | null} */ value) => change({ repeat: value, isRepeatChanged: true });
  const setRule = (/** @type {Partial<Rule>} */ values) =>
    rule && set({ ...repeat, rrule: written({ ...rule, ...values }) });
  const begin = (/** @type {string} */ frequency) => {
    if (frequency === "") return set(null);
    const rrule = written({ frequency, interval: 1, days: [], day: "" });
    return set(repeat ? { ...repeat, rrule } : { rrule, count: COUNT });
  };
  const choices = /** @type {[string, string][]} */ ([
    ["", t("Does not repeat")],
    ["DAILY", t("Daily")],
    ["WEEKLY", t("Weekly")],
    ["MONTHLY", t("Monthly")],
    ...(repeat && !rule ? [["OTHER", repeat.rrule]] : []),
  ]);
  return html`
    <div class="row">
      <${Field}
        label=${t("Repeat")}
        options=${choices}
        value=${rule ? rule.frequency : repeat ? "OTHER" : ""}
        onInput=${begin}
        error=${errorAt("/recurrence")}
      />
      ${rule && html`
        <${Field}
          label=${t("Every")}
          type="number"
          min="1"
          max="366"
          value=${rule.interval}
          onInput=${(/** @type {string} */ typed) =>
            setRule({ interval: Math.max(Number(typed) || 1, 1) })
          }
        />
      `}
      ${rule?.frequency === "MONTHLY" && html`
        <${Field}
          label=${t("Day of the month")}
          options=${daysOfMonth(draft.at)}
          value=${rule.day}
          onInput=${(/** @type {string} */ day) => setRule({ day })}
        />
      `}
    </div>
    ${rule?.frequency === "WEEKLY" && html`
      <div class="field days" role="group" aria-label=${t("Days of the week")}>
        <${CheckList}
          options=${DAYS.map((day) => [day, dayOfWeek(day)])}
          value=${rule.days}
          onInput=${(/** @type {string[]} */ days) => setRule({ days })}
        />
      </div>
    `}
    ${repeat && html`
      <${End} repeat=${repeat} timezone=${repeat.timezone ?? draft.timezone} set=${set} />
      <p class="hint" role="status">
        ${[rule ? sentence(rule) : repeat.rrule, endOf(repeat, repeat.timezone ?? draft.timezone)]
          .filter(Boolean)
          .join(", ")}
      </p>
      <${Next} checked=${checked} timezone=${repeat.timezone ?? draft.timezone} />
      `}
  `;
}

/** @param {{repeat: Repeat, timezone: string, set: (repeat: Repeat) => void}} props */
function End({ repeat, timezone, set }) {
  const others = { ...repeat, count: undefined, until: undefined };
  const ends = repeat.count ? "count" : repeat.until ? "until" : "rule";
  const choices = /** @type {[string, string][]} */ ([
    ["count", t("After a number of posts")],
    ["until", t("On a day")],
    ...(ends === "rule" ? [["rule", t("As the rule says")]] : []),
  ]);
  const year = new Date(Date.now() + 365 * 86_400_000);
  return html`
    <div class="row">
      <${Field}
        label=${t("How it ends")}
        options=${choices}
        value=${ends}
        onInput=${(/** @type {string} */ chosen) =>
          chosen === "count"
            ? set({ ...others, count: COUNT })
            : chosen === "until" &&
              set({ ...others, until: `${wallTime(year, timezone).slice(0, 10)}T23:59` })
        }
      />
      ${ends === "count" && html`
        <${Field}
          label=${t("Number of posts")}
          type="number"
          min="2"
          max="365"
          value=${repeat.count}
          onInput=${(/** @type {string} */ typed) =>
            Number(typed) > 0 && set({ ...others, count: Math.min(Number(typed), 365) })
          }
        />
      `}
      ${ends === "until" && html`
        <${Field}
          label=${t("Last day of the posts")}
          type="date"
          value=${lastDay(repeat.until ?? "", timezone)}
          onInput=${(/** @type {string} */ day) => day && set({ ...others, until: `${day}T23:59` })}
        />
      `}
    </div>
  `;
}

/** @param {{checked: PostValidation | null, timezone: string}} props */
function Next({ checked, timezone }) {
  if (!checked?.repeats.length)
    return html`
      <p class="hint">${t("The next times appear when the post has a text and an account.")}</p>
    `;
  return html`
    <div class="field">
      <div class="legend">${t("Again on")}</div>
      <ul class="plain">
        ${checked.repeats.map((at) => html`
          <li key=${at}>
            <${Time} at=${at} timeZone=${timezone} />
          </li>
        `)}
      </ul>
    </div>
  `;
}
