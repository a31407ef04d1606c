// CSV as people have it: in any of the usual encodings, separators and line ends. A large file is read in
// steps, between which the page answers.
import { Problem } from "../api.js";
import { number, t } from "../i18n.js";

/** @typedef {{records: string[][], lines: number[], notes: string[]}} Table `lines`: in which each begins */

export const BYTES_MAX = 10_485_760;
export const ROWS_MAX = 10_000;
const COLUMNS_MAX = 300;
const STEP_MS = 8;
const SEPARATORS = [",", ";", "\t", "|"];
const FIRST_LINES = 20_000;

/** @param {string} detail */
const refusal = (detail) => new Problem({ code: "", title: t("This file cannot be read"), detail }, 0);

/** Let the page answer what has happened meanwhile. @returns {Promise<void>} */
export const breathe = () => new Promise((resolve) => setTimeout(resolve));

/**
 * The text of a file, and what to say of how it was read.
 * @param {Uint8Array} bytes
 * @returns {{text: string, notes: string[]}}
 */
export function decode(bytes) {
  if (bytes.length > BYTES_MAX)
    throw refusal(t("It has more than {n} MB. Split it.", { n: number(BYTES_MAX >> 20) }));
  if (bytes[0] === 0x50 && bytes[1] === 0x4b)
    throw refusal(
      t("It is a workbook. Save it as CSV in your spreadsheet program, then choose that file."),
    );
  const encoding = encodingOf(bytes);
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (text.includes("\0")) throw refusal(t("It is not a text file."));
    return { text, notes: [] };
  } catch (error) {
    if (error instanceof Problem || encoding !== "utf-8") throw refusal(t("It is not a text file."));
  }
  const text = new TextDecoder("windows-1252").decode(bytes);
  if (text.includes("\0")) throw refusal(t("It is not a text file."));
  return {
    text,
    notes: [t("The file is not UTF-8. It was read as Windows-1252: look whether its accents are right.")],
  };
}

/** By the byte order mark, else by where the zeros of plain letters are. @param {Uint8Array} bytes */
function encodingOf(bytes) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  const zeros = [0, 0];
  const start = bytes.subarray(0, 1_000);
  start.forEach((byte, index) => {
    if (!byte) zeros[index % 2] += 1;
  });
  if (zeros[1] > start.length / 4) return "utf-16le";
  return zeros[0] > start.length / 4 ? "utf-16be" : "utf-8";
}

/**
 * What separates the cells: whatever occurs most often outside of quotes in the first line.
 * @param {string} text
 */
export function separatorOf(text) {
  const unquoted = text.slice(0, FIRST_LINES).replaceAll(/"(?:[^"]|"")*"?/g, "");
  const first = unquoted.split(/\r\n|\r|\n/).find((line) => line.trim()) ?? "";
  const counts = SEPARATORS.map((separator) => first.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))];
}

class Reader {
  /** @param {string} text @param {string} [separator] @param {number} [line] */
  constructor(text, separator, line = 1) {
    this.text = text;
    this.separator = separator ?? separatorOf(text);
    this.line = line;
    this.at = 0;
    this.ends = new RegExp(`[${this.separator === "|" ? "\\|" : this.separator}\r\n]`, "g");
  }

  get isOver() {
    return this.at >= this.text.length;
  }

  /** @returns {string[]} the cells of the next row */
  record() {
    const cells = [];
    const { line } = this;
    for (;;) {
      cells.push(this.cell(line));
      if (cells.length > COLUMNS_MAX)
        throw refusal(t("The row of line {line} has more than {n} cells.", { line, n: COLUMNS_MAX }));
      const end = this.text[this.at];
      this.at += 1;
      if (end === this.separator) continue;
      if (end === "\r" && this.text[this.at] === "\n") this.at += 1;
      this.line += 1;
      return cells;
    }
  }

  /** @param {number} line in which the row begins */
  cell(line) {
    let quoted = "";
    if (this.text[this.at] === '"') {
      quoted = this.quoted(line);
      this.line += quoted.split("\n").length - 1;
    }
    // what follows the closing quote up to the separator belongs to the cell, too
    this.ends.lastIndex = this.at;
    const end = this.ends.exec(this.text)?.index ?? this.text.length;
    const rest = this.text.slice(this.at, end);
    this.at = end;
    return quoted + rest;
  }

  /** @param {number} line */
  quoted(line) {
    const start = this.at + 1;
    let end = start;
    for (;;) {
      end = this.text.indexOf('"', end);
      if (end < 0)
        throw refusal(t("The row of line {line} has an opening quote without a closing one.", { line }));
      if (this.text[end + 1] !== '"') break;
      end += 2;
    }
    this.at = end + 1;
    return this.text.slice(start, end).replaceAll('""', '"');
  }
}

/**
 * Split a text into rows of cells; blank rows are left out.
 * @param {string} text
 * @returns {Promise<Table>}
 */
export async function parse(text) {
  const named = /^sep=([,;\t|])\r?\n/.exec(text); // how Excel names it
  const reader = new Reader(named ? text.slice(named[0].length) : text, named?.[1], named ? 2 : 1);
  /** @type {Table} */
  const table = { records: [], lines: [], notes: [] };
  let began = performance.now();
  for (let count = 0; !reader.isOver; count += 1) {
    const { line } = reader;
    const record = reader.record();
    if (record.some((cell) => cell.trim())) {
      table.records.push(record.map(plain));
      table.lines.push(line);
      if (table.records.length > ROWS_MAX + 1)
        throw refusal(t("It has more than {n} rows. Split it.", { n: number(ROWS_MAX) }));
    }
    if (count % 50 === 0 && performance.now() - began > STEP_MS) {
      await breathe();
      began = performance.now();
    }
  }
  if (!table.records.length) throw refusal(t("There is nothing in it."));
  return table;
}

/** `="0049"` and `'=1` are how spreadsheets keep a text as it is. @param {string} cell */
const plain = (cell) => (/^="([^"]*)"$/.exec(cell)?.[1] ?? cell).replace(/^'(?=[=+\-@])/, "");
