// Why a post did not go out at an account, or waits: what happened, and what to do.
import { t } from "../i18n.js";

/** @type {Record<string, () => [string, string]>} */
export const FAILURES = {
  auth_expired: () => [
    t("The connection to the account has expired."),
    t("Connect the account again; what waits is then published. Try again what failed."),
  ],
  permission_missing: () => [
    t("The account did not allow this kind of post."),
    t("Connect it again and agree to everything that is asked for, then try again."),
  ],
  account_disconnected: () => [
    t("The account is no longer connected."),
    t("Connect the same account again, then try again."),
  ],
  account_restricted: () => [
    t("The network restricts this account at the moment."),
    t("Sign in at the network and do what it asks for, then try again."),
  ],
  account_paused: () => [
    t("The account is paused."),
    t("Resume it on its page; what waits is then published."),
  ],
  account_not_ready: () => [
    t("The account cannot publish right now."),
    t("Open the page of the account to see why."),
  ],
  approval_required: () => [
    t("The post waits for approval."),
    t("Someone who approves decides before it goes out."),
  ],
  rate_limited: () => [
    t("The network takes no more posts at the moment."),
    t("Try again later, and leave more time between posts of this account."),
  ],
  platform_quota: () => [
    t("The account has used up what the network allows in a day."),
    t("Try again tomorrow."),
  ],
  text_too_long: () => [
    t("The text is too long for this network."),
    t("Shorten it for this account, then send it again."),
  ],
  content_rejected: () => [
    t("The network refused the content."),
    t("Change the post, then send it again."),
  ],
  duplicate_content: () => [
    t("The network already has this post."),
    t("Look at the account first; change the text if it is meant to appear twice."),
  ],
  media_missing: () => [
    t("A file of the post is missing."),
    t("Upload it again, add it to the post, then send it again."),
  ],
  media_unsupported: () => [
    t("The network does not take this kind of file."),
    t("Replace it with another kind, such as JPEG or MP4."),
  ],
  media_too_large: () => [t("A file is too large for this network."), t("Replace it with a smaller one.")],
  media_fetch_failed: () => [
    t("A file could not be read."),
    t("Try again; if it fails again, upload the file again."),
  ],
  media_processing_failed: () => [
    t("The network could not process a file."),
    t("Try again; if it fails again, use an MP4 or a JPEG."),
  ],
  destination_missing: () => [
    t("The place to post to is not there."),
    t("Choose another board, channel or community, then send it again."),
  ],
  billing_required: () => [
    t("The network asks for a paid plan for this."),
    t("Subscribe to it at the network, then try again."),
  ],
  platform_unavailable: () => [
    t("The network was not available."),
    t("Nothing was posted. Try again when it is back."),
  ],
  platform_timeout: () => [t("The network took too long to answer."), t("Nothing was posted. Try again.")],
  network_error: () => [t("The network could not be reached."), t("Nothing was posted. Try again.")],
  outcome_unknown: () => [
    t("It is unknown whether the post was published."),
    t("Look at the account and say whether it is there; nothing is sent again before that."),
  ],
  missed_window: () => [
    t("The time for this post passed before it could be published."),
    t("Publish it now, or choose another time."),
  ],
  plan_limit: () => [
    t("The plan does not cover this account or client."),
    t("Choose a larger plan under Billing, or remove what is too much, then try again."),
  ],
  internal_error: () => [
    t("Something went wrong on our side."),
    t("Try again; if it fails again, tell whoever runs this service."),
  ],
  removal_failed: () => [
    t("The post could not be removed from the network."),
    t("Delete it at the network, or try to remove it here once more."),
  ],
  cancelled: () => [
    t("The post was stopped when a part of it was public already."),
    t("Try again to publish the rest, or delete it also at the networks."),
  ],
  "schedule.dst": () => [
    t("The clocks change at this time."),
    t("The post shows the moment that is taken."),
  ],
  "schedule.utc": () => [
    t("No time zone was named, so UTC is taken."),
    t("Choose the time zone of the client."),
  ],
  "slot.taken": () => [t("Another post has its time now."), t("Choose “Next free slot” again.")],
  "approval.requested_again": () => [
    t("The post was changed while it waited for approval."),
    t("Approval was requested again; there is nothing to do."),
  ],
  "removal.under_way": () => [t("The post is being removed from a network."), t("There is nothing to do.")],
  "removal.done": () => [t("The post was removed from a network."), t("There is nothing to do.")],
  "removal.not_requested": () => [
    t("The post stays at a network, since nobody asked for it to be removed there."),
    t("Delete it at the network, or delete the post here once more, also at the networks."),
  ],
  profile_missing: () => [
    t("The client of this post was deleted."),
    t("Write the post again for another client."),
  ],
  "delivery.private": () => [
    t("The network keeps this post private until it has checked the app of this service."),
    t("Make it public at the network."),
  ],
  "held.network": () => [
    t("The network keeps this account waiting."),
    t("There is nothing to do: it goes out by itself."),
  ],
  "health.cannot_post": () => [
    t("The network does not let this account post."),
    t("Connect it again and agree to everything that is asked for."),
  ],
  "health.expiring": () => [
    t("The connection ends within a week, and cannot be renewed by itself."),
    t("Connect the account again before that."),
  ],
  "health.refresh_failed": () => [
    t("The connection could not be renewed last time."),
    t("It is tried again. If this stays, connect the account again."),
  ],
  "health.check_failed": () => [t("The account could not be checked."), t("Check it again later.")],
};
FAILURES["held.approval"] = FAILURES.approval_required;
FAILURES["held.account"] = FAILURES.account_not_ready;
FAILURES["held.plan"] = FAILURES.plan_limit;
FAILURES["health.disconnected"] = FAILURES.account_disconnected;
FAILURES["health.needs_reauth"] = FAILURES.auth_expired;
FAILURES["health.restricted"] = FAILURES.account_restricted;
FAILURES["health.paused"] = FAILURES.account_paused;
FAILURES["health.over_limit"] = FAILURES.plan_limit;
FAILURES["health.missing_permissions"] = FAILURES["health.cannot_post"];
