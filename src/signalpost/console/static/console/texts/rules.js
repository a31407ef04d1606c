// What networks would refuse, by rule, and what is wrong with a value, by the code of the issue.
import { number, t } from "../i18n.js";
import { duration, size } from "../units.js";

/** @typedef {Record<string, number>} Values the numbers of a rule, as the service names them */

/** @type {Record<string, (v: Values, network: string) => string>} */
export const RULES = {
  "platform.unavailable": (_, network) => t("Publishing to {network} is not possible here.", { network }),
  "package.failed": (_, network) =>
    t("The part of this service for {network} has failed. Whoever runs the service has to look at it.", {
      network,
    }),
  "content.required": (_, network) =>
    t("{network} needs a text or a file. Write something, or add a picture or a video.", { network }),
  "text.required": (_, network) => t("{network} needs a text. Write something.", { network }),
  "media.required": (_, network) => t("{network} needs a picture or a video. Add one.", { network }),
  "thread.unsupported": (_, network) =>
    t("{network} has no threads. Put everything into one post, or leave this account out.", { network }),
  "thread.max_parts": (v, network) =>
    t("A thread on {network} has at most {limit} posts. Leave some out.", {
      network,
      limit: number(v.limit),
    }),
  "title.required": (_, network) => t("{network} needs a title. Write one under “More”.", { network }),
  "title.max": (v, network) =>
    t("The title is too long for {network}: at most {limit} characters. Shorten it.", {
      network,
      limit: number(v.limit),
    }),
  "text.max_graphemes": (v, network) =>
    t(
      "The text is too long for {network}: at most {limit} characters. Shorten it, or write a text for this account alone.",
      { network, limit: number(v.limit) },
    ),
  "media.kind": (_, network) =>
    t("{network} does not take this kind of file. Choose another one, or leave this account out.", {
      network,
    }),
  "media.max_count": (v, network) =>
    t("{network} takes at most {limit} files of this kind in a post. Leave some out.", {
      network,
      limit: number(v.limit),
    }),
  "media.max_total": (v, network) =>
    t("{network} takes at most {limit} files in a post. Leave some out.", {
      network,
      limit: number(v.limit),
    }),
  "media.mixed": (_, network) =>
    t("{network} does not take pictures and videos in one post. Choose one kind.", { network }),
  "media.max_bytes": (v, network) =>
    t("This file is too large for {network}: at most {limit}. Make it smaller.", {
      network,
      limit: size(v.limit),
    }),
  "media.max_duration": (v, network) =>
    t("This video is too long for {network}: at most {limit}. Cut it.", {
      network,
      limit: duration(v.limit),
    }),
  "media.min_duration": (v, network) =>
    t("This video is too short for {network}: at least {limit}.", { network, limit: duration(v.limit) }),
  "media.max_pixels": (_, network) =>
    t("This picture has too many pixels for {network}. Make it smaller.", { network }),
  "media.max_short_side": (v, network) =>
    t(
      "This file is too large for {network}: the shorter side has at most {limit} pixels. Make it smaller.",
      { network, limit: number(v.limit) },
    ),
  "media.max_long_side": (v, network) =>
    t(
      "This file is too large for {network}: the longer side has at most {limit} pixels. Make it smaller.",
      { network, limit: number(v.limit) },
    ),
  "media.max_alt_text": (v, network) =>
    t("The description of this file is too long for {network}: at most {limit} characters. Shorten it.", {
      network,
      limit: number(v.limit),
    }),
  "media.public_url": (_, network) =>
    t(
      "{network} fetches files from this service, which it cannot reach from the internet. Whoever runs the service has to set up a public address.",
      { network },
    ),
  "media.aspect_ratio": (_, network) =>
    t("{network} does not take a picture of this shape. Crop it to be less wide or less tall.", {
      network,
    }),
  "media.ratio": (_, network) =>
    t("{network} does not take a video of this shape. Crop it to be less wide or less tall.", { network }),
  "media.duration": (v, network) =>
    t("{network} takes videos from {minimum} to {limit}. Choose another one, or cut it.", {
      network,
      minimum: duration(v.minimum),
      limit: duration(v.limit),
    }),
  "media.size": (v, network) =>
    t("{network} takes videos from {min} to {max} pixels on each side. Choose another one.", {
      network,
      min: number(v.min),
      max: number(v.max),
    }),
  "media.min_bytes": (v, network) =>
    t("This file is too small for {network}: at least {limit}.", { network, limit: size(v.limit) }),
  "media.large": (v, network) =>
    t("{network} may refuse this file: it is larger than {limit}.", { network, limit: size(v.limit) }),
  "media.long": (v, network) =>
    t("{network} may refuse this video: without its paid plan it takes {limit} at most.", {
      network,
      limit: duration(v.limit),
    }),
  "media.short": (_, network) =>
    t(
      "{network} shows a video as a Short if it is square or upright and at most three minutes long. Choose another video, or post it as an ordinary one.",
      { network },
    ),
  "media.unverified_duration": () =>
    t("This channel can upload 15 minutes at most until its owner verifies it at YouTube."),
  "media.email_unconfirmed": (_, network) =>
    t("{network} shows videos only from accounts with a confirmed e-mail address. Confirm it there.", {
      network,
    }),
  "first_comment.unsupported": (_, network) =>
    t("{network} has no first comment. Leave it out, or leave this account out.", { network }),
  "first_comment.impossible": (_, network) =>
    t("A story or a draft on {network} has no first comment. Leave it out.", { network }),
  "comment.max": (v, network) =>
    t("The first comment is too long for {network}: at most {limit} characters. Shorten it.", {
      network,
      limit: number(v.limit),
    }),
  "options.unknown": (_, network) => t("{network} does not have this setting. Leave it out.", { network }),
  "options.type": (_, network) =>
    t("This setting of {network} is not as it must be. Choose another value.", { network }),
  "options.privacy_required": (_, network) =>
    t("Choose who can see the post: {network} allows no default.", { network }),
  "options.brand_content": () =>
    t("A paid partnership cannot be visible to you alone. Let others see the post."),
  "options.cover_index": () =>
    t("There is no photo with this number for the cover. Choose one of the post."),
  "options.unused": (_, network) =>
    t("{network} does not take this setting for this kind of post. It is left out.", { network }),
  "options.visibility": () =>
    t("An organization has no connections. Let everyone see the post, or all members."),
  "options.author": () =>
    t("Nobody can post in the name of another member. Choose your own name or a page."),
  "options.type_mismatch": () =>
    t("This setting belongs to another kind of post. Leave it out, or choose that kind."),
  "options.music_needs_page": (_, network) =>
    t("{network} adds music only for accounts that are connected through a Facebook Page. Leave it out.", {
      network,
    }),
  "options.two_covers": () => t("A reel has one cover: a picture of its own, or a frame. Choose one."),
  "user_tags.index": () => t("There is no file with this number for the tagged person."),
  "user_tags.place_required": () => t("Say where in the picture this person is."),
  "poll.with_media": (_, network) =>
    t("A post on {network} has a poll or files, not both. Leave one out.", { network }),
  "thread.both": () => t("Choose a thread or give a title for a new one, not both."),
  "thread.name_required": () => t("This channel is a forum. Give the post a title, or choose a thread."),
  "thread.no_forum": () => t("Only forums have titles. Leave the title of the forum post out."),
  "tags.without_thread": () =>
    t("Tags are those of a new forum post. Give it a title, or leave the tags out."),
  "sender.webhook_only": () =>
    t("Only messages of a webhook show another name or picture. Leave them out for a bot."),
  "username.forbidden": () =>
    t("{network} does not allow this name of the sender. Choose another one.", { network: "Discord" }),
  "embeds.empty": () => t("A box needs a title, a text or a picture. Fill it in, or remove it."),
  "embeds.max": (v) =>
    t("The boxes are too long together: at most {limit} characters. Shorten them.", {
      limit: number(v.limit),
    }),
  "captions.max_bytes": (v) =>
    t("These captions are too long: at most {limit}. Shorten them.", { limit: size(v.limit) }),
  "captions.languages_differ": () => t("There are two captions in this language. Remove one."),
  "poll.in_forum": () => t("A new forum post cannot have a poll. Leave one out."),
  "status.may_not_publish": () =>
    t("This user of the site may write drafts and not publish. Choose the status draft or pending."),
  "media.may_not_upload": () =>
    t("This user of the site may not upload files. Leave them out, or give the user another role there."),
  "text.front_matter": (_, network) =>
    t("{network} would take the lines after --- for title and tags. Begin with other words.", { network }),
  "newsletter.draft": () =>
    t("A draft is not sent to anybody. Leave the newsletter out, or publish the post."),
  "newsletter.missing": () =>
    t("Without a newsletter nothing is sent by e-mail. Name one, or leave this out."),
  "media.bot_only": (_, network) =>
    t("A webhook of {network} cannot send files. Leave them out, or connect the channel by a bot.", {
      network,
    }),
  "media.scopes": (_, network) =>
    t(
      "The app at {network} may not send files yet. Give it the permissions, and connect the account again.",
      {
        network,
      },
    ),
  "subreddit.required": (_, network) =>
    t("A post on {network} needs a subreddit. Choose one, or the profile of the account.", { network }),
  "community.required": (_, network) =>
    t("A post on {network} needs a community. Choose one.", { network }),
  "title.one_line": (v, network) =>
    t("A title on {network} is one line of {limit} characters or more. Change it.", {
      network,
      limit: number(v.limit),
    }),
  "thumbnail.without_link": () =>
    t("The preview picture stands beside a link. Add the link, or leave the picture out."),
  "flair.text_alone": () => t("The text of the flair needs a flair. Choose one."),
  "crosspost.alone": () =>
    t("A shared post has no link and no files of its own. Leave them out, or share nothing."),
  "media.max_request": (v) =>
    t("The files are too large together: at most {limit}. Leave some out, or choose smaller ones.", {
      limit: size(v.limit),
    }),
  "poll.with_link": (_, network) =>
    t("A post on {network} has a poll or a link card, not both. Leave one out.", { network }),
  "poll.max_options": (v) =>
    t("A poll here has at most {limit} answers. Leave some out.", { limit: number(v.limit) }),
  "poll.options_differ": () => t("Two answers of the poll are the same, or one is empty. Change it."),
  "poll.anonymous": () => t("Votes in a channel are anonymous. Switch that on."),
  "poll.quiz": () =>
    t(
      "A quiz has one right answer, counted from 0, and only a quiz has an explanation, of three lines at most.",
    ),
  "poll.max_option_length": (v) =>
    t("This answer is too long: at most {limit} characters. Shorten it.", { limit: number(v.limit) }),
  "quote.with_media": (_, network) =>
    t("A post on {network} that quotes another has neither files nor a poll. Leave them out.", { network }),
  "reshare.with_media": (_, network) =>
    t("A post on {network} that shares another has neither files nor a poll. Leave them out.", { network }),
  "reshare.address": (_, network) =>
    t("This is not the link of a post that {network} can share. Copy it again from the menu of the post.", {
      network,
    }),
  "audience.empty": () =>
    t(
      "The audience is empty. Fill in at least one field of it, or remove it and everyone can see the post.",
    ),
  "audience.member": (_, network) =>
    t(
      "On {network} only posts of a page have an audience. Choose a page as the author, or remove the audience.",
      { network },
    ),
  "quote.invalid": () => t("This is not the id of a post. Copy it again: it begins with nevent1 or note1."),
  "quote.with_other": (_, network) =>
    t("A quote on {network} has neither a poll nor a link card. Put the link into the text.", { network }),
  "quote.unsupported": () => t("The server of this account cannot quote posts. Leave the quote out."),
  "reply.with_settings": () =>
    t("A reply cannot say who may answer: the post that it answers decides that."),
  "reply.uninvited": (_, network) =>
    t(
      "{network} takes a reply only to your own posts, and to people who mentioned this account or quoted it. It refuses others.",
      { network },
    ),
  "quote.uninvited": (_, network) =>
    t(
      "{network} lets you quote only your own posts, and those that mention this account. It refuses others.",
      {
        network,
      },
    ),
  "spoiler.without_media": () =>
    t("The post has no file that could be hidden. Add one, or leave this out."),
  "spoiler.not_in_text": () =>
    t("The text does not have these words. Write them as they stand there, or leave them out."),
  "spoiler.max_places": (v, network) =>
    t("{network} hides words in {limit} places at most. Hide fewer.", { network, limit: number(v.limit) }),
  "link.with_media": (_, network) =>
    t("A post on {network} with files shows no link card. Put the link into the text.", { network }),
  "link.max": (v, network) =>
    t("The link is too long for {network}: at most {limit} characters.", {
      network,
      limit: number(v.limit),
    }),
  "location.unverified": (_, network) =>
    t("{network} has not verified this location. It may refuse the post, or not show it.", { network }),
  "text.phone": (_, network) =>
    t(
      "{network} rejects posts with a telephone number in the text. Leave it out: a button can call the location.",
      { network },
    ),
  "button.offer": (_, network) =>
    t("{network} shows no button on offers. Say where the offer is redeemed, or leave the button out.", {
      network,
    }),
  "button.call": () => t("A button that calls leads nowhere else. Leave its address out."),
  "button.url": () => t("The button leads nowhere. Give it an address, or the post a link."),
  "link.unused": () => t("A button that calls leads nowhere else, so the link is not shown."),
  "event.required": () => t("An event or an offer needs a title, a first and a last day. Add them."),
  "event.of_update": () => t("An update has no dates. Make it an event, or leave them out."),
  "event.day": () => t("There is no such day. Write it as in 2027-01-31."),
  "event.order": () => t("The end has to be later than the beginning. Change one of them."),
  "offer.of_other": () =>
    t("Only an offer has a code and conditions. Make the post an offer, or leave them out."),
  "media.min_side": (v, network) =>
    t("This picture is too small for {network}: at least {limit} pixels on each side.", {
      network,
      limit: number(v.limit),
    }),
  "board.required": (_, network) => t("Choose a board: {network} needs one for each pin.", { network }),
  "text.links": (v, network) =>
    t("{network} takes at most {limit} links in a post. Leave some out.", {
      network,
      limit: number(v.limit),
    }),
  "text.hashtags": (v, network) =>
    t("{network} takes at most {limit} hashtags. Leave some out.", { network, limit: number(v.limit) }),
  "text.many_hashtags": (v, network) =>
    t("The app of {network} itself allows {limit} hashtags; more may be ignored.", {
      network,
      limit: number(v.limit),
    }),
  "text.mention": () =>
    t(
      "A mention is written @[Exact Name](urn:li:organization:1234), and the name has no brackets. Correct it, or write the name alone.",
    ),
  "comment.mention": () => t("A first comment mentions nobody there. Write the name without the markup."),
  "text.mentions": (_, network) =>
    t(
      "{network} takes only so many mentions, and may refuse those of people who did not ask for them. Leave some out.",
      { network },
    ),
  "text.max_cashtags": (_, network) =>
    t("A post on {network} has one cashtag at most. Leave the others out.", { network }),
  "text.characters": (_, network) =>
    t("{network} does not take < and > in this text. Leave them out.", { network }),
  "title.characters": (_, network) =>
    t("{network} does not take < and > in the title. Leave them out.", { network }),
  "tags.characters": (_, network) =>
    t("{network} does not take < and > in a tag. Leave them out.", { network }),
  "tags.max": (v, network) =>
    t("The tags are too long together for {network}: at most {limit} characters. Leave some out.", {
      network,
      limit: number(v.limit),
    }),
  "reel.one_video": (_, network) =>
    t("A reel on {network} is one video. Choose one, and leave everything else out.", { network }),
  "reel.min_pixels": (_, network) =>
    t("This video is too small for a reel on {network}: at least 540 by 960 pixels.", { network }),
  "reel.duration": (v, network) =>
    t("A reel on {network} lasts {minimum} to {limit}. Choose another video, or cut it.", {
      network,
      minimum: duration(v.minimum),
      limit: duration(v.limit),
    }),
  "story.duration": (v, network) =>
    t("A story on {network} lasts {minimum} to {limit}. Choose another video, or cut it.", {
      network,
      minimum: duration(v.minimum),
      limit: duration(v.limit),
    }),
  "story.one_file": (_, network) =>
    t("A story on {network} is one picture or one video. Choose one.", { network }),
  "story.text_ignored": (_, network) =>
    t("A story on {network} shows no text; it goes out without.", { network }),
  "story.draft": (_, network) =>
    t("A story on {network} cannot be a draft there. Switch that off.", { network }),
  "story.max_bytes": (v, network) =>
    t("This video is too large for a story on {network}: at most {limit}. Make it smaller.", {
      network,
      limit: size(v.limit),
    }),
  "carousel.min_files": (_, network) =>
    t("A carousel on {network} has two to ten files. Add some.", { network }),
  "carousel.with_media": (_, network) =>
    t("A carousel of links on {network} has no files of its own. Leave them out.", { network }),
  "carousel.link_required": (_, network) =>
    t("A carousel of links on {network} needs the link of the whole post. Add it under “More”.", {
      network,
    }),
};
RULES["title.max_utf16"] = RULES["title.max"];
RULES["text.max_length"] = RULES["text.max_graphemes"];
RULES["text.max_utf16"] = RULES["text.max_graphemes"];
RULES["text.max_weighted"] = RULES["text.max_graphemes"];
RULES["text.max_bytes"] = RULES["text.max_graphemes"];
RULES["media.mime_type"] = RULES["media.kind"];
RULES["media.large_image"] = RULES["media.large"];
RULES["media.large_video"] = RULES["media.large"];

/** @type {Record<string, (v: Values, network: string) => string>} */
export const ISSUES = {
  required: () => t("This is missing. Fill it in."),
  too_short: () => t("This is too short."),
  too_common: () => t("Many people have this password, so it is guessed first. Choose another one."),
  too_long: (v) => t("This is too long: at most {max}.", { max: number(v.max) }),
  out_of_range: () => t("This is too much, too little, too early or too late."),
  format: () => t("This is not written as it must be."),
  type: () => t("This is not the right kind of value."),
  not_allowed: () => t("This cannot be chosen here."),
  content_invalid: () => t("The network would refuse this text. Change it."),
  unknown_field: () => t("The service does not know this. Reload the page."),
  not_found: () => t("This is not here, or no longer. Choose another one."),
  not_unique: () => t("There is one like this already. Choose something else."),
  host_not_found: () => t("There is no computer of this name in the internet. Check the spelling."),
  unsafe_url: () => t("The service may not open this address. Use a public one that begins with https."),
};
