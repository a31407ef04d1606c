// What the service refused.
import { html } from "../html.js";
import { Problem } from "../api.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";
import { issueSentence, placeOf, sentencesOf } from "../words.js";
import { Button } from "./button.js";
import { DeveloperDetails } from "./developer-details.js";

/** @typedef {import("../words.js").Issue} Issue */

const SHOWN_MAX = 10;
/** Codes of this console: no program gets them. */
const OWN = new Set(["offline", "outdated", "not_loaded", "unusable_file"]);
/** What only loading the page again helps against. */
const STALE = new Set(["outdated", "not_loaded"]);

/**
 * What the service refused: what happened, and what to do.
 * @param {{problem: unknown, onRetry?: () => void}} props `problem`: or a sentence of this console
 */
export function ProblemBox({ problem, onRetry }) {
  const { happened, detail, todo } =
    problem instanceof Problem ? sentencesOf(problem) : { happened: String(problem), detail: "", todo: "" };
  const document = problem instanceof Problem ? problem.document : null;
  const isStale = STALE.has(document?.code);
  return html`
    <div class="problem" role="alert">
      <${Icon} name="warn" />
      <div>
        <p>
          <strong>${happened}</strong>
        </p>
        ${detail && html`<p>${detail}</p>`}
        ${document?.errors?.length > 0 && html`<${Issues} issues=${document.errors} />`}
        ${todo && html`
          <p>
            <strong>${t("What to do:")}</strong> ${todo}
          </p>
        `}
        ${document?.code && !OWN.has(document.code) && html`<${DeveloperDetails} ...${document} />`}
        ${onRetry && html`
          <${Button} icon="retry" onClick=${isStale ? () => location.reload() : onRetry}>
            ${isStale ? t("Reload the page") : t("Try again")}
          <//>
        `}
      </div>
    </div>
  `;
}

/** The same is shown once, however many accounts it concerns. @param {{issues: Issue[]}} props */
function Issues({ issues }) {
  const lines = issues.map((issue) =>
    [placeOf(issue.path), issueSentence(issue)].filter(Boolean).join(": "),
  );
  return html`
    <ul>
      ${[...new Set(lines)].slice(0, SHOWN_MAX).map((line) => html`
        <li>${line}</li>
      `)}
    </ul>
  `;
}
