// German of texts/rules.js.
export default /** @type {Record<string, string>} */ ({
  "A carousel of links on {network} has no files of its own. Leave them out.":
    "Ein Karussell aus Links auf {network} hat keine eigenen Dateien. Lassen Sie sie weg.",
  "A carousel of links on {network} needs the link of the whole post. Add it under “More”.":
    "Ein Karussell aus Links auf {network} braucht den Link des ganzen Beitrags. Fügen Sie ihn unter „Mehr“ hinzu.",
  "A carousel on {network} has two to ten files. Add some.":
    "Ein Karussell auf {network} hat zwei bis zehn Dateien. Fügen Sie welche hinzu.",
  "A paid partnership cannot be visible to you alone. Let others see the post.":
    "Eine bezahlte Partnerschaft kann nicht nur für Sie sichtbar sein. Lassen Sie andere den Beitrag sehen.",
  "A poll here has at most {limit} answers. Leave some out.":
    "Eine Umfrage hat hier höchstens {limit} Antworten. Lassen Sie welche weg.",
  "A post on {network} has a poll or a link card, not both. Leave one out.":
    "Ein Beitrag auf {network} hat eine Umfrage oder eine Linkkarte, nicht beides. Lassen Sie eines weg.",
  "A post on {network} has a poll or files, not both. Leave one out.":
    "Ein Beitrag auf {network} hat eine Umfrage oder Dateien, nicht beides. Lassen Sie eines weg.",
  "A post on {network} has one cashtag at most. Leave the others out.":
    "Ein Beitrag auf {network} hat höchstens einen Cashtag. Lassen Sie die anderen weg.",
  "The server of this account cannot quote posts. Leave the quote out.":
    "Der Server dieses Kontos kann keine Beiträge zitieren. Lassen Sie das Zitat weg.",
  "A post on {network} that quotes another has neither files nor a poll. Leave them out.":
    "Ein Beitrag auf {network}, der einen anderen zitiert, hat weder Dateien noch eine Umfrage. Lassen Sie sie weg.",
  "A post on {network} that shares another has neither files nor a poll. Leave them out.":
    "Ein Beitrag auf {network}, der einen anderen teilt, hat weder Dateien noch eine Umfrage. Lassen Sie sie weg.",
  "The audience is empty. Fill in at least one field of it, or remove it and everyone can see the post.":
    "Die Zielgruppe ist leer. Füllen Sie wenigstens ein Feld aus, oder entfernen Sie sie; dann können alle den Beitrag sehen.",
  "On {network} only posts of a page have an audience. Choose a page as the author, or remove the audience.":
    "Auf {network} haben nur Beiträge einer Seite eine Zielgruppe. Veröffentlichen Sie als Seite, oder entfernen Sie die Zielgruppe.",
  "This is not the link of a post that {network} can share. Copy it again from the menu of the post.":
    "Das ist nicht der Link eines Beitrags, den {network} teilen kann. Kopieren Sie ihn noch einmal aus dem Menü des Beitrags.",
  "These captions are too long: at most {limit}. Shorten them.":
    "Diese Untertitel sind zu lang: höchstens {limit}. Kürzen Sie sie.",
  "There are two captions in this language. Remove one.":
    "In dieser Sprache gibt es zwei Untertitel. Entfernen Sie einen.",
  "A mention is written @[Exact Name](urn:li:organization:1234), and the name has no brackets. Correct it, or write the name alone.":
    "Eine Erwähnung schreibt man @[Genauer Name](urn:li:organization:1234); der Name hat keine Klammern. Berichtigen Sie sie, oder schreiben Sie nur den Namen.",
  "A first comment mentions nobody there. Write the name without the markup.":
    "Ein erster Kommentar erwähnt dort niemanden. Schreiben Sie den Namen ohne die Auszeichnung.",
  "{network} takes a reply only to your own posts, and to people who mentioned this account or quoted it. It refuses others.":
    "{network} nimmt eine Antwort nur auf eigene Beiträge und an Leute, die dieses Konto erwähnt oder zitiert haben. Andere lehnt es ab.",
  "{network} lets you quote only your own posts, and those that mention this account. It refuses others.":
    "{network} lässt nur eigene Beiträge zitieren und solche, die dieses Konto erwähnen. Andere lehnt es ab.",
  "{network} adds music only for accounts that are connected through a Facebook Page. Leave it out.":
    "{network} fügt Musik nur bei Konten hinzu, die über eine Facebook-Seite verbunden sind. Lassen Sie sie weg.",
  "The text does not have these words. Write them as they stand there, or leave them out.":
    "Diese Wörter stehen nicht im Text. Schreiben Sie sie wie dort, oder lassen Sie sie weg.",
  "{network} hides words in {limit} places at most. Hide fewer.":
    "{network} verdeckt Wörter an höchstens {limit} Stellen. Verdecken Sie weniger.",
  "A post on {network} with files shows no link card. Put the link into the text.":
    "Ein Beitrag auf {network} mit Dateien zeigt keine Linkkarte. Schreiben Sie den Link in den Text.",
  "This is not the id of a post. Copy it again: it begins with nevent1 or note1.":
    "Das ist keine Kennung eines Beitrags. Kopieren Sie sie noch einmal: Sie beginnt mit nevent1 oder note1.",
  "A quote on {network} has neither a poll nor a link card. Put the link into the text.":
    "Ein Zitat auf {network} hat weder Umfrage noch Linkkarte. Schreiben Sie den Link in den Text.",
  "A box needs a title, a text or a picture. Fill it in, or remove it.":
    "Ein Kasten braucht einen Titel, einen Text oder ein Bild. Füllen Sie ihn aus, oder entfernen Sie ihn.",
  "A new forum post cannot have a poll. Leave one out.":
    "Ein neuer Forenbeitrag kann keine Umfrage haben. Lassen Sie eines weg.",
  "Choose a thread or give a title for a new one, not both.":
    "Wählen Sie einen Thread, oder geben Sie einen Titel für einen neuen an, nicht beides.",
  "Only forums have titles. Leave the title of the forum post out.":
    "Nur Foren haben Titel. Lassen Sie den Titel des Forenbeitrags weg.",
  "Only messages of a webhook show another name or picture. Leave them out for a bot.":
    "Nur Nachrichten eines Webhooks zeigen einen anderen Namen oder ein anderes Bild. Lassen Sie beides bei einem Bot weg.",
  "Tags are those of a new forum post. Give it a title, or leave the tags out.":
    "Tags gehören zu einem neuen Forenbeitrag. Geben Sie ihm einen Titel, oder lassen Sie die Tags weg.",
  "The boxes are too long together: at most {limit} characters. Shorten them.":
    "Die Kästen sind zusammen zu lang: höchstens {limit} Zeichen. Kürzen Sie sie.",
  "This user of the site may write drafts and not publish. Choose the status draft or pending.":
    "Diese Person darf auf der Website Entwürfe schreiben, aber nicht veröffentlichen. Wählen Sie den Status Entwurf oder Zur Freigabe.",
  "This user of the site may not upload files. Leave them out, or give the user another role there.":
    "Diese Person darf auf der Website keine Dateien hochladen. Lassen Sie sie weg, oder geben Sie ihr dort eine andere Rolle.",
  "{network} would take the lines after --- for title and tags. Begin with other words.":
    "{network} läse die Zeilen nach --- als Titel und Schlagwörter. Fangen Sie mit anderen Worten an.",
  "A draft is not sent to anybody. Leave the newsletter out, or publish the post.":
    "Ein Entwurf wird niemandem gesendet. Lassen Sie den Newsletter weg, oder veröffentlichen Sie den Beitrag.",
  "Without a newsletter nothing is sent by e-mail. Name one, or leave this out.":
    "Ohne Newsletter geht keine E-Mail hinaus. Nennen Sie einen, oder lassen Sie dies weg.",
  "A webhook of {network} cannot send files. Leave them out, or connect the channel by a bot.":
    "Ein Webhook von {network} kann keine Dateien senden. Lassen Sie sie weg, oder verbinden Sie den Kanal mit einem Bot.",
  "The app at {network} may not send files yet. Give it the permissions, and connect the account again.":
    "Die App bei {network} darf noch keine Dateien senden. Geben Sie ihr die Rechte, und verbinden Sie das Konto neu.",
  "A post on {network} needs a subreddit. Choose one, or the profile of the account.":
    "Ein Beitrag bei {network} braucht ein Subreddit. Wählen Sie eines, oder das Profil des Kontos.",
  "A post on {network} needs a community. Choose one.":
    "Ein Beitrag bei {network} braucht eine Community. Wählen Sie eine.",
  "A title on {network} is one line of {limit} characters or more. Change it.":
    "Ein Titel bei {network} hat eine Zeile und mindestens {limit} Zeichen. Ändern Sie ihn.",
  "The preview picture stands beside a link. Add the link, or leave the picture out.":
    "Das Vorschaubild steht neben einem Link. Fügen Sie den Link hinzu, oder lassen Sie das Bild weg.",
  "The text of the flair needs a flair. Choose one.":
    "Der Text des Flairs braucht einen Flair. Wählen Sie einen.",
  "A shared post has no link and no files of its own. Leave them out, or share nothing.":
    "Ein geteilter Beitrag hat keinen eigenen Link und keine Dateien. Lassen Sie sie weg, oder teilen Sie nichts.",
  "The files are too large together: at most {limit}. Leave some out, or choose smaller ones.":
    "Die Dateien sind zusammen zu groß: höchstens {limit}. Lassen Sie welche weg, oder wählen Sie kleinere.",
  "This channel is a forum. Give the post a title, or choose a thread.":
    "Dieser Kanal ist ein Forum. Geben Sie dem Beitrag einen Titel, oder wählen Sie einen Thread.",
  "{network} does not allow this name of the sender. Choose another one.":
    "{network} erlaubt diesen Namen des Absenders nicht. Wählen Sie einen anderen.",
  "A reel has one cover: a picture of its own, or a frame. Choose one.":
    "Ein Reel hat ein Titelbild: ein eigenes oder ein Standbild. Wählen Sie eines.",
  "A reel on {network} is one video. Choose one, and leave everything else out.":
    "Ein Reel auf {network} ist ein Video. Wählen Sie eines, und lassen Sie alles andere weg.",
  "A reel on {network} lasts {minimum} to {limit}. Choose another video, or cut it.":
    "Ein Reel auf {network} dauert {minimum} bis {limit}. Wählen Sie ein anderes Video, oder schneiden Sie es.",
  "A reply cannot say who may answer: the post that it answers decides that.":
    "Eine Antwort kann nicht sagen, wer antworten darf: Das entscheidet der Beitrag, auf den sie antwortet.",
  "A story on {network} cannot be a draft there. Switch that off.":
    "Eine Story auf {network} kann dort kein Entwurf sein. Schalten Sie das aus.",
  "A story on {network} is one picture or one video. Choose one.":
    "Eine Story auf {network} ist ein Bild oder ein Video. Wählen Sie eines.",
  "A story on {network} lasts {minimum} to {limit}. Choose another video, or cut it.":
    "Eine Story auf {network} dauert {minimum} bis {limit}. Wählen Sie ein anderes Video, oder schneiden Sie es.",
  "A story on {network} shows no text; it goes out without.":
    "Eine Story auf {network} zeigt keinen Text; sie erscheint ohne.",
  "A story or a draft on {network} has no first comment. Leave it out.":
    "Eine Story oder ein Entwurf auf {network} hat keinen ersten Kommentar. Lassen Sie ihn weg.",
  "A thread on {network} has at most {limit} posts. Leave some out.":
    "Ein Thread auf {network} hat höchstens {limit} Beiträge. Lassen Sie welche weg.",
  "An organization has no connections. Let everyone see the post, or all members.":
    "Eine Organisation hat keine Kontakte. Lassen Sie alle oder alle Mitglieder den Beitrag sehen.",
  "A quiz has one right answer, counted from 0, and only a quiz has an explanation, of three lines at most.":
    "Ein Quiz hat eine richtige Antwort, gezählt ab 0, und nur ein Quiz hat eine Erklärung, mit höchstens drei Zeilen.",
  "Two answers of the poll are the same, or one is empty. Change it.":
    "Zwei Antworten der Umfrage sind gleich, oder eine ist leer. Ändern Sie sie.",
  "Votes in a channel are anonymous. Switch that on.":
    "In einem Kanal wird anonym abgestimmt. Schalten Sie das ein.",
  "Choose a board: {network} needs one for each pin.":
    "Wählen Sie eine Pinnwand: {network} braucht für jeden Pin eine.",
  "Choose who can see the post: {network} allows no default.":
    "Wählen Sie, wer den Beitrag sehen kann: {network} erlaubt keine Voreinstellung.",
  "Nobody can post in the name of another member. Choose your own name or a page.":
    "Niemand kann im Namen eines anderen Mitglieds schreiben. Wählen Sie den eigenen Namen oder eine Seite.",
  "Publishing to {network} is not possible here.":
    "Nach {network} lässt sich von hier nicht veröffentlichen.",
  "Say where in the picture this person is.": "Sagen Sie, wo im Bild diese Person ist.",
  "The app of {network} itself allows {limit} hashtags; more may be ignored.":
    "Die App von {network} selbst erlaubt {limit} Hashtags; mehr werden vielleicht nicht beachtet.",
  "The description of this file is too long for {network}: at most {limit} characters. Shorten it.":
    "Die Beschreibung dieser Datei ist zu lang für {network}: höchstens {limit} Zeichen. Kürzen Sie sie.",
  "The first comment is too long for {network}: at most {limit} characters. Shorten it.":
    "Der erste Kommentar ist zu lang für {network}: höchstens {limit} Zeichen. Kürzen Sie ihn.",
  "The link is too long for {network}: at most {limit} characters.":
    "Der Link ist zu lang für {network}: höchstens {limit} Zeichen.",
  "The part of this service for {network} has failed. Whoever runs the service has to look at it.":
    "Der Teil dieses Dienstes für {network} hat versagt. Der Betreiber muss nachsehen.",
  "The post has no file that could be hidden. Add one, or leave this out.":
    "Der Beitrag hat keine Datei, die verborgen werden könnte. Fügen Sie eine hinzu, oder lassen Sie das weg.",
  "The service does not know this. Reload the page.":
    "Der Dienst kennt das nicht. Laden Sie die Seite neu.",
  "The service may not open this address. Use a public one that begins with https.":
    "Diese Adresse darf der Dienst nicht öffnen. Nehmen Sie eine öffentliche, die mit https beginnt.",
  "The tags are too long together for {network}: at most {limit} characters. Leave some out.":
    "Die Schlagwörter sind zusammen zu lang für {network}: höchstens {limit} Zeichen. Lassen Sie welche weg.",
  "The text is too long for {network}: at most {limit} characters. Shorten it, or write a text for this account alone.":
    "Der Text ist zu lang für {network}: höchstens {limit} Zeichen. Kürzen Sie ihn, oder schreiben Sie einen eigenen Text für dieses Konto.",
  "The title is too long for {network}: at most {limit} characters. Shorten it.":
    "Der Titel ist zu lang für {network}: höchstens {limit} Zeichen. Kürzen Sie ihn.",
  "There is no computer of this name in the internet. Check the spelling.":
    "Einen Rechner dieses Namens gibt es im Internet nicht. Prüfen Sie die Schreibweise.",
  "There is no file with this number for the tagged person.":
    "Eine Datei mit dieser Nummer gibt es für die markierte Person nicht.",
  "There is no photo with this number for the cover. Choose one of the post.":
    "Ein Foto mit dieser Nummer gibt es für das Titelbild nicht. Wählen Sie eines des Beitrags.",
  "There is one like this already. Choose something else.":
    "So eines gibt es schon. Wählen Sie etwas anderes.",
  "This answer is too long: at most {limit} characters. Shorten it.":
    "Diese Antwort ist zu lang: höchstens {limit} Zeichen. Kürzen Sie sie.",
  "This cannot be chosen here.": "Das lässt sich hier nicht wählen.",
  "This channel can upload 15 minutes at most until its owner verifies it at YouTube.":
    "Dieser Kanal kann höchstens 15 Minuten hochladen, bis sein Inhaber ihn bei YouTube bestätigt.",
  "This file is too large for {network}: at most {limit}. Make it smaller.":
    "Diese Datei ist zu groß für {network}: höchstens {limit}. Machen Sie sie kleiner.",
  "This file is too large for {network}: the longer side has at most {limit} pixels. Make it smaller.":
    "Diese Datei ist zu groß für {network}: Die längere Seite hat höchstens {limit} Pixel. Machen Sie sie kleiner.",
  "This file is too large for {network}: the shorter side has at most {limit} pixels. Make it smaller.":
    "Diese Datei ist zu groß für {network}: Die kürzere Seite hat höchstens {limit} Pixel. Machen Sie sie kleiner.",
  "This is missing. Fill it in.": "Das fehlt. Füllen Sie es aus.",
  "This is not here, or no longer. Choose another one.":
    "Das gibt es nicht oder nicht mehr. Wählen Sie etwas anderes.",
  "This is not the right kind of value.": "Das ist nicht die richtige Art von Wert.",
  "The network would refuse this text. Change it.":
    "Das Netzwerk würde diesen Text ablehnen. Ändern Sie ihn.",
  "This is not written as it must be.": "Das ist nicht so geschrieben, wie es sein muss.",
  "This is too long: at most {max}.": "Das ist zu lang: höchstens {max}.",
  "This is too much, too little, too early or too late.":
    "Das ist zu viel, zu wenig, zu früh oder zu spät.",
  "Many people have this password, so it is guessed first. Choose another one.":
    "Dieses Passwort haben viele, es wird zuerst probiert. Wählen Sie ein anderes.",
  "This is too short.": "Das ist zu kurz.",
  "This picture has too many pixels for {network}. Make it smaller.":
    "Dieses Bild hat zu viele Pixel für {network}. Machen Sie es kleiner.",
  "This setting belongs to another kind of post. Leave it out, or choose that kind.":
    "Diese Einstellung gehört zu einer anderen Art Beitrag. Lassen Sie sie weg, oder wählen Sie diese Art.",
  "This setting of {network} is not as it must be. Choose another value.":
    "Diese Einstellung von {network} ist nicht, wie sie sein muss. Wählen Sie einen anderen Wert.",
  "This video is too large for a story on {network}: at most {limit}. Make it smaller.":
    "Dieses Video ist zu groß für eine Story auf {network}: höchstens {limit}. Machen Sie es kleiner.",
  "This video is too long for {network}: at most {limit}. Cut it.":
    "Dieses Video ist zu lang für {network}: höchstens {limit}. Schneiden Sie es.",
  "This video is too short for {network}: at least {limit}.":
    "Dieses Video ist zu kurz für {network}: mindestens {limit}.",
  "This video is too small for a reel on {network}: at least 540 by 960 pixels.":
    "Dieses Video ist zu klein für ein Reel auf {network}: mindestens 540 mal 960 Pixel.",
  "This file is too small for {network}: at least {limit}.":
    "Diese Datei ist zu klein für {network}: mindestens {limit}.",
  "{network} does not have this setting. Leave it out.":
    "{network} hat diese Einstellung nicht. Lassen Sie sie weg.",
  "{network} does not take < and > in a tag. Leave them out.":
    "{network} nimmt < und > in einem Schlagwort nicht. Lassen Sie sie weg.",
  "{network} does not take < and > in the title. Leave them out.":
    "{network} nimmt < und > im Titel nicht. Lassen Sie sie weg.",
  "{network} does not take < and > in this text. Leave them out.":
    "{network} nimmt < und > in diesem Text nicht. Lassen Sie sie weg.",
  "{network} does not take a picture of this shape. Crop it to be less wide or less tall.":
    "{network} nimmt kein Bild dieser Form. Schneiden Sie es weniger breit oder weniger hoch zu.",
  "{network} does not take a video of this shape. Crop it to be less wide or less tall.":
    "{network} nimmt kein Video dieser Form. Schneiden Sie es weniger breit oder weniger hoch zu.",
  "{network} does not take pictures and videos in one post. Choose one kind.":
    "{network} nimmt nicht Bilder und Videos in einem Beitrag. Wählen Sie eine Art.",
  "{network} does not take this kind of file. Choose another one, or leave this account out.":
    "{network} nimmt diese Art Datei nicht. Wählen Sie eine andere, oder lassen Sie dieses Konto weg.",
  "{network} does not take this setting for this kind of post. It is left out.":
    "{network} nimmt diese Einstellung für diese Art Beitrag nicht. Sie wird weggelassen.",
  "{network} fetches files from this service, which it cannot reach from the internet. Whoever runs the service has to set up a public address.":
    "{network} holt Dateien von diesem Dienst, erreicht ihn aber aus dem Internet nicht. Der Betreiber muss eine öffentliche Adresse einrichten.",
  "{network} has no first comment. Leave it out, or leave this account out.":
    "{network} hat keinen ersten Kommentar. Lassen Sie ihn oder dieses Konto weg.",
  "{network} has no threads. Put everything into one post, or leave this account out.":
    "{network} kennt keine Threads. Schreiben Sie alles in einen Beitrag, oder lassen Sie dieses Konto weg.",
  "{network} may refuse this file: it is larger than {limit}.":
    "{network} könnte diese Datei ablehnen: Sie ist größer als {limit}.",
  "{network} may refuse this video: without its paid plan it takes {limit} at most.":
    "{network} könnte dieses Video ablehnen: Ohne bezahlten Tarif nimmt es höchstens {limit}.",
  "{network} needs a picture or a video. Add one.":
    "{network} braucht ein Bild oder Video. Fügen Sie eines hinzu.",
  "{network} needs a text or a file. Write something, or add a picture or a video.":
    "{network} braucht einen Text oder eine Datei. Schreiben Sie etwas, oder fügen Sie ein Bild oder Video hinzu.",
  "{network} needs a text. Write something.": "{network} braucht einen Text. Schreiben Sie etwas.",
  "{network} needs a title. Write one under “More”.":
    "{network} braucht einen Titel. Schreiben Sie einen unter „Mehr“.",
  "{network} shows a video as a Short if it is square or upright and at most three minutes long. Choose another video, or post it as an ordinary one.":
    "{network} zeigt ein Video als Short, wenn es quadratisch oder hochkant und höchstens drei Minuten lang ist. Wählen Sie ein anderes, oder veröffentlichen Sie es als gewöhnliches.",
  "{network} shows videos only from accounts with a confirmed e-mail address. Confirm it there.":
    "{network} zeigt Videos nur von Konten mit bestätigter E-Mail-Adresse. Bestätigen Sie sie dort.",
  "{network} takes at most {limit} files in a post. Leave some out.":
    "{network} nimmt höchstens {limit} Dateien in einem Beitrag. Lassen Sie welche weg.",
  "{network} takes at most {limit} files of this kind in a post. Leave some out.":
    "{network} nimmt höchstens {limit} Dateien dieser Art in einem Beitrag. Lassen Sie welche weg.",
  "{network} takes at most {limit} hashtags. Leave some out.":
    "{network} nimmt höchstens {limit} Hashtags. Lassen Sie welche weg.",
  "{network} takes at most {limit} links in a post. Leave some out.":
    "{network} nimmt höchstens {limit} Links in einem Beitrag. Lassen Sie welche weg.",
  "{network} takes only so many mentions, and may refuse those of people who did not ask for them. Leave some out.":
    "{network} nimmt nur begrenzt viele Erwähnungen und kann solche ablehnen, um die niemand gebeten hat. Lassen Sie welche weg.",
  "{network} takes videos from {minimum} to {limit}. Choose another one, or cut it.":
    "{network} nimmt Videos von {minimum} bis {limit}. Wählen Sie ein anderes, oder schneiden Sie es.",
  "{network} takes videos from {min} to {max} pixels on each side. Choose another one.":
    "{network} nimmt Videos von {min} bis {max} Pixeln auf jeder Seite. Wählen Sie ein anderes.",
  "{network} has not verified this location. It may refuse the post, or not show it.":
    "{network} hat diesen Standort nicht bestätigt. Der Beitrag wird vielleicht abgelehnt oder nicht gezeigt.",
  "{network} rejects posts with a telephone number in the text. Leave it out: a button can call the location.":
    "{network} lehnt Beiträge mit einer Telefonnummer im Text ab. Lassen Sie sie weg: Ein Knopf kann den Standort anrufen.",
  "{network} shows no button on offers. Say where the offer is redeemed, or leave the button out.":
    "{network} zeigt bei Angeboten keinen Knopf. Sagen Sie, wo das Angebot eingelöst wird, oder lassen Sie den Knopf weg.",
  "A button that calls leads nowhere else. Leave its address out.":
    "Ein Knopf, der anruft, führt nirgendwohin sonst. Lassen Sie seine Adresse weg.",
  "The button leads nowhere. Give it an address, or the post a link.":
    "Der Knopf führt nirgendwohin. Geben Sie ihm eine Adresse, oder dem Beitrag einen Link.",
  "A button that calls leads nowhere else, so the link is not shown.":
    "Ein Knopf, der anruft, führt nirgendwohin sonst: Der Link wird nicht gezeigt.",
  "An event or an offer needs a title, a first and a last day. Add them.":
    "Eine Veranstaltung oder ein Angebot braucht einen Titel, einen ersten und einen letzten Tag. Fügen Sie sie hinzu.",
  "An update has no dates. Make it an event, or leave them out.":
    "Eine Neuigkeit hat keine Termine. Machen Sie eine Veranstaltung daraus, oder lassen Sie sie weg.",
  "There is no such day. Write it as in 2027-01-31.":
    "Diesen Tag gibt es nicht. Schreiben Sie ihn wie 2027-01-31.",
  "The end has to be later than the beginning. Change one of them.":
    "Das Ende muss nach dem Anfang liegen. Ändern Sie eines davon.",
  "Only an offer has a code and conditions. Make the post an offer, or leave them out.":
    "Nur ein Angebot hat einen Code und Bedingungen. Machen Sie ein Angebot aus dem Beitrag, oder lassen Sie sie weg.",
  "This picture is too small for {network}: at least {limit} pixels on each side.":
    "Dieses Bild ist zu klein für {network}: mindestens {limit} Pixel auf jeder Seite.",
});
