// What the plans and their use are called and how they are counted.
import { html } from "../html.js";
import { locale, number, t } from "../i18n.js";
import { Bar } from "../charts.js";
import { limitName } from "../limits.js";
import { me } from "../store.js";
import { format } from "../time.js";

/** Whether there is a subscription that can be changed. @param {string} status */
export const isLive = (status) =>
  ["trialing", "active", "past_due", "cancelled", "paused"].includes(status);
export const isOwner = () => me.value.role === "owner";

/** The name of a limit in the description of a plan. @param {string} key */
export const planLimitName = (key) =>
  ({ posts: t("Posts a month"), aiCaptions: t("Captions by AI a month") })[key] ?? limitName(key);

/** @param {string} key @param {number | null} value null: unlimited */
export function limitValue(key, value) {
  if (value === null) return t("unlimited");
  if (!key.endsWith("Bytes")) return number(value);
  const [unit, size] =
    value >= 1e9 ? ["gigabyte", 1e9] : value >= 1e6 ? ["megabyte", 1e6] : ["kilobyte", 1e3];
  return new Intl.NumberFormat(locale(), {
    style: "unit",
    unit: /** @type {string} */ (unit),
    maximumFractionDigits: 1,
  }).format(value / /** @type {number} */ (size));
}

/** @param {{amount: number, currency: string}} price in minor units */
export const money = ({ amount, currency }) =>
  new Intl.NumberFormat(locale(), {
    style: "currency",
    currency: currency.toUpperCase(),
    minimumFractionDigits: amount % 100 ? 2 : 0,
  }).format(amount / 100);

/** @param {string} at */
export const day = (at) => format(at, { day: "numeric", month: "long", year: "numeric" });

const NEARLY = 0.8;

/**
 * What is used of a limit: from 80 % with a warning, at 100 % with what it means.
 * @param {{
 *   name: string, label?: unknown, used: number, most: number | null, none?: string
 * }} props `none`: what no limit means
 */
export function Use({ name, label, used, most, none = t("unlimited") }) {
  const share = most === null ? 0 : most ? used / most : used ? 1 : 0;
  const full = most !== null && used >= most;
  const tone = full ? "bad" : share >= NEARLY ? "warn" : "";
  const words = full
    ? most
      ? t("used up")
      : t("not in this plan")
    : tone
      ? t("{n} % used", { n: number(Math.floor(share * 100)) })
      : "";
  return html`
    <li class="use">
      <span class="grow">${label ?? limitName(name)}</span>
      <span class="soft">
        ${limitValue(name, used)} / ${most === null ? none : limitValue(name, most)}
      </span>
      ${words && html`<span class=${most ? tone : "soft"}>${words}</span>`}
      ${most !== null && html`<${Bar} share=${share} tone=${most ? tone : ""} />`}
    </li>
  `;
}
