// What the service refuses, by the code of the problem: what happened, and what to do.
import { t } from "../i18n.js";

/** @type {Record<string, () => [string, string]>} */
export const PROBLEMS = {
  duplicate_member: () => [
    t("This page sent something that the service does not understand."),
    t("Reload the page and try again."),
  ],
  oauth_state_invalid: () => [
    t("This connection attempt has ended."),
    t("Start again from the page of accounts. It has to be finished within ten minutes."),
  ],
  invalid_credentials: () => [
    t("The e-mail address, the password or the code is wrong."),
    t("Check them. “Forgot your password?” on the page to sign in helps further."),
  ],
  authorization_pending: () => [
    t("Nobody has decided about this terminal yet."),
    t("Open the page that it names, and decide there."),
  ],
  slow_down: () => [t("The terminal asks too often."), t("Wait a minute, then try again.")],
  access_denied: () => [
    t("The terminal was refused its key."),
    t("If that was a mistake, start again in the terminal."),
  ],
  expired_token: () => [
    t("This code of a terminal no longer works."),
    t("Start again in the terminal. A code works for ten minutes."),
  ],
  key_revoked: () => [t("This API key no longer works."), t("Make a new one under Developers.")],
  second_factor_required: () => [
    t("A code of your authenticator app is needed."),
    t("Enter the code that the app shows, or a recovery code."),
  ],
  token_expired: () => [t("You are no longer signed in."), t("Sign in again.")],
  free_workspaces_reached: () => [
    t("You own as many free workspaces as one person may."),
    t("Choose a paid plan for one of them, or delete one."),
  ],
  payment_failed: () => [
    t("The payment failed, and nothing was changed."),
    t("Change the card under Billing, then try again."),
  ],
  plan_feature_unavailable: () => [
    t("Your plan does not include this."),
    t("Billing shows the plans that do."),
  ],
  plan_limit_reached: () => [
    t("Your plan allows no more of this."),
    t("Remove something, wait for the next month, or choose a larger plan under Billing."),
  ],
  subscription_past_due: () => [
    t("A payment for the plan failed."),
    t("Pay the open invoice or change the card under Billing, then try again."),
  ],
  forbidden: () => [t("Your role does not allow this."), t("Ask an owner or admin of the workspace.")],
  registration_closed: () => [
    t("Nobody can register here without an invitation."),
    t("Ask a member of the workspace to invite you."),
  ],
  second_factor_missing: () => [
    t("This workspace asks everyone for a second factor, and you have none."),
    t("Set it up under My account."),
  ],
  sign_in_refused: () => [
    t("The sign-in was not accepted."),
    t("Start again from the page to sign in. If it happens again, ask whoever runs this service."),
  ],
  signed_in_as_another: () => [
    t("Someone else has signed in in this browser meanwhile."),
    t("Nothing was done. Reload the page to go on as they."),
  ],
  test_mode_only_sandbox: () => [
    t("A test key can use only the sandbox."),
    t("Use a live key for real accounts."),
  ],
  not_found: () => [
    t("This is not here, or no longer."),
    t("Go back and look whether it was deleted, or belongs to a client that you do not see."),
  ],
  sign_in_not_configured: () => [
    t("Signing in with another service is not set up here."),
    t("Sign in with an e-mail address and a password."),
  ],
  account_in_use: () => [
    t("Posts are waiting for this account."),
    t("Take them off the queue or wait until they are out, then try again."),
  ],
  already_exists: () => [t("There is one with this name already."), t("Choose another name.")],
  another_payer: () => [
    t("Someone else's card pays for this workspace."),
    t("Enter a card of your own under Billing; theirs is removed then."),
  ],
  billing_active: () => [
    t("A card is charged for this workspace, so it cannot simply go to someone else."),
    t("End the subscription with its period under Billing, or offer the payments with the ownership."),
  ],
  billing_disabled: () => [
    t("No plans are sold here: everything is included."),
    t("There is nothing to do."),
  ],
  billing_not_configured: () => [
    t("Payments are not set up here, or not completely."),
    t("Ask whoever runs this service."),
  ],
  confirmation_needed: () => [
    t("Your bank wants you to confirm the payment, and a planned change stands in the way."),
    t("Keep the current plan first, then choose the larger one again."),
  ],
  posts_waiting: () => [
    t("Posts of this client are still to be published."),
    t("Cancel what is not to go out, and end what repeats. Then archive the client."),
  ],
  profile_archived: () => [
    t("This client is archived: nothing is written or published for it."),
    t("Restore it first, under Clients."),
  ],
  duplicate_content: () => [
    t("The same was posted to this account within the last day."),
    t("Change the text, or say that it is meant to appear twice."),
  ],
  external_id_conflict: () => [
    t("Another program has made a post with this number already."),
    t("Use the post that is there, or move it to the trash first."),
  ],
  idempotency_in_progress: () => [
    t("This is still being done."),
    t("Wait a moment; you need not send it again."),
  ],
  invalid_state: () => [
    t("This is not possible as things are now."),
    t("Something has changed since the page was loaded: reload it and look."),
  ],
  last_administrator: () => [
    t("You are the only administrator of this installation."),
    t("Whoever runs it makes another person one first."),
  ],
  owns_workspaces: () => [
    t("You own workspaces, which cannot be without an owner."),
    t("Hand each over under Team, or have it deleted with your account."),
  ],
  last_owner: () => [
    t("A workspace always has an owner."),
    t("Make another member the owner first, under Team."),
  ],
  link_cycle: () => [
    t("These clients cannot be linked so: posts would go round in a circle, or through too many clients."),
    t("End another link first. A client gets posts of one other client only."),
  ],
  no_free_slot: () => [
    t("The queue has no free time within a year."),
    t("Add times to it, switch it on if it rests, or choose a time yourself."),
  ],
  nothing_to_retry: () => [
    t("Nothing of this post can be tried again."),
    t("Only what failed can. If it is unknown whether it is out, look at the account and say so."),
  ],
  platform_not_configured: () => [
    t("This network cannot be connected here yet."),
    t("Whoever runs this service has to set it up first."),
  ],
  upload_conflict: () => [
    t("The file is being sent from somewhere else too."),
    t("Wait until that is done, or choose the file again."),
  ],
  invite_expired: () => [t("This invitation has expired."), t("Ask whoever sent it for another one.")],
  approval_code_required: () => [
    t("This link needs a code that is mailed to one address."),
    t("Open its page, and have the code mailed."),
  ],
  feed_unreadable: () => [
    t("No feed can be read at this address."),
    t("Open the address in a browser: enter that of a blog, or of its feed."),
  ],
  comment_action_unavailable: () => [
    t("This cannot be done with a comment on that network."),
    t("Do it at the network itself."),
  ],
  comment_answered: () => [
    t("Someone has answered this comment, or is about to."),
    t("Read that answer first."),
  ],
  reply_loop: () => [
    t("The account has answered too often within an hour: this person, in this thread or under this post."),
    t("Answer later, or at the network."),
  ],
  calendar_link_ended: () => [
    t("Whoever made this calendar link may no longer read its posts."),
    t("Make a calendar link of your own."),
  ],
  slug_taken: () => [
    t("Another link page has this address, or had it before."),
    t("Choose another address."),
  ],
  report_link_ended: () => [
    t("Whoever made this link may no longer read these numbers."),
    t("Make a link of your own."),
  ],
  approval_link_expired: () => [t("This link has expired."), t("Ask whoever sent it for another one.")],
  approval_link_revoked: () => [t("This link was withdrawn."), t("Ask whoever sent it for another one.")],
  invite_revoked: () => [t("This invitation was withdrawn."), t("Ask whoever sent it for another one.")],
  invite_used: () => [t("This invitation has been used."), t("Ask whoever sent it for another one.")],
  version_conflict: () => [
    t("Someone else has changed this meanwhile."),
    t("Reload it, look at their change, and make yours again."),
  ],
  payload_too_large: () => [t("This is too large."), t("Make it smaller, or send less at once.")],
  uri_too_long: () => [t("This search is too long."), t("Use fewer or shorter words.")],
  foreign_host: () => [
    t("This service is not known under this address."),
    t("Open it under its usual address."),
  ],
  host_not_found: () => [
    t("There is no computer of this name in the internet."),
    t("Check the spelling of the address. If it is new, try again in an hour."),
  ],
  media_fetch_failed: () => [
    t("The file could not be fetched from this address."),
    t("Check that the address shows the file itself, without a login, or upload the file."),
  ],
  period_too_long: () => [t("This period is too long to search."), t("Choose a shorter one.")],
  preflight_failed: () => [
    t("A network would refuse this post. Nothing was saved or sent."),
    t("Change what is marked, then send it again."),
  ],
  schedule_in_past: () => [t("This time is over."), t("Choose a later one, or publish it now.")],
  schedule_too_far: () => [
    t("This time is more than a year ahead."),
    t("Choose an earlier one, or keep the post as a draft until then."),
  ],
  timezone_required: () => [t("A time zone is missing."), t("Choose the time zone of the time.")],
  too_many_items: () => [
    t("This is more than is possible at once."),
    t("Choose fewer, and do the rest afterwards."),
  ],
  unsafe_url: () => [
    t("The service may not open this address."),
    t("Use a public address that begins with https."),
  ],
  validation_failed: () => [
    t("Something is missing or not as it must be."),
    t("Correct what is marked, then send it again."),
  ],
  login_throttled: () => [
    t("There were too many wrong passwords for this e-mail address."),
    t("Wait a few minutes, or choose a new password."),
  ],
  rate_limited: () => [t("This was too much in a short time."), t("Wait a moment, then go on.")],
  checksum_mismatch: () => [
    t("A piece of the file was damaged on its way."),
    t("It is sent again. If this goes on, choose the file again."),
  ],
  internal_error: () => [
    t("Something went wrong on our side."),
    t("Try again. If it happens again, tell whoever runs this service; the details below help them."),
  ],
  platform_error: () => [t("The network answered something unexpected."), t("Try again later.")],
  provider_unavailable: () => [
    t("The service for signing in cannot be reached."),
    t("Try again in a minute, or sign in with a password."),
  ],
  unavailable: () => [t("The service cannot do this right now."), t("Try again in a minute.")],
  platform_timeout: () => [t("The network took too long to answer."), t("Try again later.")],
  unusable_file: () => [
    t("This file cannot be used."),
    t("Choose another one, or save it in another format, such as JPEG or MP4."),
  ],
  offline: () => [
    t("The service cannot be reached."),
    t("What you typed is kept. It is sent when the network is back."),
  ],
  outdated: () => [t("A new version was installed."), t("Reload the page.")],
  not_loaded: () => [t("A part of this page could not be loaded."), t("Reload the page.")],
};
PROBLEMS.malformed_request = PROBLEMS.duplicate_member;
PROBLEMS.method_not_allowed = PROBLEMS.duplicate_member;
PROBLEMS.not_acceptable = PROBLEMS.duplicate_member;
PROBLEMS.unsupported_media_type = PROBLEMS.duplicate_member;
PROBLEMS.tus_version_unsupported = PROBLEMS.duplicate_member;
PROBLEMS.idempotency_key_reused = PROBLEMS.duplicate_member;
PROBLEMS.confirmation_required = PROBLEMS.duplicate_member;
PROBLEMS.invalid_signature = PROBLEMS.duplicate_member;
PROBLEMS.unauthenticated = PROBLEMS.token_expired;
PROBLEMS.insufficient_scope = PROBLEMS.forbidden;
PROBLEMS.invalid_queue_secret = PROBLEMS.forbidden;
PROBLEMS.verification_failed = PROBLEMS.forbidden;
