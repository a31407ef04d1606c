// Texts. English stands in the code; a catalog maps it to another language. A test compares the catalogs with
// the code. What stands in the API instead is for programs: English has a catalog for that, too.
import { signal } from "./html.js";
import { loadModule } from "./modules.js";

/** Code -> what the language calls itself: the table of the service. @type {Record<string, string>} */
export const LANGUAGES = JSON.parse(
  /** @type {HTMLMetaElement} */ (document.querySelector("meta[name=languages]")).content,
);
// Accents and right to left, for tests: what is not translated or does not mirror is seen at once.
const PSEUDO = "ar-XB";

/** What English has a catalog for. */
const ENGLISH = new Set(["options"]);

/** @type {Record<string, string>} */
let catalog = {};
/** The pages whose texts are needed: those that were opened. */
const opened = new Set();
export const language = signal("en");

/** What null stands for in older rows: no language was chosen, and the browser's counts. Decision 0452. */
export const NO_LANGUAGE = "en";

/**
 * Take over the language that the person chose in another browser, if this one has none.
 * @param {string | null} chosen as BCP 47 writes it
 */
export async function followLanguage(chosen) {
  if (localStorage.getItem("language") || chosen === null || chosen === NO_LANGUAGE) return;
  if (new URLSearchParams(location.search).has("lang")) return;
  const code = chosen.slice(0, 2);
  if (Object.hasOwn(LANGUAGES, code)) await setLanguage(code);
}

/** Load the catalog of the language that was chosen, or that the browser asks for. */
export async function loadLanguage() {
  const code =
    new URLSearchParams(location.search).get("lang") ||
    localStorage.getItem("language") ||
    navigator.language;
  await setLanguage(code === PSEUDO ? PSEUDO : code.slice(0, 2));
}

/** @param {string} code */
export async function setLanguage(code) {
  const count = opened.size;
  catalog = await texts(code, "", ...opened);
  if (count < opened.size) return setLanguage(code); // a page was opened meanwhile
  language.value = isTranslated(code) || code === PSEUDO ? code : "en";
  document.documentElement.lang = language.value === PSEUDO ? "ar" : language.value;
  document.documentElement.dir = language.value === PSEUDO ? "rtl" : "ltr";
}

/** Load the texts of a page in the language in use; call it before the page is shown. @param {string} page */
export async function loadTexts(page) {
  opened.add(page);
  const code = language.peek();
  const added = await texts(code, page);
  if (code === language.peek()) catalog = { ...catalog, ...added };
}

/** @param {string} code */
const isTranslated = (code) => code !== "en" && Object.hasOwn(LANGUAGES, code);

/**
 * @param {string} code
 * @param {string[]} pages the frame is `""`
 * @returns {Promise<Record<string, string>>}
 */
async function texts(code, ...pages) {
  const all = isTranslated(code);
  const modules = await Promise.all(
    pages
      .filter((page) => all || ENGLISH.has(page))
      .map((page) => loadModule(() => import(`./messages/${all ? code : "en"}/${page || "frame"}.js`))),
  );
  return Object.assign({}, ...modules.map((module) => module.default));
}

/** @param {string} code */
export async function chooseLanguage(code) {
  localStorage.setItem("language", code);
  await setLanguage(code);
}

/**
 * Translate a text; `{name}` is replaced by that value.
 * @param {string} text
 * @param {Record<string, string | number>} [values]
 */
export function t(text, values) {
  const translated = language.value === PSEUDO ? pseudo(text) : (catalog[text] ?? text);
  return values
    ? translated.replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all))
    : translated;
}

/**
 * Translate a text with a number: `{n}` of it. Where a language has more forms than English, its catalog
 * has them as `form|plural`, by the names of `Intl.PluralRules`: "many|{n} posts".
 * @param {number} n
 * @param {string} singular
 * @param {string} plural
 */
export function tn(n, singular, plural) {
  const rule = new Intl.PluralRules(locale()).select(n);
  const text = rule === "one" ? singular : `${rule}|${plural}`;
  return t(rule === "one" || text in catalog ? text : plural, { n: number(n) });
}

/** The language as `Intl` takes it. */
export function locale() {
  if (language.value === PSEUDO) return "ar";
  if (navigator.language.slice(0, 2) === language.value) return navigator.language; // with their country
  return language.value === "en" ? "en-GB" : language.value;
}

/** @param {number} n */
export function number(n) {
  return new Intl.NumberFormat(locale()).format(n);
}

const ACCENTS = /** @type {Record<string, string>} */ ({
  a: "á",
  e: "é",
  i: "í",
  o: "ó",
  u: "ú",
  A: "Á",
  E: "É",
  I: "Í",
  O: "Ó",
  U: "Ú",
  n: "ñ",
  c: "ç",
});

/** @param {string} text */
function pseudo(text) {
  const parts = text.split(/(\{\w+\})/);
  const accented = parts.map((part) =>
    part.startsWith("{") ? part : part.replace(/[aeiouAEIOUnc]/g, (character) => ACCENTS[character]),
  );
  return `[${accented.join("")}]`;
}
