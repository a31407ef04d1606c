// A table.
import { html, useState } from "../html.js";
import { number, t } from "../i18n.js";
import { Button } from "./button.js";

/** @typedef {import("../html.js").Children} Children */
/** @typedef {{key: string, href?: string, cells: Children[], pick?: Children}} TableRow */

const ROWS_MAX = 100;

/**
 * A table; on a phone each row is a card with the column names beside the values. The rows of a long one are
 * shown a hundred at a time, or `atFirst`, so that a page stays light; `cut` says that the list itself goes
 * on.
 * @param {{
 *   label: string, columns: string[], rows: TableRow[], cut?: boolean, atFirst?: number, numbers?: number[],
 *   pickAll?: Children
 * }} props `numbers`: the columns with numbers; `pickAll`: the box above those in front of the rows
 */
export function Table({ label, columns, rows, cut, atFirst = ROWS_MAX, numbers = [], pickAll }) {
  const [most, setMost] = useState(atFirst);
  const kind = (/** @type {number} */ index) => (numbers.includes(index) ? "number" : undefined);
  return html`
    <table class="table" aria-label=${label}>
      <thead>
        <tr>
          ${pickAll && html`
            <th scope="col" class="picks">
              <span class="hidden">${t("Chosen")}</span>
              ${pickAll}
            </th>
          `}
          ${columns.map((name, index) => html`
            <th scope="col" class=${kind(index)}>
              ${name || html`<span class="hidden">${t("Actions")}</span>`}
            </th>
          `)}
        </tr>
      </thead>
      <tbody>
        ${rows.slice(0, most).map((row) => html`
          <tr key=${row.key}>
            ${row.pick && html`<td class="picks">${row.pick}</td>`}
            ${row.cells.map((cell, index) => html`
              <td data-label=${columns[index]} class=${kind(index)}>
                ${index === 0 && row.href ? html`
                  <a href=${row.href} class="row-link">
                    ${cell}
                  </a>
                ` : (
                  cell
                )}
              </td>
            `)}
          </tr>
        `)}
      </tbody>
    </table>
    ${rows.length > most ? html`
      <p class="more">
        <${Button} onClick=${() => setMost(most + ROWS_MAX)}>${t("Show more")}<//>
      </p>
    ` : (
      cut && html`
        <p class="more soft">
          ${t("Only the first {n} are shown here; the API lists all.", { n: number(rows.length) })}
        </p>
      `
    )}
  `;
}
