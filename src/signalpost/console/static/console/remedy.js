// What to do about a warning.
import { html } from "./html.js";
import { t } from "./i18n.js";
import { to } from "./router.js";

/** @typedef {import("signalpost/api").Schemas["PostWarning"]} PostWarning */

const ACCOUNT_CODES = new Set([
  "auth_expired",
  "account_disconnected",
  "account_restricted",
  "account_paused",
]);

/**
 * What to do about a warning. About accounts and approvals the service tells programs which operation to
 * call: people get a page.
 * @param {{warning: PostWarning}} props
 */
export function Remedy({ warning }) {
  if (warning.accountId && ACCOUNT_CODES.has(warning.code))
    return html`
      <p class="small">
        <a href=${to(`accounts/${warning.accountId}`)}>${t("Open the account")}</a>
      </p>
    `;
  return warning.remediation && warning.code !== "approval_required" ? html`
    <p class="small">${warning.remediation}</p>
  ` : null;
}
