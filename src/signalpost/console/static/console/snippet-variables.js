// What stands in snippets for what differs from post to post, and what it becomes in one. Decision 0473.
import { locale } from "./i18n.js";
import { profiles, workspaceZone } from "./store.js";
import { resolve } from "./zones.js";

/** @typedef {import("./draft.js").Draft} Draft */
/** @typedef {Record<string, string>} Values by the name of the variable; empty: it has none here */

export const VARIABLES = ["client", "date", "weekday", "month", "year", "link"];
const IN_BRACES = /\{+([\p{L}_]+)\}+/gu;

/** What the variables are in a post. @param {Draft} draft @returns {Values} */
export function valuesOf({ profileId, when, at, timezone, link }) {
  const client = (profiles.value ?? []).find(({ id }) => id === profileId);
  const time = when === "schedule" && at ? resolve(at, timezone) : new Date();
  const timeZone = client?.timezone ?? workspaceZone.value;
  const of = (/** @type {Intl.DateTimeFormatOptions} */ options) =>
    new Intl.DateTimeFormat([...tagsOf(client?.language), locale()], { timeZone, ...options }).format(time);
  return {
    client: client?.name ?? "",
    date: of({ dateStyle: "long" }),
    weekday: of({ weekday: "long" }),
    month: of({ month: "long" }),
    year: of({ year: "numeric" }),
    link: link.trim(),
  };
}

/** The API takes tags that no browser understands, such as "de_AT". @param {string | null | undefined} tag */
function tagsOf(tag) {
  try {
    return Intl.getCanonicalLocales(tag ?? []);
  } catch {
    return [];
  }
}

/**
 * The text as it is inserted. What has no value, and what is no variable, stays.
 * @param {string} text @param {Values} values
 */
export const fill = (text, values) =>
  text.replace(IN_BRACES, (whole, word) => (whole === `{${word}}` && values[word.toLowerCase()]) || whole);

/** What stands in braces in a text and is no variable. @param {string} text */
export const unknownIn = (text) => inBraces(text).filter((word) => !VARIABLES.includes(nameOf(word)));

/** The variables in a text that have no value. @param {string} text @param {Values} values */
export const emptyIn = (text, values) =>
  inBraces(text).filter((word) => VARIABLES.includes(nameOf(word)) && !values[nameOf(word)]);

/** @param {string} text */
const inBraces = (text) => [
  ...new Set(
    [...text.matchAll(IN_BRACES)].filter(([whole, word]) => whole === `{${word}}`).map(([whole]) => whole),
  ),
];

/** @param {string} word with its braces */
const nameOf = (word) => word.slice(1, -1).toLowerCase();
