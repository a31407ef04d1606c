// Chosen posts as a table.
import { saveCsv } from "../csv-write.js";
import { t } from "../i18n.js";
import { networkName, profiles } from "../store.js";
import { wallTime } from "../time.js";
import { stateLook } from "../components/badge.js";
import { momentOf } from "./many-actions.js";

/** @param {import("signalpost/api").Schemas["Post"][]} posts */
export function savePosts(posts) {
  const names = Object.fromEntries((profiles.value ?? []).map(({ id, name }) => [id, name]));
  const head = [
    t("Time"),
    t("Time zone"),
    t("Client"),
    t("State"),
    t("Networks"),
    t("Title"),
    t("Text"),
    t("Tags"),
    t("Campaign"),
    t("Address"),
    t("Id"),
  ];
  const rows = posts.map((post) => [
    wallTime(new Date(momentOf(post)), post.timezone).replace("T", " "),
    post.timezone,
    names[post.profileId] ?? "",
    stateLook(post.status).word,
    [...new Set(post.targets.map(({ platform }) => networkName(platform)))].join(", "),
    post.title ?? "",
    post.text,
    post.tags.join(", "),
    post.campaign ?? "",
    post.targets.flatMap(({ url }) => url ?? []).join(" "),
    post.id,
  ]);
  saveCsv("posts.csv", [head, ...rows]);
}
