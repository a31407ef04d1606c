// A table as CSV that spreadsheet programs show as it is: a cell that they would compute begins with an
// apostrophe (OWASP, "CSV Injection").
import { saveFile } from "./api.js";

/** @param {unknown} value */
function cell(value) {
  const text = String(value ?? "");
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /["\n\r,;]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * Save a table as a file of the browser.
 * @param {string} name
 * @param {unknown[][]} rows
 */
export function saveCsv(name, rows) {
  const text = rows.map((row) => row.map(cell).join(",")).join("\r\n");
  // The mark tells spreadsheet programs that it is UTF-8.
  saveFile(name, new Blob(["\uFEFF", text, "\r\n"], { type: "text/csv" }));
}
