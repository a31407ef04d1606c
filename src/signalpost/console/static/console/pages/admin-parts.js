// What the views of the administration share.
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { locale, t } from "../i18n.js";

const UNITS = /** @type {[string, number][]} */ ([
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
]);

/** How long, in the largest unit that fits. @param {number} seconds */
export function duration(seconds) {
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ["second", 1];
  return new Intl.NumberFormat(locale(), {
    style: "unit",
    unit,
    unitDisplay: "long",
    maximumFractionDigits: seconds < 10 ? 1 : 0,
  }).format(seconds / size);
}

const MARKS = () =>
  /** @type {Record<string, [string, string, string]>} */ ({
    operational: ["ok", "check", t("Works")],
    under_maintenance: ["info", "pause", t("Maintenance")],
    degraded_performance: ["warn", "warn", t("Slow")],
    partial_outage: ["warn", "warn", t("Partly down")],
    major_outage: ["bad", "cross", t("Down")],
    investigating: ["bad", "question", t("Being looked into")],
    identified: ["warn", "dot", t("Cause known")],
    monitoring: ["info", "clock", t("Being watched")],
    resolved: ["ok", "check", t("Resolved")],
    scheduled: ["info", "clock", t("Scheduled")],
    in_progress: ["info", "dot", t("In progress")],
    verifying: ["info", "clock", t("Being checked")],
    completed: ["ok", "check", t("Completed")],
  });
/** @param {string} key */
export const markName = (key) => MARKS()[key]?.[2] ?? key;

/** The status of a component or an incident. @param {{status: string}} props */
export function Mark({ status }) {
  const [tone, icon, word] = MARKS()[status] ?? ["neutral", "dot", status];
  return html`
    <span class=${`badge ${tone}`}>
      <${Icon} name=${icon} />
      ${word}
    </span>
  `;
}
