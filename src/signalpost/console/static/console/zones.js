// Days and wall times of a zone, where clocks change too. A day is "2026-10-25", a wall time
// "2026-10-25T02:30".
import { locale, t } from "./i18n.js";
import { format, wallTime } from "./time.js";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** @param {number} at @param {string} zone */
const offset = (at, zone) =>
  Date.parse(`${wallTime(new Date(at), zone)}Z`) - Math.floor(at / 60_000) * 60_000;

/**
 * The instants that a wall time means: none where clocks are put forward, two where they are put back.
 * @param {string} wall
 * @param {string} zone
 */
export function instants(wall, zone) {
  const utc = Date.parse(`${wall}Z`);
  const offsets = new Set([utc - DAY_MS, utc + DAY_MS].map((at) => offset(at, zone)));
  return [...offsets]
    .map((ms) => new Date(utc - ms))
    .filter((at) => wallTime(at, zone) === wall)
    .sort((a, b) => a.getTime() - b.getTime());
}

/**
 * The instant that the service takes for a wall time: the first of two; later by the gap where there is none.
 * @param {string} wall
 * @param {string} zone
 */
export function resolve(wall, zone) {
  const utc = Date.parse(`${wall}Z`);
  return instants(wall, zone)[0] ?? new Date(utc - offset(utc - DAY_MS, zone));
}

/**
 * What to say of a wall time that does not exist, or occurs twice.
 * @param {string} wall
 * @param {string} zone
 */
export function clockNote(wall, zone) {
  const count = instants(wall, zone).length;
  if (!count)
    return t("This time does not exist: the clocks go forward. {time} is taken.", {
      time: format(resolve(wall, zone), { hour: "2-digit", minute: "2-digit" }, zone),
    });
  return count > 1 ? t("This time occurs twice: the clocks go back. The first one is taken.") : undefined;
}

/** @param {string} date @param {number} days */
export const addDays = (date, days) =>
  new Date(Date.parse(`${date}T00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
/** @param {string} date @param {number} months */
export function addMonths(date, months) {
  const [year, month, day] = date.split("-").map(Number);
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(day, last))).toISOString().slice(0, 10);
}
/** @param {Date} at @param {string} zone */
export const dateOf = (at, zone) => wallTime(at, zone).slice(0, 10);
/** The first instant of a day. @param {string} date @param {string} zone */
export const dayStart = (date, zone) => resolve(`${date}T00:00`, zone);

/** The first day of the week of a day, as the language has it. @param {string} date */
export function weekStart(date) {
  const info = /** @type {any} */ (new Intl.Locale(locale()));
  const first = (info.getWeekInfo?.() ?? info.weekInfo ?? { firstDay: 1 }).firstDay % 7;
  return addDays(date, -((new Date(`${date}T00:00Z`).getUTCDay() - first + 7) % 7));
}

/**
 * The hours of a day: 23 or 25 where clocks change.
 * @param {string} date
 * @param {string} zone
 * @returns {{at: Date, wall: string}[]}
 */
export function hoursOf(date, zone) {
  const hours = [];
  const end = dayStart(addDays(date, 1), zone).getTime();
  for (let at = dayStart(date, zone).getTime(); at < end; at += HOUR_MS)
    hours.push({ at: new Date(at), wall: wallTime(new Date(at), zone) });
  return hours;
}

/** A day in words. @param {string} date @param {Intl.DateTimeFormatOptions} options */
export const dayName = (date, options) =>
  new Intl.DateTimeFormat(locale(), { timeZone: "UTC", ...options }).format(new Date(`${date}T00:00Z`));
