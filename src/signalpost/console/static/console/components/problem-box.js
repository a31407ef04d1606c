// What the service refused.
import { html } from "../html.js";
import { Problem } from "../api.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";
import { to } from "../router.js";
import { Button } from "./button.js";

/**
 * What the service refused: what happened, what to do, and the id of the request.
 * @param {{problem: unknown, onRetry?: () => void}} props
 */
export function ProblemBox({ problem, onRetry }) {
  const document = problem instanceof Problem ? problem.document : { detail: String(problem) };
  return html`
    <div class="problem" role="alert">
      <${Icon} name="warn" />
      <div>
        <p>
          <strong>${document.title ?? t("Something went wrong")}</strong>
        </p>
        ${document.detail && document.detail !== document.title && html`<p>${document.detail}</p>`}
        ${document.errors?.length > 0 && html`
          <ul>
            ${document.errors.slice(0, 10).map((/** @type {any} */ issue) => html`
              <li>
                <code>${issue.path}</code> ${issue.message}
              </li>
            `)}
          </ul>
        `}
        ${document.remediation && html`
          <p>
            <strong>${t("What to do:")}</strong> ${document.remediation}
          </p>
        `}
        <p class="soft small">
          ${document.code && html`
            <a href=${`/problems/${document.code}`} target="_blank" rel="noopener">
              ${document.code}
            </a>
          `}
          ${document.requestId && html`
            ${" "}
            ·${" "}
            <a href=${to("developers/requests", { requestId: document.requestId })}>
              <code>${document.requestId}</code>
            </a>
          `}
        </p>
        ${onRetry && html`
          <${Button} icon="retry" onClick=${onRetry}>
            ${t("Try again")}
          <//>
        `}
      </div>
    </div>
  `;
}
