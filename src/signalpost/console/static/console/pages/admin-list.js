// What the lists of the administration share: a search that waits until typing pauses, and pages that are
// added below.
import { html } from "../html.js";
import { t } from "../i18n.js";
import { filter } from "../router.js";
import { Empty } from "../components/empty.js";
import { Loaded } from "../components/loaded.js";
import { More } from "../components/more.js";
import { Table } from "../components/table.js";
import { TypedField } from "../components/typed-field.js";

/** @param {{label: string, value: string}} props */
export function Search({ label, value }) {
  const search = (/** @type {string} */ q) => filter({ q });
  return html`
    <${TypedField} label=${label} type="search" value=${value} maxlength="200" onPause=${search} />
  `;
}

/**
 * A list whose next pages are added when they are asked for.
 * @param {{
 *   loaded: {data: any, problem: unknown, reload: () => Promise<void>, setData: (data: any) => void},
 *   path: string, query: Record<string, string>, label: string, columns: string[], numbers?: number[],
 *   row: (item: any) => {key: string, cells: any[]}, empty: string
 * }} props
 */
export function List({ loaded, path, query, label, columns, numbers, row, empty }) {
  return html`
    <${Loaded} loaded=${loaded} lines=${8}>
      ${(/** @type {typeof loaded.data} */ page) =>
        page.data.length ? html`
          <${Table}
            label=${label}
            columns=${columns}
            numbers=${numbers}
            atFirst=${page.data.length}
            rows=${page.data.map(row)}
          />
          <${More} path=${path} query=${query} page=${page} setPage=${loaded.setData} />
        ` : html`
          <${Empty} title=${t("Nothing found")} icon="search">
            ${empty}
          <//>
        `
      }
    <//>
  `;
}
