// A table as CSV that spreadsheet programs show as it is: a cell that they would compute begins with an
// apostrophe (OWASP, "CSV Injection").

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
  const link = document.createElement("a");
  // The mark tells spreadsheet programs that it is UTF-8.
  link.href = URL.createObjectURL(new Blob(["\uFEFF", text, "\r\n"], { type: "text/csv" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
