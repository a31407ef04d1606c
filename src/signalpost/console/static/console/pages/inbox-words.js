// What is said of a comment and of an answer in a few words.
import { t } from "../i18n.js";

/** @param {import("signalpost/api").Schemas["Comment"]} comment */
export function stateWords(comment) {
  const last = comment.replies.at(-1);
  if (last && last.state !== "sent" && last.state !== "rejected") return replyWords(last.state);
  if (comment.deletedAt) return t("deleted");
  if (comment.hidden) return t("hidden");
  return comment.answeredAt ? t("answered") : t("not answered");
}

/** @param {string} state of an answer */
export function replyWords(state) {
  /** @type {Record<string, string>} */
  const words = {
    pending: t("waits for an approval"),
    sending: t("is being sent"),
    sent: t("was sent"),
    failed: t("was not sent"),
    unknown: t("may have been sent: look at the network"),
    rejected: t("was not approved"),
  };
  return words[state] ?? state;
}

/**
 * What a rule does with a comment.
 * @param {import("signalpost/api").Schemas["CommentRule"]} rule
 * @param {import("signalpost/api").Schemas["Member"][]} members
 */
export function effectWords({ hide, done, assigneeId, tags }, members) {
  const member = members.find(({ id }) => id === assigneeId);
  return [
    hide && t("hide"),
    done && t("mark as done"),
    assigneeId && t("{name} takes care of it", { name: member?.name ?? member?.email ?? t("someone") }),
    tags.length && t("tag: {tags}", { tags: tags.join(", ") }),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** What a rule did with a comment. @param {import("signalpost/api").Schemas["CommentRuleUse"]} use */
export function actionWords({ actions, hiding }) {
  /** @type {Record<string, string>} */
  const words = { assign: t("assigned"), tag: t("tagged"), done: t("marked as done"), hide: t("hidden") };
  const did = actions.map((action) => words[action] ?? action);
  if (hiding === "pending") did.push(t("is being hidden"));
  if (hiding === "failed") did.push(t("could not be hidden"));
  return did.join(", ") || t("nothing was left to do");
}

/** Nine in the morning, so many days from now. @param {number} days */
export function inTheMorning(days) {
  const at = new Date();
  at.setDate(at.getDate() + days);
  at.setHours(9, 0, 0, 0);
  return at;
}

/** Whether it comes back later. @param {import("signalpost/api").Schemas["Comment"]} comment */
export const isPutOff = ({ snoozedUntil }) => Boolean(snoozedUntil && new Date(snoozedUntil) > new Date());
