// The posts of a period with their numbers, a row for each on each network: those of the export, which is one
// call for all.
import { call } from "../api.js";
import { t } from "../i18n.js";

export const ROWS_MAX = 10_000;
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/gy;
const ESCAPED = /^'(?=[=+\-@\t\r])/;

/**
 * The rows of a CSV file by the names of its first line.
 * @param {string} text
 * @returns {Record<string, string>[]}
 */
function rowsOf(text) {
  /** @type {string[][]} */
  const lines = [[]];
  for (const [, quoted, plain, end] of text.matchAll(CELL)) {
    lines[lines.length - 1].push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "\r\n") lines.push([]);
    else if (end === "" || lines.length > ROWS_MAX + 1) break;
  }
  const [names, ...rest] = lines;
  return rest
    .filter((line) => line.length === names.length)
    .map((line) => Object.fromEntries(names.map((name, index) => [name, line[index]])));
}

/** A number of a row; null: not given. @param {string} cell */
export const numeric = (cell) => (cell === "" ? null : Number(cell));

/** @param {string} text of a cell, in which nothing is a formula */
const plain = (text) => text.replace(ESCAPED, "");

/** @param {Record<string, string>} row */
export const titleOf = (row) => plain(row.title) || plain(row.excerpt) || t("Post without text");

/**
 * At most `ROWS_MAX` rows.
 * @param {{startDate: string, endDate: string, profileId: string}} period
 */
export async function postRows(period) {
  const query = { ...period, format: "csv" };
  return rowsOf(await (await call("GET", "/analytics/export", { query, file: true })).text());
}
