// What a plan limits, in words.
import { t } from "./i18n.js";

/** @type {() => Record<string, string>} */
const LIMITS = () => ({
  posts: t("Posts this month"),
  scheduledPosts: t("Scheduled posts"),
  profiles: t("Clients"),
  accounts: t("Accounts"),
  members: t("Members"),
  apiKeys: t("API keys"),
  webhooks: t("Webhooks"),
  feeds: t("Feeds"),
  platformInvites: t("Open invitations"),
  storageBytes: t("Stored files"),
  aiCaptions: t("Captions by AI this month"),
  bulkItems: t("Posts in one request"),
  fileBytes: t("Size of a file"),
  requestsPerMinute: t("Requests a minute"),
  writesPerMinute: t("Changes a minute"),
  analyticsDays: t("Days of analytics"),
  deliveryLogDays: t("Days of deliveries"),
  auditDays: t("Days of history"),
  commentDays: t("Days of comments"),
});

/**
 * The name of a limit; one that this console does not know yet is shown as the API calls it.
 * @param {string} key
 */
export const limitName = (key) =>
  LIMITS()[key] ?? key.replaceAll(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
