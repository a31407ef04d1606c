// What is loading, was refused, or is there.
import { html } from "../html.js";
import { t } from "../i18n.js";
import { ProblemBox } from "./problem-box.js";

/** @typedef {import("../html.js").Children} Children */

/**
 * Grey lines, seen only if loading takes longer than 200 ms (the style sheet waits).
 * @param {{lines?: number}} props
 */
export function Skeleton({ lines = 4 }) {
  return html`
    <div class="skeleton" aria-busy="true" aria-label=${t("Loading")} role="status">
      ${Array.from({ length: lines }, () => html`
        <span />
      `)}
    </div>
  `;
}

/**
 * The three ways a list can be: loading, refused, or there.
 * @param {{
 *   loaded: {data: any, problem: unknown, reload: () => void}, lines?: number,
 *   children: (data: any) => Children
 * }} props
 */
export function Loaded({ loaded, lines, children }) {
  if (loaded.problem && loaded.data === undefined)
    return html`<${ProblemBox} problem=${loaded.problem} onRetry=${loaded.reload} />`;
  if (loaded.data === undefined) return html`<${Skeleton} lines=${lines} />`;
  return html`
    ${loaded.problem && html`<${ProblemBox} problem=${loaded.problem} onRetry=${loaded.reload} />`}
    ${children(loaded.data)}
  `;
}
