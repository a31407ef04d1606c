// What the fields of a draft are called.
import { t } from "../i18n.js";

/** @type {() => Record<string, string>} */
const FIELDS = () => ({
  profileId: t("Client"),
  text: t("Text"),
  variants: t("Texts of accounts"),
  accountIds: t("Accounts"),
  media: t("Files"),
  thread: t("Thread"),
  when: t("When"),
  at: t("When"),
  timezone: t("When"),
  queueId: t("When"),
  firstComment: t("First comment"),
  link: t("Link"),
  utm: t("Links in the post"),
  tags: t("Tags"),
  title: t("Title"),
  campaign: t("Campaign"),
});

/** What fields are called, each once. @param {string[]} fields */
export const namesOf = (fields) =>
  [...new Set(fields.map((field) => FIELDS()[field] ?? t("Options")))].join(", ");
