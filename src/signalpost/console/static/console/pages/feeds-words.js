// What is said about feeds: why one is held, why it could not be read, what became of an item.
import { t } from "../i18n.js";

/** @type {Record<string, () => string>} */
const HELD = {
  flood: () =>
    t(
      "More new items came at once than it may post in a day. Look at them, then go on with or without them.",
    ),
  rights: () =>
    t(
      "Whoever set it up may no longer write such posts. If you may, go on with it: then you answer for it.",
    ),
  accounts: () => t("None of its accounts is connected any more. Choose others, then go on."),
  gone: () => t("Its server says that the feed is gone for good."),
  plan: () => t("The plan has no room for this feed any more."),
};

/** @type {Record<string, () => string>} */
const ERRORS = {
  unreachable: () => t("The server cannot be reached, or it does not respond in time."),
  unsafe_address: () => t("This address is not public, so it is not read."),
  not_found: () => t("The server has nothing at this address."),
  login_needed: () => t("The server wants a login, or refuses to let the feed be read."),
  too_often: () => t("The server asks to be read less often."),
  server_error: () => t("The server has a fault of its own."),
  too_large: () => t("The feed is larger than 2 MB."),
  too_many_redirects: () => t("The address leads on and on, to no feed."),
  not_a_feed: () => t("What is at this address is neither a feed nor a page that names one."),
  no_feed: () => t("The page names no feed. Enter the address of the feed itself."),
  malformed: () => t("The feed is damaged: it is not well-formed XML."),
  too_much: () => t("The feed takes too much computing to be read."),
  plan_limit: () => t("The posts of the plan are used up. Items wait until there is room."),
  no_free_slot: () => t("The queue has no free time. Items wait until there is one."),
};

/** @type {Record<string, () => string>} */
const ITEMS = {
  waiting: () => t("waits for its turn"),
  posted: () => t("became a post"),
  before: () => t("was there before"),
  filtered: () => t("left out by the filter"),
  refused: () => t("could not become a post"),
  skipped: () => t("left out by hand"),
};

/** @param {{code: string, message: string}} why */
export const heldWords = ({ code, message }) => HELD[code]?.() ?? message;
/** @param {{code: string, message: string}} why */
export const errorWords = ({ code, message }) => ERRORS[code]?.() ?? message;
/** @param {string} state */
export const itemWords = (state) => ITEMS[state]?.() ?? state;
