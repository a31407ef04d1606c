// Sizes and lengths of time, as people write them.
import { locale } from "./i18n.js";

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];

/** "1.2 MB". @param {number} bytes */
export function size(bytes) {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log(bytes) / Math.log(1000)));
  return new Intl.NumberFormat(locale(), {
    style: "unit",
    unit: UNITS[power],
    unitDisplay: power ? "short" : "long",
    maximumFractionDigits: power ? 1 : 0,
  }).format(bytes / 1000 ** power);
}

/** "90 seconds", "10 minutes". @param {number} ms */
export function duration(ms) {
  const inMinutes = ms >= 120_000 && ms % 60_000 === 0;
  return new Intl.NumberFormat(locale(), {
    style: "unit",
    unit: inMinutes ? "minute" : "second",
    unitDisplay: "long",
    maximumFractionDigits: 1,
  }).format(ms / (inMinutes ? 60_000 : 1000));
}

/**
 * What keeps the focal point of a picture in view where its box cuts it.
 * @param {{x: number, y: number} | null} [point]
 */
export const inView = (point) =>
  point ? { objectPosition: `${point.x * 100}% ${point.y * 100}%` } : undefined;
