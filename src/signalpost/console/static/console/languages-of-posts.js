// The languages in which posts are written, by their tags.
import { language } from "./i18n.js";

// prettier-ignore
const TAGS = [
  "ar", "bg", "bn", "ca", "cs", "da", "de", "de-AT", "de-CH", "el", "en", "en-GB", "en-US", "es", "es-MX", "et", "eu",
  "fa", "fi", "fr", "fr-CA", "ga", "gl", "he", "hi", "hr", "hu", "id", "is", "it", "ja", "ko", "lt", "lv", "mk", "ms",
  "nb", "nl", "nl-BE", "nn", "pl", "pt", "pt-BR", "ro", "ru", "sk", "sl", "sq", "sr", "sv", "ta", "th", "tr", "uk", "ur",
  "vi", "zh", "zh-Hans", "zh-Hant",
];

/** @param {string} tag */
export function nameOf(tag) {
  const names = new Intl.DisplayNames([language.value.slice(0, 2)], { type: "language" });
  return names.of(tag) ?? tag;
}

/**
 * Tags with their names, in the order of the names.
 * @param {string | null | undefined} tag one that has to be among them
 */
export const languagesOfPosts = (tag) =>
  [...new Set(tag ? [...TAGS, tag] : TAGS)]
    .map((code) => /** @type {[string, string]} */ ([code, nameOf(code)]))
    .sort(([, name], [, next]) => name.localeCompare(next, document.documentElement.lang));
