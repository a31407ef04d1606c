// An import: a file, what its columns mean, its rows, and what became of each. It is kept in the browser.
import { signal, useEffect, useState } from "../html.js";
import { Problem, newKey } from "../api.js";
import { t } from "../i18n.js";
import { inTurn } from "../many.js";
import { activeProfiles } from "../store.js";
import { guessed, isDayFirst, sourceOf } from "./import-columns.js";
import { breathe, decode, parse } from "./import-csv.js";
import { drop, keep, load } from "./import-kept.js";
import { bodyOf } from "./import-rows.js";
import { PART, fingerprint, partsOf, send } from "./import-send.js";

/** @typedef {import("./import-rows.js").Cells} Cells */
/** @typedef {import("./import-rows.js").Choices} Choices */
/** @typedef {import("./import-rows.js").Remark} Remark */
/** @typedef {import("../many.js").Progress} Progress */
/** @typedef {import("./import-columns.js").Column} Column */
/**
 * @typedef {{name: string, id: string, records: string[][], lines: number[], notes: string[]}} Source
 */
/** @typedef {{hasHeader: boolean, columns: Column[], choices: Choices}} Meaning */
/** @typedef {"new" | "refused" | "ready" | "created" | "there"} State `there`: from an earlier import */
/**
 * @typedef {{
 *   index: number, line: number, cells: Cells, state: State, remarks: Remark[], notes: string[],
 *   postId: string
 * }} Row
 */
/**
 * @typedef {{
 *   meaning: Meaning, step: "columns" | "rows", edits: Record<number, Cells>, posts: Record<number, string>,
 *   attempt: number, suffix: string
 * }} Kept what changes of an import; `suffix`: of the ids of one that is made once more
 */

const CHECK_AFTER_MS = 700;
const STEP_CHARACTERS = 500_000;
const STEP_ROWS = 250;

/** @param {string} text of a file, which may be long */
async function fileId(text) {
  let parts = "";
  for (let start = 0; start < text.length; start += STEP_CHARACTERS) {
    [parts] = fingerprint(parts + text.slice(start, start + STEP_CHARACTERS));
    await breathe();
  }
  return parts;
}

/** @param {string} name @param {Uint8Array} bytes @returns {Promise<Source>} */
export async function read(name, bytes) {
  const { text, notes } = decode(bytes);
  const table = await parse(text);
  return { name, id: await fileId(text), records: table.records, lines: table.lines, notes };
}

/**
 * What the columns seem to mean, and what holds for the whole file.
 * @param {Source} source @returns {Meaning}
 */
export function meaningOf(source) {
  const { hasHeader, columns } = guessed(source.records);
  const dates = source.records.map((record) => record[columns.indexOf("date")] ?? "");
  const isAmerican = /-US$/.test(navigator.language) || sourceOf(source.records[0]) === "Buffer";
  const choices = {
    profileId: activeProfiles.value.length === 1 ? activeProfiles.value[0].id : "",
    networks: [],
    timezone: "",
    isDayFirst: isDayFirst(dates, !isAmerican),
    areDrafts: false,
    withoutTime: /** @type {const} */ ("draft"),
  };
  return { hasHeader, columns, choices };
}

/** @param {Source} source @param {Kept} state @returns {Promise<Row[]>} */
async function rowsOf(source, { meaning, edits, posts }) {
  const rows = /** @type {Row[]} */ ([]);
  for (let index = meaning.hasHeader ? 1 : 0; index < source.records.length; index += 1) {
    const postId = posts[index] ?? "";
    const cells = { ...cellsOf(source.records[index], meaning.columns), ...edits[index] };
    const state = /** @type {State} */ (postId ? "created" : "new");
    const row = { index, line: source.lines[index], cells, state, remarks: [], notes: [], postId };
    look(row, meaning.choices);
    rows.push(row);
    if (rows.length % STEP_ROWS === 0) await breathe();
  }
  return rows;
}

/**
 * Cells by their meaning; addresses may stand in several.
 * @param {string[]} record @param {string[]} columns
 */
function cellsOf(record, columns) {
  const cells = /** @type {Cells} */ ({});
  columns.forEach((column, index) => {
    if (column && record[index]) cells[column] = [cells[column], record[index]].filter(Boolean).join(" ");
  });
  return cells;
}

/** What can be said of a row without asking. @param {Row} row @param {Choices} choices */
function look(row, choices) {
  if (row.postId) return;
  row.remarks = bodyOf(row.cells, choices).remarks;
  row.notes = [];
  row.state = row.remarks.length ? "refused" : "new";
}

/** The import that is under way, and what can be done with it. */
export class Import {
  constructor() {
    this.version = signal(0);
    this.source = /** @type {Source | null} */ (null);
    this.state = /** @type {Kept | null} */ (null);
    this.rows = /** @type {Row[]} */ ([]);
    this.isReady = false;
    /** Whether the browser keeps it. */
    this.isKept = true;
    this.running = /** @type {"" | "check" | "create"} */ ("");
    this.progress = /** @type {Progress | null} */ (null);
    this.problem = /** @type {unknown} */ (null);
    this.aborter = new AbortController();
    this.timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  }

  /** Have the component be drawn again after each change: the parts of an import change where they are. */
  watch() {
    return this.version.value;
  }

  redraw() {
    this.version.value += 1;
  }

  /** Go on with what the browser has kept. */
  async open() {
    try {
      const [source, state] = await Promise.all([load("source"), load("state")]);
      if (source && state) {
        this.source = /** @type {Source} */ (source);
        this.state = /** @type {Kept} */ (state);
        await this.build();
      }
    } catch {
      this.isKept = false; // a browser that keeps nothing: the page says so
    }
    this.isReady = true;
    this.redraw();
    if (this.state?.step === "rows") await this.run("check");
  }

  close() {
    clearTimeout(this.timer);
    this.aborter.abort();
  }

  /** Wait for what the browser is to keep or to forget. @param {Promise<unknown>} saving */
  async remember(saving) {
    try {
      await saving;
    } catch {
      this.isKept = false; // the page says that this browser keeps nothing
      this.redraw();
    }
  }

  /** @param {string} name @param {Uint8Array} bytes */
  async choose(name, bytes) {
    this.source = await read(name, bytes);
    this.state = {
      meaning: meaningOf(this.source),
      step: /** @type {const} */ ("columns"),
      edits: {},
      posts: {},
      attempt: 1,
      suffix: "",
    };
    this.problem = null;
    const { source, state } = this;
    void this.remember(keep("source", source).then(() => keep("state", state)));
    this.redraw();
  }

  async build() {
    if (this.source && this.state?.step === "rows") this.rows = await rowsOf(this.source, this.state);
    this.redraw();
  }

  /** @param {Partial<Kept>} values */
  change(values) {
    if (!this.state) return;
    this.state = { ...this.state, ...values };
    void this.remember(keep("state", this.state));
    this.redraw();
  }

  /** @param {Partial<Meaning>} values */
  redefine(values) {
    if (this.state) this.change({ meaning: { ...this.state.meaning, ...values } });
  }

  /** @param {Partial<Choices>} values */
  choices(values) {
    if (this.state) this.redefine({ choices: { ...this.state.meaning.choices, ...values } });
  }

  async check() {
    this.rows = [];
    this.change({ step: "rows" });
    await this.build();
    await this.run("check");
  }

  /** Make posts of rows once more of which an earlier import made posts. */
  async repeat() {
    this.change({ suffix: `-${newKey().slice(-6)}` });
    await this.build();
    await this.run("check");
  }

  /** @param {Row} row @param {string} field @param {string} value */
  edit(row, field, value) {
    if (!this.state) return;
    row.cells = { ...row.cells, [field]: value };
    this.state.edits[row.index] = row.cells;
    look(row, this.state.meaning.choices);
    this.redraw();
    this.checkLater();
  }

  /** When nothing has been changed for a moment, what was changed is kept, and checked. */
  checkLater() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.state) void this.remember(keep("state", this.state));
      if (this.rows.some((row) => row.state === "new")) void this.run("check");
    }, CHECK_AFTER_MS);
  }

  /** Forget this import: another file is offered when a reload would not bring this one back. */
  async discard() {
    this.close();
    this.source = this.state = this.problem = this.progress = null;
    this.rows = [];
    this.isReady = false;
    this.redraw();
    await this.remember(Promise.all([drop("source"), drop("state")]));
    this.isReady = true;
    this.redraw();
  }

  /**
   * Check the rows that are not checked, or make posts of those that are ready.
   * @param {"check" | "create"} purpose
   */
  async run(purpose) {
    const { source, state } = this;
    const isDryRun = purpose === "check";
    const chosen = this.rows.filter((row) => row.state === (isDryRun ? "new" : "ready"));
    if (this.running || !source || !state || !chosen.length) return;
    this.running = purpose;
    this.problem = null;
    this.aborter = new AbortController();
    const stop = this.aborter.signal;
    try {
      await this.sendAll(chosen, { ...state, id: source.id }, isDryRun, PART.rows);
      if (!isDryRun) state.attempt += 1; // each part was answered: what is sent now is another request
    } catch (error) {
      // A lost answer is asked for under the same key; after a refusal it is another request.
      if (error instanceof Problem && error.status >= 400 && error.status < 500) state.attempt += 1;
      this.problem = error;
    }
    if (this.state === state) void this.remember(keep("state", state));
    this.running = "";
    this.redraw();
    const isWaiting = this.rows.some((row) => row.state === "new");
    if (isWaiting && !this.problem && !stop.aborted) this.checkLater();
  }

  /**
   * Send rows, so many at once, or as few as the plan allows.
   * @param {Row[]} rows @param {Kept & {id: string}} state @param {boolean} isDryRun @param {number} most
   * @returns {Promise<void>}
   */
  async sendAll(rows, state, isDryRun, most) {
    const tell = (/** @type {Progress} */ progress) => {
      this.progress = progress;
      this.redraw();
    };
    const act = async (/** @type {Row[]} */ part) => {
      await send(part, state, isDryRun);
      for (const row of part) if (row.state === "created") state.posts[row.index] = row.postId;
      if (!isDryRun && this.state) void this.remember(keep("state", this.state));
    };
    try {
      await inTurn(partsOf(rows, most), (part) => part.length, act, tell, this.aborter.signal);
    } catch (error) {
      const fewer =
        error instanceof Problem && error.code === "too_many_items" && error.document.limit?.max;
      if (!fewer || fewer >= most) throw error;
      await this.sendAll(rows, state, isDryRun, fewer);
    }
  }
}

/** The import of this page. */
export function useImport() {
  const [model] = useState(() => new Import());
  useEffect(() => {
    void model.open();
    return () => model.close();
  }, []);
  model.watch();
  return model;
}

/** The words of a state. @returns {Record<State, string>} */
export const STATE_WORDS = () => ({
  new: t("Not checked"),
  refused: t("To fix"),
  ready: t("Ready"),
  created: t("Created"),
  there: t("There already"),
});
