// Days of the week by number, as the API counts them: 0 is Monday.
import { t } from "./i18n.js";
import { format } from "./time.js";

const MONDAY = Date.UTC(2024, 0, 1);
export const WEEK = [0, 1, 2, 3, 4, 5, 6];

/** @param {number} day @param {"short" | "long"} [weekday] */
export const weekdayName = (day, weekday = "short") =>
  format(new Date(MONDAY + day * 86_400_000), { weekday }, "UTC");

/** Several days in words. @param {number[]} days */
export function daysOf(days) {
  const sorted = [...days].sort().join("");
  if (sorted === "0123456") return t("every day");
  if (sorted === "01234") return t("Monday to Friday");
  return [...sorted].map((day) => weekdayName(Number(day))).join(", ");
}
