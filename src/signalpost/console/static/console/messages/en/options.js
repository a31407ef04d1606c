// English for people where what the API says of an option is for programs: helps with its names and values in
// them, and values that are no words.
export default /** @type {Record<string, string>} */ ({
  accounts_you_follow: "Accounts that you follow",
  crop: "Cut off the edges",
  followers_only: "Only followers",
  FOLLOWER_OF_CREATOR: "Followers",
  loggedIn: "Members who are signed in",
  manual: "When I say so",
  mentionedUsers: "Mentioned people",
  mentioned_only: "Only mentioned people",
  MUTUAL_FOLLOW_FRIENDS: "Friends",
  pad: "With a white border",
  parent_post_author_only: "Only who wrote the post above",
  performance: "When it does well",
  PUBLIC_TO_EVERYONE: "Everyone",
  SELF_ONLY: "Only me",
  drug_use: "Drugs and alcohol",
  sexual_themes: "Sexual themes",
  "Content warnings: `sexual`, `nudity`, `porn`, `graphic-media`.":
    "Warns of what is in the post before it is shown.",
  "Shows a link card when there is no media, for `link` or else for the first URL of the text. `true` (default) reads title, description and image from the page; `{title, description, image}` sets them; `false` makes no card of a URL in the text and does not read the page of `link`.":
    "Without media, the post shows a card for its link, or else for the first link in the text. Title, description and picture usually come from the page; you can write your own, or leave out the card.",
  "Who can reply: `everyone` (default), `nobody`, or a list of `mentioned`, `followers` and `following`.":
    "Usually everyone can reply.",
  "Who can see the post: `public`, `unlisted`, `private` (followers) or `direct` (mentioned users). Defaults to the account's setting.":
    "Private: only followers. Direct: only mentioned people. The account's own setting is the usual one.",
  "Captions of the first post's video: `{language, text}`, the text in the format WebVTT, at most 20,000 bytes.":
    "For the video of the first post: the content of a file that ends with .vtt, one for each language.",
  "A post to quote: its address on bsky.app, or its `at://` address.": "The address of a post on bsky.app.",
  "Who can quote the post: `public`, `followers` or `nobody`. Defaults to the account's setting. From Mastodon 4.5 on.":
    "Usually what the account's settings say. Needs Mastodon 4.5 or newer.",
  "A poll: `{options[2-4], minutes, multiple?, hideTotals?}`. A post with a poll has no media.":
    "A poll with 2 to 4 answers. A post with a poll has no media.",
  "`feed` (default), `reel` (one video of 3 to 90 s) or `story` (one image or one video of 3 to 60 s, without text).":
    "Feed is usual. A reel is one video of 3 to 90 s; a story is one picture, or one video of 3 to 60 s, without text.",
  "The link that is shown as a card, instead of the post's `link`.":
    "Shown as a card instead of the post's link.",
  "A carousel of links: 2 to 10 cards `{link, title, description?, imageUrl?}`, without media.":
    "A carousel of 2 to 10 links, without media.",
  "What the post becomes. Default: a carousel of several files, a reel of a video, else `feed`.":
    "What the post becomes. Usually several files become a carousel, a video becomes a reel, and a picture goes to the feed.",
  "What becomes of images that are taller than 3:4 or wider than 1.91:1: `pad` puts them on a white canvas, `crop` cuts off their edges. Without it they are refused. Not for stories and reels.":
    "For pictures that are taller than 3:4 or wider than 1.91:1: they get a white border, or their edges are cut off. Otherwise they are refused. Not for stories and reels.",
  "Users who are tagged: `{username, x, y, index?}`; x and y (0 to 1) say where in the image, index says in which file of a carousel.":
    "People who are tagged, and where in the picture: 0 is the left or top edge, 1 the right or bottom one.",
  "Shows a reel to people who do not follow the account first. Followers see it when you say so (`manual`) or when it does well (`performance`).":
    "Shows a reel first to people who do not follow the account. Followers see it when you say so, or when it does well.",
  "Labels the post as made with AI. Not for stories.":
    "Instagram shows a label with the post. Not for stories.",
  "The topic of the post: 1 to 50 characters without `.` and `&`.":
    "The topic of the post: 1 to 50 characters without a full stop or an ampersand.",
  "Who can reply: `everyone` (default), `accounts_you_follow`, `mentioned_only`, `parent_post_author_only` or `followers_only`.":
    "Usually everyone can reply.",
  "Who can see the post: `public` (default), `connections` (of a member) or `loggedIn`.":
    "Usually everyone can see it. Only posts of a person can be limited to connections.",
  "Shows no card for a link; `link` is then appended to the text. By default the card is made of `link`, or of the first URL of the text.":
    "The post's link is then added to the text. Usually a card is made of it, or of the first link in the text.",
  "Shows an organization's post to a part of its followers only: `{geoLocations?, industries?, jobFunctions?, seniorities?, staffCountRanges?, interfaceLocales?, degrees?, fieldsOfStudy?, organizations?}`, each a list of LinkedIn's ids or URNs, sizes such as `SIZE_11_TO_50` or locales such as `de_DE`. A follower fits who has one value of each facet that is given; at least 300 have to.":
    "Only followers of the page see the post who have one value in each field that you fill in; LinkedIn wants at least 300 of them. The guide says where LinkedIn's ids stand.",
  SIZE_1: "1 person",
  SIZE_2_TO_10: "2 to 10 people",
  SIZE_11_TO_50: "11 to 50 people",
  SIZE_51_TO_200: "51 to 200 people",
  SIZE_201_TO_500: "201 to 500 people",
  SIZE_501_TO_1000: "501 to 1,000 people",
  SIZE_1001_TO_5000: "1,001 to 5,000 people",
  SIZE_5001_TO_10000: "5,001 to 10,000 people",
  SIZE_10001_OR_MORE: "10,001 people or more",
  ONE_DAY: "1 day",
  THREE_DAYS: "3 days",
  SEVEN_DAYS: "1 week",
  FOURTEEN_DAYS: "2 weeks",
  "A poll: `{question, options[2-4], duration?}`, for `ONE_DAY`, `THREE_DAYS`, `SEVEN_DAYS` (default) or `FOURTEEN_DAYS`. Its post has no media and no link card. The author sees who voted.":
    "A poll below the text, with 2 to 4 answers; usually for a week. Its post has no files and no link card. The author sees who voted.",
  "A post of LinkedIn that is shown below the text: its address, which its menu copies, or its URN. Not with media, a poll or a link card.":
    "Shown below the text. The menu of that post copies its link. Not with files, a poll or a link card.",
  "Who can reply: `everyone` (default), `following`, `mentionedUsers`, `subscribers` or `verified`. Not for a reply.":
    "Usually everyone can reply. Not for a reply.",
  "A poll: `{options[2-4], minutes}`. A post with a poll has no media.":
    "A poll with 2 to 4 answers. A post with a poll has no media.",
  AI_MODIFIED: "Made or changed with AI",
  SYNTHETIC_PERFORMER: "Shows a person made with AI",
  "Labels the pin: `AI_MODIFIED` if it was made or changed with AI, `SYNTHETIC_PERFORMER` if it shows a person who was made with AI.":
    "Pinterest shows a label with the pin.",
  "Where the pin leads, instead of the post's `link`.": "Where the pin leads, instead of the post's link.",
  "Who can see the video: `public` (default), `unlisted` or `private`.":
    "Usually everyone can see it. Unlisted: whoever has the link. Private: only the channel.",
  "Whether the video is made for children. Defaults to `false`.":
    "Whether the video is made for children. Usually it is not.",
  "The number of a video category. Defaults to `22` (People & Blogs).": "Usually People & Blogs.",
  "`short`: refuses what YouTube would not show as a Short. By default YouTube decides.":
    "Short refuses what YouTube would not show as a Short. Usually YouTube decides.",
  "Whether subscribers are notified. Defaults to `true`.":
    "Whether subscribers are notified. Usually they are.",
  "`direct` (default) publishes; `inbox` puts the post into the creator's inbox in the app, where they finish it.":
    "Direct publishes it. Inbox puts it into the creator's inbox in the app, where they finish it.",
  "Who can see the post. Required for `direct`: TikTok wants the creator to choose. Apps that TikTok has not audited can post `SELF_ONLY` only.":
    "TikTok wants you to choose. Apps that TikTok has not audited can only post what only you can see.",
  "Whether others can comment. Defaults to `false`.": "Whether others can comment. Usually they cannot.",
  "Whether others can make duets of a video. Defaults to `false`.":
    "Whether others can make duets of a video. Usually they cannot.",
  "Whether others can stitch a video. Defaults to `false`.":
    "Whether others can stitch a video. Usually they cannot.",
  "Who is notified of `@everyone`, `@here`, roles and users in the text. Nobody without it.":
    "Who is notified of @everyone, @here, roles and people in the text. Nobody otherwise.",
  "A poll below the text: `{question, answers[1-10], hours?, multiple?}`. Its message has no files.":
    "A poll below the text. Its message has no files.",
  "Up to 10 boxes `{title?, description?, url?, color?, imageUrl?, footer?}`, together 6,000 characters.":
    "Up to 10 boxes with a title, a text and a picture, together 6,000 characters.",
  "The title of a new post in a forum or media channel. Needed there, unless `threadId` is set.":
    "The title of a new post in a forum or media channel. Needed there, unless a thread is chosen.",
  "Discloses a paid partnership. Not with `SELF_ONLY`.":
    "Discloses a paid partnership. Not for what only you can see.",
  HTML: "HTML",
  MarkdownV2: "Markdown V2",
  "How the text is formatted: `HTML` or `MarkdownV2`, in Telegram's own dialects. Without it the text stands as it is.":
    "HTML or Markdown V2, in Telegram's own dialects. By default the text stands as it is.",
  "The preview of a link in a text without media: `off`, or with a `small` or `large` picture. By default Telegram decides.":
    "The preview of a link in a text without media: none, or with a small or large picture. By default Telegram decides.",
  "A poll: `{options[2-12], anonymous?, multiple?, minutes?, correct?, explanation?}`. The text, at most 300 characters, is its question. With `correct` it is a quiz. A post with a poll has no media.":
    "A poll with 2 to 12 answers. The text, at most 300 characters, is its question. With a right answer it is a quiz. A post with a poll has no media.",
  "Whether the text is sent as it is, in Slack's own markup: `*bold*`, `<https://…|label>`, `<!here>`. Write `&`, `<` and `>` as `&amp;`, `&lt;` and `&gt;` then. Without it nothing is markup.":
    "For texts in Slack's own markup: *bold*, <https://…|label>, <!here>. Write &, < and > as &amp;, &lt; and &gt; then. Otherwise the text stands as it is.",
  "The timestamp of a message of the channel to reply to, such as `1716567890.123456`: in its link the number after `p`, with a point before the last six digits.":
    "The number of a message of the channel, such as 1716567890.123456: in its link the number after p, with a point before the last six digits.",
  "Whether `**bold**`, `*italic*`, `~~struck~~`, `` `code` `` and `[links](https://…)` are formatting. Without it the text stands as it is.":
    "For texts with **bold**, *italic*, ~~struck~~, code in backticks and [links](https://…). Otherwise the text stands as it is.",
  "`publish` (default), `draft`, `pending` (an editor has to approve it) or `private`.":
    "Usually the post is published. Pending means that an editor has to approve it.",
  "The community: its name at the account's instance, or its name with `@` and the instance it is at, such as `bread@lemmy.world`.":
    "The community: its name at the account's instance, or its name with @ and the instance it is at, such as bread@lemmy.world.",
  "The language of the post, such as `en`. Defaults to the profile's language, and without one to what the account and the community have in common.":
    "The language of the post, such as en. Usually the profile's language, and without one what the account and the community have in common.",
  "The name of the subreddit, without `r/`. `u_` and the account's name is its profile.":
    "The name of the subreddit, without r/. The account's own profile is u_ with its name.",
  "The id of a post at Reddit to share in the subreddit: in its address, what stands after `comments/`. A crosspost has a title, and no text, link or files of its own.":
    "A post at Reddit to share in the subreddit: in its address, what stands after comments/. A crosspost has a title, and no text, link or files of its own.",
  "`published` (default) or `draft`.": "Usually the post is published.",
  "Up to four tags of letters and digits, without `#`.":
    "Up to four tags of letters and digits, without #.",
  "Names of tags. One that does not exist is made. One that begins with `#` is not shown to readers.":
    "Names of tags. One that does not exist is made. One that begins with # is not shown to readers.",
  "Which members of the newsletter get the e-mail: `everyone` (default), `unpaid` or `paid`.":
    "Which members of the newsletter get the e-mail. Usually all of them.",
  "`published` (default), `queue` (the blog's own queue), `draft` or `private`.":
    "Usually the post is published. The queue is that of the blog, by which Tumblr publishes it later.",
  "Up to 30 tags of at most 140 characters, without `#` and commas. They may have spaces.":
    "Up to 30 tags of at most 140 characters, without # and commas. They may have spaces.",
  "Whether `**bold**`, `*italic*`, `~~struck~~`, `[links](https://…)`, and lines that begin with `#`, `##`, `>`, `-` or `1.` are formatting. Without it the text stands as it is.":
    "For texts with **bold**, *italic*, ~~struck~~, [links](https://…), and lines that begin with #, ##, >, - or 1. Otherwise the text stands as it is.",
  "Labels the post as `mature`, also for `drug_use`, `violence` or `sexual_themes`: people decide at Tumblr whether they see such posts.":
    "People decide at Tumblr whether they see posts with such a label.",
  EVENT: "Event",
  OFFER: "Offer",
  BOOK: "Book",
  SHOP: "Shop",
  LEARN_MORE: "Learn more",
  SIGN_UP: "Sign up",
  STANDARD: "Update",
  CALL: "Call now",
  ORDER: "Order online",
  "`STANDARD` is an update. By default a post with an `offer` is an `OFFER`, one with an `event` an `EVENT`.":
    "Usually a post with an offer is one, and a post with a title and dates is an event.",
  "The button of an update or event: `{actionType, url?}`. Without `url` it leads to the post's `link`; `CALL` has none and calls the location. A post with a `link` alone gets `LEARN_MORE`.":
    "Below an update or an event. Without an address it leads to the post's link; one that calls needs none. A post with a link alone gets a button to learn more.",
  "What an event or an offer is called, and when: `{title, startDate, endDate, startTime?, endTime?}`, as in `2027-01-31` and `18:30`, by the clocks of the location.":
    "Of an event or an offer. Days and times are those of the clocks at the location.",
  "Of an offer: `{couponCode?, redeemOnlineUrl?, termsConditions?}`. It also needs `event`. Without `redeemOnlineUrl` it is redeemed at the post's `link`.":
    "An offer also needs a title and dates. Without an address it is redeemed at the post's link.",
  "The language of the text, as in `de` or `en-US`. Default: that of the location.":
    "The language of the text, such as de or en-US. Usually that of the location.",
});
