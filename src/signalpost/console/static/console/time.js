// Times. The zone of the workspace (or of a post) is the truth; the tooltip has UTC and the viewer's own.
import { html } from "./html.js";
import { locale, t } from "./i18n.js";
import { zone } from "./store.js";

/** @param {string | Date} at @param {Intl.DateTimeFormatOptions} options @param {string} [timeZone] */
export function format(at, options, timeZone = zone.value) {
  return new Intl.DateTimeFormat(locale(), { timeZone, ...options }).format(new Date(at));
}

/** @param {string | Date} at @param {string} [timeZone] */
export function dateTime(at, timeZone) {
  return format(
    at,
    {
      day: "numeric",
      month: "short",
      hour: "2-digit",
      minute: "2-digit",
      ...(isThisYear(at) ? {} : { year: "numeric" }),
    },
    timeZone,
  );
}

/** @param {string | Date} at */
const isThisYear = (at) => new Date(at).getFullYear() === new Date().getFullYear();

/** "Paris, UTC+2": what stands under every time field. @param {string} timeZone @param {Date} [at] */
export function zoneLabel(timeZone, at = new Date()) {
  const parts = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "shortOffset" }).formatToParts(at);
  const offset = parts.find((part) => part.type === "timeZoneName")?.value.replace("GMT", "UTC") ?? "UTC";
  return timeZone === "UTC" ? "UTC" : `${timeZone.split("/").at(-1)?.replaceAll("_", " ")}, ${offset}`;
}

const UNITS = /** @type {[Intl.RelativeTimeFormatUnit, number][]} */ ([
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
]);

/** "in 3 hours". @param {string | Date} at */
export function relative(at) {
  const seconds = (new Date(at).getTime() - Date.now()) / 1000;
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(locale(), { numeric: "auto" }).format(
    Math.trunc(seconds / size),
    unit,
  );
}

/**
 * A time with its tooltip.
 * @param {{at: string | null, timeZone?: string, kind?: "relative" | "full"}} props
 */
export function Time({ at, timeZone, kind = "full" }) {
  if (!at) return html`<span class="soft">–</span>`;
  const title = [
    `${dateTime(at, "UTC")} UTC`,
    t("yours: {time}", { time: dateTime(at, Intl.DateTimeFormat().resolvedOptions().timeZone) }),
  ].join(" · ");
  return html`
    <time datetime=${at} title=${title}>
      ${kind === "relative" ? relative(at) : dateTime(at, timeZone)}
    </time>
  `;
}

// Making a formatter takes longer than formatting.
const walls = /** @type {Map<string, Intl.DateTimeFormat>} */ (new Map());

/**
 * The wall time of an instant in a zone, as a `datetime-local` field has it.
 * @param {Date} at
 * @param {string} timeZone
 */
export function wallTime(at, timeZone) {
  const cached = walls.get(timeZone);
  const of =
    cached ??
    new Intl.DateTimeFormat("en", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
    });
  if (!cached) walls.set(timeZone, of);
  const parts = Object.fromEntries(of.formatToParts(at).map((part) => [part.type, part.value]));
  // While "2026" is typed, the year is 2, 20 and 202.
  const year = parts.year.padStart(4, "0");
  return `${year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}`;
}
