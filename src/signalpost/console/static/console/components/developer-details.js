// What programs get about a problem: folded, since it is of no use to others.
import { html } from "../html.js";
import { hasExtension } from "../api.js";
import { t } from "../i18n.js";
import { to } from "../router.js";

/**
 * @typedef {{
 *   code?: string, detail?: string, remediation?: string | null, requestId?: string,
 *   errors?: {path: string, code: string, message: string}[]
 * }} Details
 */

/** @param {Details} props */
export function DeveloperDetails({ code, detail, remediation, requestId, errors = [] }) {
  return html`
    <details class="small">
      <summary>${t("Details for developers")}</summary>
      <div lang="en">
        ${code && html`
          <p>
            <a href=${`/problems/${code}`} target="_blank" rel="noopener">
              <code>${code}</code>
            </a>
          </p>
        `}
        ${detail && html`<p>${detail}</p>`}
        ${errors.length > 0 && html`
          <ul>
            ${errors.slice(0, 10).map((issue) => html`
              <li>
                <code>${issue.path}</code> <code>${issue.code}</code> ${issue.message}
              </li>
            `)}
          </ul>
        `}
        ${remediation && html`<p>${remediation}</p>`}
        ${requestId && html`
          <p>
            ${hasExtension("request_log") ? html`
              <a href=${to("developers/requests", { requestId })}>
                <code>${requestId}</code>
              </a>
            ` : html`
              <code>${requestId}</code>
            `}
          </p>
        `}
      </div>
    </details>
  `;
}
