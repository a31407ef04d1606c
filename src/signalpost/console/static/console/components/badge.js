// How a state looks, wherever it is shown.
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";

const STATES = /** @type {Record<string, [string, string, string]>} */ ({
  draft: ["neutral", "compose", "Draft"],
  scheduled: ["info", "clock", "Scheduled"],
  queued: ["info", "clock", "Queued"],
  publishing: ["info", "send", "Publishing"],
  processing: ["info", "send", "Processing"],
  retrying: ["warn", "retry", "Retrying"],
  published: ["ok", "check", "Published"],
  partial: ["warn", "warn", "Partly published"],
  failed: ["bad", "cross", "Failed"],
  unknown: ["unknown", "question", "Unknown"],
  cancelled: ["neutral", "close", "Cancelled"],
  removed: ["neutral", "trash", "Removed"],
  pending: ["info", "clock", "Waiting"],
  held: ["warn", "pause", "Held"],
  active: ["ok", "check", "Active"],
  expiring: ["warn", "clock", "Expiring"],
  needs_reauth: ["bad", "warn", "Reconnect"],
  restricted: ["bad", "warn", "Restricted"],
  paused: ["neutral", "pause", "Paused"],
  disconnected: ["neutral", "close", "Disconnected"],
  disabled: ["bad", "cross", "Disabled"],
  delivered: ["ok", "check", "Delivered"],
  skipped: ["neutral", "pause", "Skipped"],
  permanently_failed: ["bad", "cross", "Given up"],
  healthy: ["ok", "check", "Healthy"],
  warning: ["warn", "warn", "Warning"],
  error: ["bad", "cross", "Error"],
  expired: ["neutral", "clock", "Expired"],
  revoked: ["neutral", "close", "Revoked"],
  invited: ["info", "send", "Invited"],
  declined: ["neutral", "close", "Declined"],
  suspended: ["warn", "pause", "Suspended"],
  opened: ["info", "link", "Opened"],
  partially_connected: ["info", "link", "Partly connected"],
  completed: ["ok", "check", "Completed"],
  ready: ["ok", "check", "Ready"],
  uploaded: ["info", "clock", "Uploaded"],
  deleted: ["neutral", "trash", "Deleted"],
  open: ["info", "dot", "Open"],
  in_progress: ["info", "dot", "In progress"],
  waiting: ["warn", "clock", "Waiting"],
  resolved: ["ok", "check", "Resolved"],
  closed: ["neutral", "close", "Closed"],
  waiting_on_user: ["warn", "clock", "Waiting for you"],
  planned: ["info", "clock", "Planned"],
  shipped: ["ok", "check", "Shipped"],
  live: ["ok", "dot", "Live"],
  test: ["neutral", "dot", "Test"],
});

/** How a state looks, wherever it is shown: colour, icon and word. @param {string} state */
export function stateLook(state) {
  const [tone, icon, word] = STATES[state] ?? ["neutral", "dot", state.replaceAll("_", " ")];
  return { tone, icon, word: t(word) };
}

/** @param {{state: string}} props */
export function Badge({ state }) {
  const { tone, icon, word } = stateLook(state);
  return html`
    <span class=${`badge ${tone}`}>
      <${Icon} name=${icon} />
      ${word}
    </span>
  `;
}
