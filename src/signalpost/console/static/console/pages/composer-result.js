// What is wrong with a draft, what to know of it, or that it is ready.
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { tn } from "../i18n.js";
import { Warning } from "../remedy.js";
import { issueSentence } from "../words.js";

/** @typedef {import("signalpost/api").Schemas["PostValidation"]} PostValidation */

/** @param {{checked: PostValidation}} props */
export default function Result({ checked }) {
  // Said at the field.
  const warnings = checked.warnings.filter((warning) => warning.code !== "schedule.dst");
  return html`
    <div role="status">
      ${sentencesFor(checked.errors).map((sentence) => html`
        <div class="notice bad" key=${sentence}>
          <${Icon} name="cross" />
          <p>${sentence}</p>
        </div>
      `)}
      ${warnings.map((warning) => html`
        <div class="notice warn">
          <${Icon} name="warn" />
          <div>
            <${Warning} warning=${warning} />
          </div>
        </div>
      `)}
      ${checked.valid && !warnings.length && html`
        <div class="notice ok">
          <${Icon} name="check" />
          <p>${tn(checked.targets.length, "Ready for {n} account.", "Ready for {n} accounts.")}</p>
        </div>
      `}
    </div>
  `;
}

/**
 * What is wrong, each thing once, however many accounts it concerns.
 * @param {PostValidation["errors"]} errors
 */
const sentencesFor = (errors) => {
  const issues = /** @type {import("../words.js").Issue[]} */ (/** @type {unknown} */ (errors));
  return [...new Set(issues.map(issueSentence))];
};
