// What was done to a draft, step by step: it is undone and done again, also after the page was loaded again.
// Loaded as soon as the page is shown.
import { t } from "../i18n.js";
import { differences, fieldsOf, fits, joins, plain, walked, without } from "./composer-diff.js";
import { namesOf } from "./composer-fields.js";
import { place } from "./composer-kept.js";

/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("./composer-diff.js").Edit} Edit */
/** @typedef {import("./composer-diff.js").Step} Step */
/** @typedef {import("./composer-draft.js").Saving} Saving */
/** @typedef {{at: number, done: Step[], undone: Step[], ends: Record<string, string>}} Entry */

const STEPS_MAX = 200;
/** What a tab keeps: of one draft, in characters, and of how many. */
const KEPT_MAX = 200_000;
const DRAFTS_MAX = 5;
const PAUSE_MS = 500;

const prefix = () => `draft-steps:${place()}`;

/**
 * A picture that was chosen on this page is gone when it is loaded again; it is asked for then.
 * @param {string} _ @param {unknown} value
 */
function forLater(_, value) {
  const isHere = String(Object(value).preview).startsWith("blob:");
  return isHere ? { ...Object(value), kind: "", preview: "" } : value;
}

export class Steps {
  /** @type {Step[]} the last one last */ done = [];
  /** @type {Step[]} the next one last */ undone = [];
  /** @type {Draft | null} the draft before the last step, while that may go on */ before = null;
  /** Of a letter that takes several keys, or a word of a phone. @type {"" | "begun" | "goes on"} */
  composing = "";
  /** Counts what was undone or done again. */
  turn = 0;
  /** What a screen reader says of it. */
  said = "";
  isByKey = false;
  /** @type {{path: string[], at: number} | null} */ cursor = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ timer;
  ended = new AbortController();

  /** @param {Saving} saver */
  constructor(saver) {
    this.saver = saver;
    this.key = this.keyNow();
    this.read();
    this.note(saver.origin, saver.draft);
    const options = { signal: this.ended.signal };
    addEventListener("keydown", (event) => this.onKey(event), options);
    addEventListener("beforeinput", (event) => this.onInput(event), options);
    addEventListener("compositionstart", () => (this.composing = "begun"), options);
    addEventListener("compositionend", () => (this.composing = ""), options);
    addEventListener("pagehide", () => this.write(), options);
  }

  /** Where this tab keeps them: by the post, which has an id once it is saved. */
  keyNow() {
    return prefix() + (this.saver.draft.id || this.saver.keptId);
  }

  /** A person changed something. @param {Draft} before @param {Draft} after */
  note(before, after) {
    const step = differences(before, after);
    const last = this.done.at(-1);
    if (!step.length) return;
    const isSame = last && this.before && (this.composing === "goes on" || joins(last, step));
    if (isSame) this.done.pop();
    else this.before = before;
    const whole = isSame ? differences(this.before ?? before, after) : step;
    if (whole.length) this.done.push(whole);
    else this.before = null;
    if (this.composing) this.composing = "goes on";
    if (this.done.length > STEPS_MAX) this.done.shift();
    this.undone = [];
    this.later();
  }

  /** Another has changed fields: what was done to them before stays. @param {Draft} before */
  meet(before) {
    this.drop(fieldsOf(differences(before, this.saver.draft)));
    this.later();
  }

  /** @param {string[]} fields */
  drop(fields) {
    this.before = null;
    this.done = without(this.done, fields);
    this.undone = without(this.undone, fields);
  }

  /** Undo, or do again. @param {boolean} isBack @param {boolean} [isByKey] */
  walk(isBack, isByKey = false) {
    const [from, to] = isBack ? [this.done, this.undone] : [this.undone, this.done];
    const step = from.pop();
    if (!step) return;
    const { saver } = this;
    this.before = null;
    this.turn += 1;
    if (fits(saver.draft, step, isBack)) {
      to.push(step);
      const fields = fieldsOf(step);
      const draft = /** @type {Record<string, unknown>} */ (walked(saver.draft, step, isBack));
      this.said = isBack
        ? t("Undone: {fields}.", { fields: namesOf(fields) })
        : t("Done again: {fields}.", { fields: namesOf(fields) });
      this.isByKey = isByKey;
      this.lead(step, isBack);
      saver.put({
        ...Object.fromEntries(fields.map((field) => [field, draft[field]])),
        ...(fields.includes("repeat") ? { isRepeatChanged: true } : {}),
      });
    } else {
      this.drop(fieldsOf(step)); // these texts became others without a step
      saver.render();
    }
    this.later();
  }

  /** Show the text that a step is about, and where in it. @param {Step} step @param {boolean} isBack */
  lead(step, isBack) {
    const { saver } = this;
    const tabs = step.flatMap(({ path }) => tabOf(path) ?? []);
    if (tabs.length && !tabs.includes(saver.tab)) saver.tab = tabs[0];
    const edit = /** @type {Edit | undefined} */ (
      step.find(
        (difference) =>
          "at" in difference &&
          fieldAt(difference.path) &&
          (tabOf(difference.path) ?? saver.tab) === saver.tab,
      )
    );
    this.cursor = edit ? { path: edit.path, at: edit.at + (isBack ? edit.cut : edit.put).length } : null;
  }

  /** Put the cursor where the step was, if it was made in a text. */
  show() {
    if (!this.isByKey) return;
    const field = this.cursor ? fieldAt(this.cursor.path) : null;
    if (field && this.cursor) {
      field.focus();
      field.setSelectionRange(this.cursor.at, this.cursor.at);
    } else if (document.activeElement === document.body) fieldAt(["text"])?.focus();
    this.isByKey = false;
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
    const key = event.key.toLowerCase();
    const isMeant = key === "z" || (key === "y" && event.ctrlKey && !event.shiftKey);
    if (!isMeant || !isOfDraft(event.target)) return;
    event.preventDefault();
    this.walk(key === "z" && !event.shiftKey, true);
  }

  /** The menu of the browser, or a phone that is shaken. @param {InputEvent} event */
  onInput(event) {
    if (!["historyUndo", "historyRedo"].includes(event.inputType) || !isOfDraft(event.target)) return;
    event.preventDefault();
    this.walk(event.inputType === "historyUndo", true);
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), PAUSE_MS);
  }

  /** Keep them in this tab, the latest ones if that is too much. */
  write() {
    if (this.timer === undefined && this.key === this.keyNow()) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    sessionStorage.removeItem(this.key);
    this.key = this.keyNow();
    let [done, undone] = [this.done, this.undone];
    while (done.length || undone.length) {
      const text = JSON.stringify(this.entry(done, undone), forLater);
      if (text.length <= KEPT_MAX) return keep(this.key, text);
      [done, undone] = [done.slice(Math.ceil(done.length / 2)), []];
    }
  }

  /** @param {Step[]} done @param {Step[]} undone @returns {Entry} `ends`: what the fields have to be */
  entry(done, undone) {
    const draft = /** @type {Record<string, unknown>} */ (this.saver.draft);
    const fields = fieldsOf(...done, ...undone);
    const ends = Object.fromEntries(fields.map((field) => [field, plain(draft[field])]));
    return { at: Date.now(), done, undone, ends };
  }

  /** What this tab has kept of the draft; what became of it elsewhere cannot be undone. */
  read() {
    const entry = readEntry(this.key);
    const draft = /** @type {Record<string, unknown>} */ (this.saver.origin);
    if (entry) {
      this.done = entry.done;
      this.undone = entry.undone;
      this.drop(Object.keys(entry.ends).filter((field) => plain(draft[field]) !== entry.ends[field]));
    }
    Object.keys(sessionStorage)
      .filter((key) => key.startsWith("draft-steps:") && key !== this.key)
      .sort((first, second) => (readEntry(second)?.at ?? 0) - (readEntry(first)?.at ?? 0))
      .slice(DRAFTS_MAX - 1)
      .forEach((key) => sessionStorage.removeItem(key));
  }

  /** The page shows another one. */
  close() {
    this.write();
    this.ended.abort();
  }

  /** It was sent: whoever changes it afterwards begins from that. */
  forget() {
    this.done = [];
    this.undone = [];
    this.later();
  }
}

/** @param {string} key @param {string} text */
function keep(key, text) {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // The tab has no room left: the steps last as long as the page.
  }
}

/** @param {string} key @returns {Entry | null} */
const readEntry = (key) => JSON.parse(sessionStorage.getItem(key) ?? "null");

/** Whose text a step is about; undefined: it is about something else. @param {string[]} path */
const tabOf = ([field, accountId]) =>
  field === "text" ? "" : field === "variants" ? (accountId ?? "") : undefined;

/** The field of a text of the post. @param {string[]} path @returns {HTMLTextAreaElement | null} */
function fieldAt([field, index, member]) {
  if (field === "text" || (field === "variants" && !member))
    return document.querySelector(".texts > .field textarea");
  if (field !== "thread" || member !== "text") return null;
  return (
    document.querySelectorAll(".part")[Number(index)]?.querySelector(":scope > .field textarea") ?? null
  );
}

/**
 * Whether what is undone there is the draft: in other fields it is what the browser knows of them.
 * @param {EventTarget | null} target
 */
function isOfDraft(target) {
  if (!(target instanceof Element) || document.querySelector("dialog[open]")) return false;
  return (
    target.matches("[data-steps]") || !target.matches("textarea, input:not([type=radio], [type=checkbox])")
  );
}
