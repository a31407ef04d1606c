// What the views of analytics share: numbers that may be unknown, changes, days, and the choice of a period.
import { html } from "../html.js";
import { locale, number, t } from "../i18n.js";
import { filter } from "../router.js";
import { workspaceZone } from "../store.js";
import { format, wallTime } from "../time.js";
import { Field } from "../components/field.js";
import { DayField } from "../components/typed-field.js";

/** @typedef {import("../html.js").Children} Children */

const DAY_MS = 86_400_000;
const PERIODS = ["7", "30", "90", "365"];

/** @returns {[string, string][]} */
/** @typedef {"views" | "likes" | "comments" | "shares"} Metric */
/** @typedef {"views" | "likes" | "comments" | "shares" | "saves" | "impressions"} Total */

/** @returns {[Metric, string][]} */
export const metrics = () => [
  ["views", t("Views")],
  ["likes", t("Likes")],
  ["comments", t("Comments")],
  ["shares", t("Shares")],
];

/** A number of a network: null is not zero, it was not given. @param {number | null} value */
export const figure = (value) =>
  value === null || value === undefined ? html`
    <span class="soft">${t("not given")}</span>
  ` : (
    number(value)
  );

/** How much more or less, with its sign. @param {number} change */
export const signed = (change) =>
  new Intl.NumberFormat(locale(), { signDisplay: "exceptZero" }).format(change);

/** The same as plain text. @param {number | null} value */
export const knownText = (value) =>
  value === null || value === undefined ? t("not given") : number(value);

/** @param {number | null} rate in percent */
export const percent = (rate) =>
  rate === null ? html`
    <span class="soft">${t("not given")}</span>
  ` : (
    new Intl.NumberFormat(locale(), { style: "percent", maximumFractionDigits: 2 }).format(rate / 100)
  );

/** A calendar day, which has no zone. @param {string} day */
export const dayName = (day) => format(`${day}T12:00:00Z`, { day: "numeric", month: "short" }, "UTC");
/** @param {{start: string, end: string}} period */
export const periodName = ({ start, end }) =>
  [
    dayName(start),
    format(`${end}T12:00:00Z`, { day: "numeric", month: "short", year: "numeric" }, "UTC"),
  ].join(" – ");

/**
 * How much more or less than before; nothing where one of both is unknown.
 * @param {{now: number | null, before: number | null | undefined}} props
 */
export function Change({ now, before }) {
  if (now === null || before === null || before === undefined) return null;
  if (before === 0) return html`<dd class="aside">${t("before: {n}", { n: number(before) })}</dd>`;
  const share = now / before - 1;
  const text = new Intl.NumberFormat(locale(), {
    style: "percent",
    maximumFractionDigits: Math.abs(share) < 0.1 ? 1 : 0,
    signDisplay: "exceptZero",
  }).format(share);
  return html`
    <dd class="aside">
      <span class=${share > 0 ? "up" : share < 0 ? "down" : ""}>${text}</span>${" "}
      ${t("from {n}", { n: number(before) })}
    </dd>
  `;
}

/** The days that the address names, as the API takes them. @param {Record<string, string>} query */
export function periodOf({ days = "30", from = "", to: until = "", profileId = "" }) {
  if (days === "own") return { startDate: from, endDate: until, profileId };
  const first = new Date(Date.now() - (Number(days) - 1) * DAY_MS);
  return { startDate: wallTime(first, workspaceZone.value).slice(0, 10), endDate: "", profileId };
}

/**
 * @param {{
 *   query: Record<string, string>, period?: {start: string, end: string}, children?: Children
 * }} props
 */
export function PeriodFilter({ query, period, children }) {
  const { days = "30", from = "", to: until = "" } = query;
  const choose = (/** @type {string} */ value) =>
    filter(
      value === "own"
        ? { days: value, from: period?.start, to: period?.end }
        : { days: value, from: "", to: "" },
    );
  const options = [
    ...PERIODS.map((count) => [
      count,
      count === "365" ? t("Last 12 months") : t("Last {n} days", { n: count }),
    ]),
    ["own", t("Own dates")],
  ];
  return html`
    <form
      class="row filters short"
      onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}
    >
      <${Field} label=${t("Period")} options=${options} value=${days} onInput=${choose} />
      ${days === "own" && html`
        <${DayField}
          label=${t("First day")}
          value=${from}
          onDone=${(/** @type {string} */ day) => filter({ from: day })}
        />
        <${DayField}
          label=${t("Last day")}
          value=${until}
          onDone=${(/** @type {string} */ day) => filter({ to: day })}
        />
      `}
      ${children}
    </form>
  `;
}
