// A warning about a post: what it says, and what to do.
import { html } from "./html.js";
import { t } from "./i18n.js";
import { to } from "./router.js";
import { accountOf, networkName } from "./store.js";
import { failureSentences } from "./words.js";

/** @typedef {import("signalpost/api").Schemas["PostWarning"]} PostWarning */

const ACCOUNT_CODES = new Set([
  "auth_expired",
  "account_disconnected",
  "account_restricted",
  "account_paused",
  "account_not_ready",
]);

/** @param {{warning: PostWarning}} props */
export function Warning({ warning }) {
  const account = accountOf(warning.accountId ?? "");
  const whose =
    account && ACCOUNT_CODES.has(warning.code)
      ? `${account.username} · ${networkName(account.platform)}: `
      : "";
  return html`
    <p>
      ${whose}
      ${failureSentences(warning).happened}
    </p>
    <${Remedy} warning=${warning} />
  `;
}

/** What to do about it. @param {{warning: PostWarning}} props */
export function Remedy({ warning }) {
  const { todo } = failureSentences(warning);
  const isOfAccount = warning.accountId && ACCOUNT_CODES.has(warning.code);
  return html`
    ${todo && html`<p class="small">${todo}</p>`}
    ${isOfAccount && html`
      <p class="small">
        <a href=${to(`accounts/${warning.accountId}`)}>${t("Open the account")}</a>
      </p>
    `}
  `;
}
