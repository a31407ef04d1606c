// Emoji by group, with names and words in the language of the console.
import { language } from "./i18n.js";
import { loadModule } from "./modules.js";

/** @typedef {{character: string, name: string, words: string, hasTones: boolean}} Emoji */

const FILES = /** @type {Record<string, () => Promise<{default: string[]}>>} */ ({
  en: () => loadModule(() => import("./vendor/emoji-en.js")),
  de: () => loadModule(() => import("./vendor/emoji-de.js")),
  es: () => loadModule(() => import("./vendor/emoji-es.js")),
});
const RECENT = "emoji";
const RECENT_MAX = 24;

/** Yellow, and five colours of skin from light to dark. */
export const TONES = ["", "\u{1F3FB}", "\u{1F3FC}", "\u{1F3FD}", "\u{1F3FE}", "\u{1F3FF}"];

/**
 * All emoji: smileys, people, animals, food, places, activities, objects, symbols, flags.
 * @returns {Promise<Emoji[][]>}
 */
export async function loadEmoji() {
  const { default: groups } = await (FILES[language.peek()] ?? FILES.en)();
  return groups.map((lines) => lines.split("\n").map(read));
}

/** @param {string} line */
function read(line) {
  const [character, name, words = "", tones = ""] = line.split("|");
  return { character, name, words, hasTones: tones === "1" };
}

/** @param {string} character of an emoji that has tones @param {string} tone */
export function withTone(character, tone) {
  const [first, ...rest] = character;
  return tone ? first + tone + rest.join("").replace(/^\uFE0F/, "") : character;
}

/**
 * Those whose name or words begin with all that is looked for, the closest first.
 * @param {Emoji[][]} groups @param {string} query @param {number} max
 */
export function findEmoji(groups, query, max) {
  const parts = query.toLowerCase().split(/\s+/).filter(Boolean);
  const begins = (/** @type {string} */ text, /** @type {string} */ part) =>
    ` ${text.toLowerCase()}`.includes(` ${part}`);
  const all = groups
    .flat()
    .filter(({ name, words }) => parts.every((part) => begins(`${name} ${words}`, part)));
  const isNamed = (/** @type {Emoji} */ { name }) => parts.every((part) => begins(name, part));
  return [...all.filter(isNamed), ...all.filter((emoji) => !isNamed(emoji))].slice(0, max);
}

/** Characters that were used last, newest first, in this browser. @returns {string[]} */
export function recentEmoji() {
  const characters = (localStorage.getItem(RECENT) ?? "").split(" ").filter(Boolean);
  return characters.slice(0, RECENT_MAX);
}

/** @param {string} character */
export const rememberEmoji = (character) =>
  localStorage.setItem(
    RECENT,
    [character, ...recentEmoji().filter((other) => other !== character)].slice(0, RECENT_MAX).join(" "),
  );
