// What the service says, in sentences for people. It says it to programs: with codes, paths and the words of
// the API, which stand in "Details for developers". The sentences come after the page that may need them.
import { signal } from "./html.js";
import { Problem } from "./api.js";
import { language, loadTexts, t } from "./i18n.js";
import { networkName } from "./store.js";

/** @typedef {{path: string, code: string, message: string, params?: Record<string, unknown>}} Issue */
/** @typedef {{happened: string, todo: string, detail?: string}} Sentences */
/** @typedef {typeof import("./texts/problems.js") & typeof import("./texts/failures.js")} Tables */
/** @typedef {typeof import("./texts/places.js") & typeof import("./texts/rules.js")} MoreTables */

const tables = signal(/** @type {(Tables & MoreTables) | null} */ (null));

/** Have the sentences at hand: also for when the service cannot be reached any more. */
export async function loadWords() {
  const [problems, failures, places, rules] = await Promise.all([
    import("./texts/problems.js"),
    import("./texts/failures.js"),
    import("./texts/places.js"),
    import("./texts/rules.js"),
    ...["problems", "failures", "places", "rules"].map(loadTexts),
  ]);
  tables.value = { ...problems, ...failures, ...places, ...rules };
}

// Paths, names of members and settings, ids, methods, code.
const API_WORDS =
  /`|(^|\s)\/\w|\b[a-z]+[A-Z]\w*|\b\w+_\w+|\b(GET|POST|PUT|PATCH|DELETE)\b|[[{]|\bRFC \d|\bnull\b/;

/**
 * What the service wrote, where that helps a person: in English, and without words of the API.
 * @param {unknown} text
 */
export const plain = (text) =>
  typeof text === "string" && language.value === "en" && !API_WORDS.test(text) ? text : undefined;

/** What was refused. @param {unknown} problem @returns {Sentences} */
export function sentencesOf(problem) {
  const document = problem instanceof Problem ? problem.document : {};
  const [happened, todo] = tables.value?.PROBLEMS[document.code]?.() ?? [];
  const detail = document.errors?.length ? undefined : plain(document.detail);
  return {
    happened: happened ?? plain(document.title) ?? t("Something went wrong"),
    todo: todo ?? "",
    detail: detail && !happened?.includes(detail) && detail !== `${document.title}.` ? detail : undefined,
  };
}

/**
 * Why a post did not go out at an account, or waits.
 * @param {{code: string, message?: string, platform?: string | null, rule?: string | null}} failure
 * @returns {Sentences}
 */
export function failureSentences({ code, message, platform, rule }) {
  const named = platform ? code.replace(`${platform}.`, "") : code;
  const ofRule = ruleSentence(rule ?? code, {}, message);
  const [happened, todo] = tables.value?.FAILURES[named]?.() ?? [ofRule ?? plain(message), ""];
  return { happened: happened ?? t("Something went wrong"), todo, detail: rule ? ofRule : undefined };
}

/**
 * Why a post waits although it could go out.
 * @param {{heldReason: string | null, heldMessage: string | null}} post
 */
export const heldSentence = ({ heldReason, heldMessage }) =>
  plain(heldMessage) ?? tables.value?.FAILURES[`held.${heldReason}`]?.()[0] ?? "";

/** What is wrong with a value, and what to do. @param {Issue} issue */
export const issueSentence = (issue) =>
  ruleSentence(issue.code, issue.params ?? {}, issue.message) ??
  (OPEN.has(issue.code) ? plain(issue.message) : undefined) ??
  tables.value?.ISSUES[issue.code]?.(numbersOf(issue.params), "") ??
  plain(issue.message) ??
  t("This cannot be saved as it is.");

/** Codes that say less than the sentence of the service beside them. */
const OPEN = new Set([
  "format",
  "not_allowed",
  "not_found",
  "not_unique",
  "out_of_range",
  "required",
  "too_short",
]);

/**
 * @param {string} code `<network>.<rule>`
 * @param {Record<string, unknown>} params
 * @param {string} [message] of the service
 */
function ruleSentence(code, params, message) {
  const [network, ...rule] = code.split(".");
  if (!rule.length) return undefined;
  const sentenceOf = tables.value?.RULES[code] ?? tables.value?.RULES[rule.join(".")];
  const sentence = sentenceOf?.(numbersOf(params), networkName(network));
  // A number that the service did not send is better left unsaid.
  return sentence && !/NaN|undefined/.test(sentence) ? sentence : plain(message);
}

/** @param {Record<string, unknown> | undefined} params */
const numbersOf = (params) => /** @type {Record<string, number>} */ (params ?? {});

/**
 * Where something is wrong: "Text", "File 2". Empty for the whole.
 * @param {string} path a JSON pointer, or the name of a parameter
 */
export function placeOf(path) {
  const parts = path.split("/").filter(Boolean);
  const index = parts.findLastIndex((part) => !/^\d+$/.test(part));
  if (index < 0) return "";
  const name = tables.value?.PLACES[parts[index]]?.() ?? "";
  const position = parts[index + 1];
  return name && position ? `${name} ${Number(position) + 1}` : name;
}
