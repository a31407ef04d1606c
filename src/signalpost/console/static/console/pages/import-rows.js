// Rows of a table as bodies of posts, with what is wrong with a cell in a sentence.
import { t } from "../i18n.js";
import { networkName, platforms, profiles } from "../store.js";

/** @typedef {Record<string, string>} Cells by what the column means */
/**
 * @typedef {{
 *   profileId: string, networks: string[], timezone: string, isDayFirst: boolean, areDrafts: boolean,
 *   withoutTime: "draft" | "slot"
 * }} Choices of the whole file, where a row says nothing
 */
/** @typedef {{field: string, message: string}} Remark */
/** @typedef {import("../store.js").Profile} Profile */

const WALL = new RegExp(
  [
    String.raw`^(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})`,
    String.raw`(?:[T,\s]+(\d{1,2})[:.h](\d{2})(?:[:.]\d{2}(?:\.\d+)?)?`, // the time of day
    String.raw`\s*([ap])?\.?m?\.?(?:\s*Uhr)?(Z|[+-]\d\d:?\d\d)?)?$`,
  ].join(""),
  "i",
);
const ADDRESS = /^https?:\/\/\S+$/i;
const BROKEN = /^#(?:REF!|N\/A|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!)$/;
const ALIASES = /** @type {Record<string, string>} */ ({
  twitter: "x",
  twitterx: "x",
  gbp: "google_business",
  googlebusiness: "google_business",
  googlebusinessprofile: "google_business",
});

/** @param {string} cell @param {RegExp} [separators] */
const listed = (cell, separators = /[|,;]/) =>
  cell
    .split(separators)
    .map((part) => part.trim())
    .filter(Boolean);

/** The addresses of a cell: they have no spaces. @param {string} cell */
export const addresses = (cell) => cell.split(/\s+|\||[,;]\s*(?=https?:)/i).filter(Boolean);

const YES = new Set(["true", "yes", "y", "1", "x", "wahr", "ja", "✓"]);
const NO = new Set(["", "false", "no", "n", "0", "falsch", "nein"]);

/**
 * A day and a time of day as people and spreadsheets write them, as a wall time; "" if it is none.
 * @param {string} text
 * @param {boolean} isDayFirst
 */
export function wallOf(text, isDayFirst) {
  const match = WALL.exec(text.trim());
  if (!match) return "";
  const [, first, second, third, hour, minute, half, zone] = match;
  const isYearFirst = first.length === 4;
  const isDay = isDayFirst || text.includes(".");
  const year = isYearFirst ? first : third.length === 2 ? `20${third}` : third;
  const [month, day] = isYearFirst ? [second, third] : isDay ? [second, first] : [first, second];
  const hours = half ? (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0) : Number(hour);
  const pad = (/** @type {string | number} */ digits) => String(digits).padStart(2, "0");
  const date = `${year}-${pad(month)}-${pad(day)}`;
  const isReal =
    !Number.isNaN(Date.parse(`${date}T00:00Z`)) &&
    new Date(`${date}T00:00Z`).toISOString().startsWith(date);
  if (!isReal) return "";
  if (hour === undefined) return date;
  if (hours > 23 || Number(minute) > 59) return "";
  return `${date}T${pad(hours)}:${minute}${(zone ?? "").toUpperCase().replace(/(\d\d)(\d\d)$/, "$1:$2")}`;
}

/**
 * The body of a row, and what is wrong with its cells; without remarks it can be sent.
 * @param {Cells} cells
 * @param {Choices} choices
 * @returns {{body: Record<string, unknown>, remarks: Remark[], profile: Profile | undefined}}
 */
export function bodyOf(cells, choices) {
  const remarks = /** @type {Remark[]} */ ([]);
  const remark = (/** @type {string} */ field, /** @type {string} */ message) =>
    remarks.push({ field, message });
  const value = (/** @type {string} */ name) => (cells[name] ?? "").trim();
  for (const [name, cell] of Object.entries(cells)) {
    if (BROKEN.test(cell.trim())) remark(name, t("The spreadsheet had an error in this cell."));
    else if (/^=\s*[A-Za-z]+\(/.test(cell)) remark(name, t("This is a formula. Put its result here."));
    else if (cell.includes("�")) remark(name, t("Some characters could not be read."));
  }
  const profile = profileOf(value("client"), choices);
  if (!profile)
    remark(
      "client",
      value("client") ? t("There is no client of this name.") : t("Say which client it is for."),
    );
  const media = addresses(value("media"));
  if (media.some((address) => !ADDRESS.test(address)))
    remark("media", t("Each file needs an address that begins with https://."));
  const link = value("link");
  if (link && !ADDRESS.test(link)) remark("link", t("A link begins with https://."));
  if (!value("text") && !media.length) remark("text", t("Write a text, or name a picture."));
  const times = timesOf(value, choices, profile, remark);
  const networks = networksOf(cells, choices, remark);
  const body = {
    profileId: profile?.id ?? "",
    text: cells.text?.trim() ?? "",
    ...(value("title") ? { title: value("title") } : {}),
    ...(media.length ? { mediaUrls: media } : {}),
    ...(link ? { link } : {}),
    ...(value("firstComment") ? { firstComment: value("firstComment") } : {}),
    ...(value("tags") ? { tags: listed(value("tags")).map((tag) => tag.replace(/^#/, "")) } : {}),
    ...(networks.length ? { platforms: networks } : {}),
    ...times,
  };
  return { body, remarks, profile };
}

/** @param {string} name or id @param {Choices} choices */
function profileOf(name, { profileId }) {
  if (!name) return profiles.value?.find(({ id }) => id === profileId);
  return profiles.value?.find(
    ({ id, name: label }) => id === name || label.toLowerCase() === name.toLowerCase(),
  );
}

/** @typedef {(field: string, message: string) => void} AddRemark */

/**
 * @param {(name: string) => string} value
 * @param {Choices} choices
 * @param {Profile | undefined} profile
 * @param {AddRemark} remark
 */
function timesOf(value, choices, profile, remark) {
  const draft = value("draft").toLowerCase();
  if (!YES.has(draft) && !NO.has(draft)) remark("draft", t("Say yes or no."));
  const isDraft = choices.areDrafts || YES.has(draft);
  const text = [value("date"), value("time")].filter(Boolean).join(" ");
  if (!text) return isDraft || choices.withoutTime === "draft" ? { draft: true } : { publishMode: "slot" };
  const wall = wallOf(text, choices.isDayFirst);
  if (!wall || !value("date"))
    remark(
      "date",
      t("This is not a date that can be read. Write it like {example}.", { example: "2027-03-31 18:00" }),
    );
  else if (wall.length === 10) remark("date", t("The time of day is missing."));
  const timezone = value("timezone") || choices.timezone || profile?.timezone;
  return { ...(isDraft ? { draft: true } : { publishMode: "schedule" }), scheduledAt: wall, timezone };
}

/** @param {Cells} cells @param {Choices} choices @param {AddRemark} remark */
function networksOf(cells, choices, remark) {
  const chosen = [];
  for (const [name, cell] of Object.entries(cells)) {
    if (!name.startsWith("on:")) continue;
    const answer = cell.trim().toLowerCase();
    if (YES.has(answer)) chosen.push(name.slice(3));
    else if (!NO.has(answer)) remark(name, t("Say yes or no."));
  }
  for (const name of listed(cells.networks ?? "")) chosen.push(slugOf(name));
  return chosen.length ? [...new Set(chosen)] : choices.networks;
}

/** The key of a network by what people call it. @param {string} name */
function slugOf(name) {
  const network = platforms.value?.find((platform) => platform.name.toLowerCase() === name.toLowerCase());
  if (network) return network.platform;
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, "");
  return ALIASES[plain] ?? name.toLowerCase().replaceAll(/[\s-]+/g, "_");
}

/** What a column is called at a field. @param {string} field @param {Record<string, string>} names */
export const fieldName = (field, names) =>
  field.startsWith("on:") ? networkName(field.slice(3)) : (names[field] ?? field);

const FIELDS = /** @type {Record<string, string>} */ ({
  scheduledAt: "date",
  publishMode: "date",
  profileId: "client",
  platforms: "networks",
  targets: "networks",
  mediaUrls: "media",
  media: "media",
});

/** At which field of a row an issue of the service stands. @param {string} path such as `/posts/3/text` */
export function fieldOf(path) {
  const name = path.split("/")[3] ?? "";
  return FIELDS[name] ?? name;
}
