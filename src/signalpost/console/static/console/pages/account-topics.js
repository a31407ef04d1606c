// What a person can be mailed about, and notified of on their devices.
import { t } from "../i18n.js";
import { may } from "../store.js";

/** @typedef {keyof import("signalpost/api").Schemas["Notifications"]["mail"]} Topic */

/** Each topic, and when such a mail comes. @returns {[Topic, string, string][]} */
const ofEveryone = () => [
  ["approvals", t("Posts to approve"), t("When posts wait for you, and again a day before their time.")],
  ["decisions", t("Decisions on my posts"), t("When someone approves, rejects or wants changes.")],
  [
    "discussions",
    t("Mentions and messages"),
    t("When someone names you, or a guest writes about your post."),
  ],
  ["failures", t("Failed posts"), t("When a post of yours is not published, or only in part.")],
  ["accounts", t("Accounts to connect again"), t("When an account of your workspace stops working.")],
  ["feeds", t("Feeds on hold"), t("When a feed of yours is not read any more.")],
  ["webhooks", t("Disabled webhooks"), t("When a receiver of your workspace fails for days.")],
  ["usage", t("Usage of the plan"), t("When a month’s limit of your workspace is almost or fully used.")],
  ["support", t("Answers from support"), t("When support answers one of your tickets.")],
];

/** @returns {[Topic, string, string][]} */
const ofStaff = () => [
  ["tickets", t("Tickets of users"), t("When a user writes to support, which you belong to.")],
];

/** Those that concern this person. */
export const topics = () => (may("instance:admin") ? [...ofEveryone(), ...ofStaff()] : ofEveryone());
