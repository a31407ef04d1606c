// What the columns of a table mean, guessed from their names: ours, those of other services, and plain words.
import { t } from "../i18n.js";

/**
 * @typedef {"" | "text" | "title" | "date" | "time" | "client" | "networks" | "media" | "link" | "tags"
 *   | "firstComment" | "externalId" | "timezone" | "draft" | `on:${string}`} Column `on:` a network
 */

/** @returns {Record<string, string>} */
export const COLUMNS = () => ({
  "": t("Leave it out"),
  text: t("Text"),
  date: t("Date, perhaps with the time"),
  time: t("Time of day"),
  client: t("Client"),
  networks: t("Networks"),
  media: t("Addresses of pictures or videos"),
  title: t("Title"),
  link: t("Link"),
  tags: t("Tags"),
  firstComment: t("First comment"),
  draft: t("Only a draft: yes or no"),
  timezone: t("Time zone"),
  externalId: t("Id of your own"),
});

const NAMES = /** @type {Record<string, Column>} */ ({
  ...named(
    "text",
    "text message content caption post posttext postcontent body copy description nachricht beitrag inhalt",
  ),
  ...named("title", "title titel documenttitle"),
  ...named(
    "date",
    "date datetime day postingtime scheduledat scheduledtime scheduleddate scheduledate publishat publishdate postatspecifictime datum termin",
  ),
  ...named("time", "time timeofday zeit uhrzeit"),
  ...named("client", "client profile profileid brand customer kunde profil"),
  ...named("networks", "networks network platforms platform channels channel netzwerke netzwerk kanal"),
  ...named(
    "media",
    "imageurl imageurls image images mediaurl mediaurls media picture pictureurl videourl videourls video bild bilder",
  ),
  ...named("link", "link links url linkurl ogmetaurl"),
  ...named("tags", "tags tag labels label schlagworte"),
  ...named("firstComment", "firstcomment firstcommenttext followupcomment"),
  ...named("draft", "draft entwurf"),
  ...named("timezone", "timezone zeitzone"),
  ...named("externalId", "externalid reference"),
  ...named("on:facebook", "facebook"),
  ...named("on:x", "twitter twitterx x"),
  ...named("on:linkedin", "linkedin"),
  ...named("on:google_business", "gbp googlebusiness googlebusinessprofile"),
  ...named("on:instagram", "instagram"),
  ...named("on:pinterest", "pinterest"),
  ...named("on:tiktok", "tiktok"),
  ...named("on:youtube", "youtube"),
  ...named("on:threads", "threads"),
  ...named("on:bluesky", "bluesky"),
});

/** @param {Column} column @param {string} names @returns {Record<string, Column>} */
function named(column, names) {
  return Object.fromEntries(names.split(" ").map((name) => [name, column]));
}

/** @param {string} name of a column; those that are counted, such as `Picture Url 3`, count as one */
const guess = (name) => NAMES[name.toLowerCase().replaceAll(/[^a-z]/g, "")] ?? "";

/**
 * Whose export it is, by columns that only it has.
 * @param {string[]} first
 */
export function sourceOf(first) {
  const names = new Set(first.map((name) => name.trim().toLowerCase()));
  const has = (/** @type {string[]} */ ...all) => all.every((name) => names.has(name));
  if (has("text", "image url", "posting time")) return "Buffer";
  if (has("text", "date", "time", "picture url 1")) return "Metricool";
  if (first.length <= 3 && isDate(first[0]) && first[1] && !isDate(first[1])) return "Hootsuite";
  return "";
}

/** The columns of Hootsuite have no names. @type {Column[]} */
const HOOTSUITE = ["date", "text", "link"];

/** Whether a cell begins as dates do. @param {string} [cell] */
const isDate = (cell) => /^\s*\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/.test(cell ?? "");

/**
 * Whether the first row names the columns, and what each of them means.
 * @param {string[][]} records
 * @returns {{hasHeader: boolean, columns: Column[]}}
 */
export function guessed(records) {
  const [first] = records;
  if (sourceOf(first) === "Hootsuite")
    return { hasHeader: false, columns: HOOTSUITE.slice(0, first.length) };
  /** @type {Column[]} */
  const columns = first.map(guess);
  // Addresses and networks may stand in several columns, everything else in one.
  columns.forEach((column, index) => {
    if (column && column !== "media" && columns.indexOf(column) < index) columns[index] = "";
  });
  if (columns.includes("text") || columns.filter(Boolean).length > 1) return { hasHeader: true, columns };
  const width = Math.max(...records.slice(0, 100).map((record) => record.length));
  return {
    hasHeader: false,
    columns: Array.from({ length: width }, (_, index) => byContent(records, index)),
  };
}

/**
 * Without names: what the cells look like.
 * @param {string[][]} records @param {number} index @returns {Column}
 */
function byContent(records, index) {
  const cells = records.slice(0, 20).map((record) => record[index]?.trim() ?? "");
  const filled = cells.filter(Boolean);
  const all = (/** @type {RegExp} */ pattern) =>
    filled.length > 0 && filled.every((cell) => pattern.test(cell));
  if (filled.length > 0 && filled.every(isDate)) return "date";
  if (all(/^\d{1,2}:\d\d/)) return "time";
  if (all(/^https?:\/\/\S+\.(?:jpe?g|png|gif|webp|mp4|mov)(?:\?\S*)?$/i)) return "media";
  if (all(/^https?:\/\/\S+$/)) return "link";
  const isLongest = filled.some((cell) => cell.length > 20);
  return isLongest &&
    !records.slice(0, 20).some((record) => record.slice(0, index).some((cell) => cell.length > 20))
    ? "text"
    : "";
}

/**
 * Whether `3/4` is the third of April: some date says so, or none says otherwise.
 * @param {string[]} dates
 * @param {boolean} isDefault
 */
export function isDayFirst(dates, isDefault) {
  for (const date of dates) {
    const [, first, second] = /^\s*(\d{1,2})[-/.](\d{1,2})[-/.]\d{2,4}/.exec(date) ?? [];
    if (Number(first) > 12) return true;
    if (Number(second) > 12) return false;
  }
  return isDefault;
}
