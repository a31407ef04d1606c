// What changed between two states of a draft, as little as says it: so it can be undone, and done again.
import { OF_THE_POST } from "../draft.js";

/** @typedef {import("../draft.js").Draft} Draft */
/** A part of a text became another. @typedef {{path: string[], at: number, cut: string, put: string}} Edit */
/**
 * A value became another one; undefined: there is none.
 * @typedef {{path: string[], from?: unknown, to?: unknown}} Swap
 */
/** @typedef {Edit | Swap} Difference */
/** @typedef {Difference[]} Step what is undone at once */
/** @typedef {Record<string, unknown>} Members */

/** What only the page needs of a file: nobody decides it, and it becomes out of date. */
const OF_THE_PAGE = new Set(["kind", "name", "preview", "picture"]);
/** A longer word is undone in several steps, as is a text in a language without spaces. */
const WORD_MAX = 30;

/** @param {unknown} value @returns {value is Members} */
const isMembers = (value) => typeof value === "object" && value !== null;
/** @param {unknown} value @param {string} name */
const memberOf = (value, name) => (isMembers(value) ? value[name] : undefined);
/** @param {Members} value */
const isFile = (value) => "mediaId" in value;
/** @param {Members} value */
const idOf = (value) => value.mediaId ?? value.key;
/** @param {Members} from @param {Members} to */
const namesIn = (from, to) => [...new Set([...Object.keys(from), ...Object.keys(to)])];

/** @param {Draft} before @param {Draft} after @returns {Step} */
export const differences = (before, after) =>
  namesIn(before, after)
    .filter((name) => !OF_THE_POST.has(name))
    .flatMap((name) => between(memberOf(before, name), memberOf(after, name), [name]));

/**
 * Within the options of a network, what is missing is as good as empty.
 * @param {unknown} from @param {unknown} to @param {string[]} path
 * @returns {Step}
 */
function between(from, to, path) {
  if (from === to) return [];
  if (from === undefined && path.length > 1 && isMembers(to) && !Array.isArray(to))
    return between({}, to, path);
  if (typeof from === "string" && typeof to === "string") return [{ path, ...editOf(from, to) }];
  if (isMembers(from) && isMembers(to) && isSameKind(from, to))
    return namesIn(from, to)
      .filter((name) => !isFile(to) || !OF_THE_PAGE.has(name))
      .flatMap((name) => between(from[name], to[name], [...path, name]));
  return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ path, from, to }];
}

/** Whether both have the same members, some of them changed. @param {Members} from @param {Members} to */
function isSameKind(from, to) {
  if (!Array.isArray(from) || !Array.isArray(to)) return Array.isArray(from) === Array.isArray(to);
  return (
    from.length === to.length &&
    from.every((item, index) =>
      isMembers(item) && isMembers(to[index])
        ? idOf(item) === idOf(to[index])
        : typeof item === "string" && typeof to[index] === "string",
    )
  );
}

/** The one part that differs; no character is cut in two. @param {string} from @param {string} to */
function editOf(from, to) {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) start += 1;
  if (/[\uD800-\uDBFF]/.test(from.charAt(start - 1))) start -= 1;
  let end = 0;
  while (end < shorter - start && from.at(-1 - end) === to.at(-1 - end)) end += 1;
  if (end && /[\uDC00-\uDFFF]/.test(from.charAt(from.length - end))) end -= 1;
  return { at: start, cut: from.slice(start, from.length - end), put: to.slice(start, to.length - end) };
}

/**
 * Whether the texts of a draft are as the step has left them, or met them.
 * @param {Draft} draft @param {Step} step @param {boolean} isBack
 */
export const fits = (draft, step, isBack) =>
  step.every((difference) => {
    if (!("at" in difference)) return true;
    const text = difference.path.reduce(memberOf, /** @type {unknown} */ (draft));
    return (
      typeof text === "string" && text.startsWith(isBack ? difference.put : difference.cut, difference.at)
    );
  });

/**
 * The draft without a step, or with it again.
 * @param {Draft} draft @param {Step} step @param {boolean} isBack
 */
export const walked = (draft, step, isBack) =>
  /** @type {Draft} */ (
    step.reduce(
      (value, difference) => placed(value, difference.path, difference, isBack),
      /** @type {unknown} */ (draft),
    )
  );

/**
 * @param {unknown} value @param {string[]} path within it @param {Difference} difference
 * @param {boolean} isBack
 * @returns {unknown}
 */
function placed(value, [name, ...rest], difference, isBack) {
  const old = memberOf(value, name);
  const changed = rest.length ? placed(old, rest, difference, isBack) : replaced(old, difference, isBack);
  if (Array.isArray(value)) return value.with(Number(name), changed);
  const { [name]: _, ...others } = isMembers(value) ? value : {};
  return changed === undefined ? others : { ...others, [name]: changed };
}

/** @param {unknown} value @param {Difference} difference @param {boolean} isBack */
function replaced(value, difference, isBack) {
  if (!("at" in difference)) return isBack ? difference.from : difference.to;
  const { at, cut, put } = difference;
  const [old, text] = isBack ? [put, cut] : [cut, put];
  return String(value).slice(0, at) + text + String(value).slice(at + old.length);
}

/**
 * Whether a change goes on with what the last step did: the next letter of a word is typed or deleted.
 * @param {Step} step @param {Step} change
 */
export function joins([last, ...others], [next, ...more]) {
  if (others.length || more.length || last.path.join() !== next.path.join() || !("at" in next))
    return false;
  if ((next.put && next.cut) || !LETTER.test(next.put || next.cut)) return false;
  // An account that had the text of all has one of its own from the first letter on.
  if (!("at" in last))
    return next.put !== "" && isWord(String(last.to ?? "").charAt(next.at - 1), next.put);
  if (next.put)
    return last.put !== "" && next.at === last.at + last.put.length && isWord(last.put, next.put);
  if (last.put) return false;
  return next.at === last.at
    ? isWord(last.cut, next.cut)
    : next.at + next.cut.length === last.at && isWord(next.cut, last.cut);
}

const EMOJI = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]`;
const LETTER = new RegExp(`^(?!${EMOJI}).$`, "su");
const AFTER_EMOJI = new RegExp(`${EMOJI}\\uFE0F?$`, "u");

/** Whether no new word begins between the two. @param {string} first @param {string} second */
const isWord = (first, second) =>
  first.length + second.length <= WORD_MAX &&
  !AFTER_EMOJI.test(first) &&
  !(/\s$/.test(first) && /^\S/.test(second));

/** The fields of a draft that steps are about. @param {Step[]} steps */
export const fieldsOf = (...steps) => [...new Set(steps.flat().map(({ path }) => path[0]))];

/** Steps without what they did to some fields. @param {Step[]} steps @param {string[]} fields */
export const without = (steps, fields) =>
  steps
    .map((step) => step.filter(({ path }) => !fields.includes(path[0])))
    .filter((step) => step.length > 0);

/**
 * A value for comparison: in a draft that was loaded again, some parts are empty and not missing.
 * @param {unknown} value
 */
export const plain = (value) =>
  JSON.stringify(value ?? null, (_, member) => {
    if (!isMembers(member) || Array.isArray(member)) return member;
    const isPart = "key" in member && "media" in member;
    return Object.fromEntries(
      Object.entries(member)
        .filter(([name]) => !(isFile(member) && OF_THE_PAGE.has(name)) && !(isPart && name === "key"))
        .filter(([, inner]) => inner !== null && !(isMembers(inner) && !Object.keys(inner).length))
        .sort(),
    );
  });
