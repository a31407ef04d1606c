// A list as a table: loading, refused, without rows, or there.
import { html } from "../html.js";
import { Loaded } from "./loaded.js";
import { Table } from "./table.js";

/** @typedef {import("../html.js").Children} Children */
/** @typedef {{key: string, href?: string, cells: Children[]}} Row */

/**
 * @template T
 * @param {{
 *   loaded: {data: (T[] & {cut?: boolean}) | {data: T[]}, problem: unknown, reload: () => void},
 *   label: string, columns: string[], row: (item: T) => Row, empty?: Children, action?: Children
 * }} props `action`: stands above the rows; `empty`: in place of a table without rows
 */
export function List({ loaded, label, columns, row, empty, action }) {
  return html`
    <${Loaded} loaded=${loaded}>
      ${(/** @type {typeof loaded.data} */ data) => {
        const items = Array.isArray(data) ? data : data.data;
        if (!items.length && empty) return empty;
        return html`
          ${action && html`<p>${action}</p>`}
          <${Table}
            label=${label}
            columns=${columns}
            rows=${items.map(row)}
            cut=${"cut" in data && data.cut}
          />
        `;
      }}
    <//>
  `;
}
