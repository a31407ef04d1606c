// German of what sites let one choose: those of articles, communities and businesses.
export default /** @type {Record<string, string>} */ ({
  "Status of the post": "Status des Beitrags",
  "Tags of the post": "Schlagwörter des Beitrags",
  Categories: "Kategorien",
  Excerpt: "Auszug",
  Slug: "Titelform",
  "First image as featured image": "Erstes Bild als Beitragsbild",
  Subreddit: "Subreddit",
  "Address of the preview picture": "Adresse des Vorschaubilds",
  Flair: "Flair",
  "Text of the flair": "Text des Flairs",
  "For adults (NSFW)": "Nur für Erwachsene (NSFW)",
  Spoiler: "Spoiler",
  "Replies to the inbox": "Antworten in den Posteingang",
  "Post to share": "Beitrag zum Teilen",
  "Who may read it": "Wer ihn lesen darf",
  Authors: "Autoren",
  Caption: "Bildunterschrift",
  "Canonical address": "Maßgebliche Adresse",
  Series: "Reihe",
  "Address of the cover picture": "Adresse des Titelbilds",
  Organization: "Organisation",
  "Featured post": "Hervorgehobener Beitrag",
  "Send as newsletter": "Als Newsletter senden",
  "Who gets the e-mail": "Wer die E-Mail bekommt",
  "By e-mail alone": "Nur per E-Mail",
  "Subject of the e-mail": "Betreff der E-Mail",
  "`publish` (default), `draft`, `pending` (an editor has to approve it) or `private`.":
    "Üblicherweise wird der Beitrag veröffentlicht. Zur Freigabe heißt: jemand in der Redaktion gibt ihn frei.",
  "Names of categories. One that does not exist is made, if the user may do that.":
    "Namen von Kategorien. Was es nicht gibt, wird angelegt, wenn die Person das dort darf.",
  "Names of tags. One that does not exist is made.":
    "Namen von Schlagwörtern. Was es nicht gibt, wird angelegt.",
  "`published` (default) or `draft`.": "Üblicherweise wird der Beitrag veröffentlicht.",
  "Who may read the post: everybody (default), members, or paying members.":
    "Wer den Beitrag lesen darf: üblicherweise alle, sonst Mitglieder oder zahlende Mitglieder.",
  "Names of tags. One that does not exist is made. One that begins with `#` is not shown to readers.":
    "Namen von Schlagwörtern. Was es nicht gibt, wird angelegt. Was mit # beginnt, sieht beim Lesen niemand.",
  "E-mail addresses of people who work on the site. By default the owner of the site is the author.":
    "E-Mail-Adressen von Menschen, die an der Website arbeiten. Üblicherweise gilt als Autor, wem die Website gehört.",
  "The end of the address of the post, in lower case with hyphens. By default Ghost makes it of the title, and adds a number to one that is taken.":
    "Das Ende der Adresse des Beitrags, klein und mit Bindestrichen. Üblicherweise bildet Ghost es aus dem Titel; ist es vergeben, kommt eine Zahl dazu.",
  "Up to four tags of letters and digits, without `#`.":
    "Bis zu vier Schlagwörter aus Buchstaben und Ziffern, ohne #.",
  "The name of a series, which DEV shows above each of its articles. One that does not exist is made.":
    "Der Name einer Reihe, die DEV über jedem ihrer Artikel zeigt. Was es nicht gibt, wird angelegt.",
  "The address of a picture that stands above the article. DEV takes no files by its API, so it has to stay there.":
    "Die Adresse eines Bilds, das über dem Artikel steht. DEV nimmt keine Dateien an, darum muss es dort bleiben.",
  "The number of an organization at DEV in whose name the article is published; the person must belong to it.":
    "Die Nummer einer Organisation bei DEV, in deren Namen der Artikel erscheint; die Person muss zu ihr gehören.",
  "Where the post first appeared; search engines then count that page.":
    "Wo der Beitrag zuerst erschienen ist; für Suchmaschinen zählt dann jene Seite.",
  "Whether the theme shows the post as a featured one.": "Ob das Theme den Beitrag hervorhebt.",
  "The caption of the featured image.": "Die Bildunterschrift des Beitragsbilds.",
  "The slug of a newsletter: the post is sent to its members by e-mail, once. Without it nobody gets an e-mail.":
    "Der Slug eines Newsletters: Seine Mitglieder bekommen den Beitrag einmal per E-Mail. Ohne ihn bekommt niemand eine E-Mail.",
  "Which members of the newsletter get the e-mail: `everyone` (default), `unpaid` or `paid`.":
    "Welche Mitglieder des Newsletters die E-Mail bekommen. Üblicherweise alle.",
  "Whether the post is sent by e-mail alone, and does not appear on the site.":
    "Ob der Beitrag nur per E-Mail kommt und nicht auf der Website erscheint.",
  "The subject of the e-mail, instead of the title.": "Der Betreff der E-Mail statt des Titels.",
  "A summary that lists of posts show instead of the beginning.":
    "Eine Zusammenfassung, die Listen von Beiträgen statt des Anfangs zeigen.",
  "The end of the address of the post, in lower case with hyphens. By default WordPress makes it of the title, and adds a number to one that is taken.":
    "Das Ende der Adresse des Beitrags, klein und mit Bindestrichen. Üblicherweise bildet WordPress es aus dem Titel; ist es vergeben, kommt eine Zahl dazu.",
  "Whether the first image is the featured image, which the theme shows, instead of standing in the text with the others.":
    "Ob das erste Bild das Beitragsbild ist, das das Theme zeigt, statt mit den anderen im Text zu stehen.",
  "The name of the subreddit, without `r/`. `u_` and the account's name is its profile.":
    "Der Name des Subreddits ohne r/. Das eigene Profil ist u_ mit dem Namen des Kontos.",
  "The community: its name at the account's instance, or its name with `@` and the instance it is at, such as `bread@lemmy.world`.":
    "Die Community: ihr Name auf der Instanz des Kontos, oder ihr Name mit @ und ihrer Instanz, etwa bread@lemmy.world.",
  "The language of the post, such as `en`. Defaults to the profile's language, and without one to what the account and the community have in common.":
    "Die Sprache des Beitrags, etwa de. Üblicherweise die Sprache des Profils, und ohne diese die, die Konto und Community gemeinsam haben.",
  "The address of a picture that lists show beside the link. By default the instance takes the one of the page.":
    "Die Adresse eines Bilds, das Listen neben dem Link zeigen. Üblicherweise nimmt die Instanz das der Seite.",
  "A flair of the subreddit. Some subreddits take no post without one.":
    "Ein Flair des Subreddits. Manche nehmen keinen Beitrag ohne Flair.",
  "Another text for the flair, where the subreddit allows that.":
    "Ein anderer Text für den Flair, wo das Subreddit es erlaubt.",
  "Whether the post is for adults only.": "Ob der Beitrag nur für Erwachsene ist.",
  "Whether the post gives something away.": "Ob der Beitrag etwas verrät.",
  "Whether Reddit sends replies to the inbox of the account.":
    "Ob Reddit Antworten in den Posteingang des Kontos legt.",
  "The id of a post at Reddit to share in the subreddit: in its address, what stands after `comments/`. A crosspost has a title, and no text, link or files of its own.":
    "Ein Beitrag bei Reddit, der im Subreddit geteilt wird: in seiner Adresse das, was nach comments/ steht. Ein geteilter Beitrag hat einen Titel, aber keinen eigenen Text, Link und keine Dateien.",
  Button: "Knopf",
  "Title and dates": "Titel und Termine",
  Offer: "Angebot",
  "What the button says": "Was auf dem Knopf steht",
  "Where it leads": "Wohin er führt",
  "First day, as in 2027-01-31": "Erster Tag, wie 2027-01-31",
  "Last day": "Letzter Tag",
  "From, as in 18:30": "Von, wie 18:30",
  Until: "Bis",
  Code: "Code",
  "Where it is redeemed": "Wo es eingelöst wird",
  Conditions: "Bedingungen",
  "`STANDARD` is an update. By default a post with an `offer` is an `OFFER`, one with an `event` an `EVENT`.":
    "Üblicherweise ist ein Beitrag mit einem Angebot eines, und einer mit Titel und Terminen eine Veranstaltung.",
  "The button of an update or event: `{actionType, url?}`. Without `url` it leads to the post's `link`; `CALL` has none and calls the location. A post with a `link` alone gets `LEARN_MORE`.":
    "Unter einer Neuigkeit oder Veranstaltung. Ohne Adresse führt er zum Link des Beitrags; einer, der anruft, braucht keine. Ein Beitrag, der nur einen Link hat, bekommt einen Knopf für weitere Informationen.",
  "What an event or an offer is called, and when: `{title, startDate, endDate, startTime?, endTime?}`, as in `2027-01-31` and `18:30`, by the clocks of the location.":
    "Von einer Veranstaltung oder einem Angebot. Tage und Uhrzeiten sind die am Standort.",
  "Of an offer: `{couponCode?, redeemOnlineUrl?, termsConditions?}`. It also needs `event`. Without `redeemOnlineUrl` it is redeemed at the post's `link`.":
    "Ein Angebot braucht auch Titel und Termine. Ohne Adresse wird es am Link des Beitrags eingelöst.",
  "The language of the text, as in `de` or `en-US`. Default: that of the location.":
    "Die Sprache des Textes, wie de oder en-US. Üblicherweise die des Standorts.",
  "`published` (default), `queue` (the blog's own queue), `draft` or `private`.":
    "Üblicherweise wird der Beitrag veröffentlicht. Die Warteschlange ist die des Blogs: Tumblr veröffentlicht ihn später.",
  "Up to 30 tags of at most 140 characters, without `#` and commas. They may have spaces.":
    "Bis zu 30 Schlagwörter mit höchstens 140 Zeichen, ohne # und Kommas. Leerzeichen sind erlaubt.",
  "Whether `**bold**`, `*italic*`, `~~struck~~`, `[links](https://…)`, and lines that begin with `#`, `##`, `>`, `-` or `1.` are formatting. Without it the text stands as it is.":
    "Ob **fett**, *kursiv*, ~~durchgestrichen~~, [Links](https://…) und Zeilen, die mit #, ##, >, - oder 1. beginnen, Formatierung sind. Sonst steht der Text da, wie er ist.",
  "Labels the post as `mature`, also for `drug_use`, `violence` or `sexual_themes`: people decide at Tumblr whether they see such posts.":
    "Wer Tumblr liest, entscheidet dort selbst, ob solche Beiträge zu sehen sind.",
  "Source of the content": "Quelle des Inhalts",
  "Where the content of the post is from; Tumblr shows it as its source.":
    "Woher der Inhalt des Beitrags ist; Tumblr zeigt es als Quelle.",
  "The end of the address of the post, in lower case with hyphens. By default Tumblr makes it of the text.":
    "Das Ende der Adresse des Beitrags, klein und mit Bindestrichen. Üblicherweise bildet Tumblr es aus dem Text.",
  "Allow reblogs": "Rebloggen erlauben",
  "Whether others can reblog the post.": "Ob andere den Beitrag rebloggen dürfen.",
});
