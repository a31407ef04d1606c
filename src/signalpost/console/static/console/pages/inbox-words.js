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

/** @type {Record<string, () => string>} */
const RULE_ERRORS = {
  assignee_unavailable: () => t("Whoever was to take care of it does not see this client."),
  rule_ended: () =>
    t(
      "The rule was deleted or switched off before, or whoever answered for it may no longer hide comments.",
    ),
  comment_action_unavailable: () => t("The network does not let this comment be hidden from here."),
  invalid_state: () => t("The network refused, or the account has to be connected again."),
  platform_error: () => t("The network failed each time."),
  platform_timeout: () => t("The network did not respond in time."),
  host_not_found: () => t("The server of the network cannot be found."),
  internal_error: () => t("Something failed here. Hide it by hand, or ask whoever runs this service."),
};

/** Why a rule did not do something. @param {{code: string}} error */
export const ruleErrorWords = ({ code }) => RULE_ERRORS[code]?.() ?? t("Something went wrong");

/** @type {Record<string, () => string>} */
const REPLY_ERRORS = {
  auth_expired: () =>
    t("The connection to the account has expired. Connect it again, then answer once more."),
  permission_missing: () =>
    t("The account did not allow answers. Connect it again and agree to everything that is asked for."),
  account_disconnected: () => t("The account is not connected. Connect it again, then answer once more."),
  account_restricted: () =>
    t("The network restricts this account at the moment. Sign in there to see why."),
  rate_limited: () => t("The network took no more answers for hours. Answer once more."),
  platform_quota: () =>
    t("The account has used up what the network allows in a day. Answer once more tomorrow."),
  text_too_long: () =>
    t("The network says that the answer is too long. Shorten it, then answer once more."),
  content_rejected: () => t("The network refused the answer. Change it, then answer once more."),
  duplicate_content: () => t("The network already has this answer. Look there before you answer again."),
  destination_missing: () => t("The comment, or its post, is not there any more."),
  billing_required: () => t("The network asks for a paid plan for answers."),
  platform_unavailable: () => t("The network did not take the answer for hours. Answer once more."),
  platform_timeout: () => t("The network did not respond in time, for hours. Answer once more."),
  network_error: () => t("The network could not be reached for hours. Answer once more."),
  outcome_unknown: () =>
    t(
      "It is not known whether the answer was sent. Look at the comment at the network before you answer again.",
    ),
  internal_error: () =>
    t("Something failed here. Answer once more; if it fails again, ask whoever runs this service."),
};

/** Why an answer was not sent, or may not have been. @param {{code: string}} error */
export const replyErrorWords = ({ code }) => REPLY_ERRORS[code]?.() ?? t("Something went wrong");

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
