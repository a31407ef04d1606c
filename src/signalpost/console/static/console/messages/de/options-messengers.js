// German of what messengers let one choose, and relays of notes.
export default /** @type {Record<string, string>} */ ({
  "Without notification": "Ohne Benachrichtigung",
  "Who mentions notify": "Wen Erwähnungen benachrichtigen",
  "No previews of links": "Keine Vorschau von Links",
  "Hide files until a click": "Dateien bis zum Klick verdecken",
  Thread: "Thread",
  "Title of the forum post": "Titel des Forenbeitrags",
  "Tags of the forum": "Tags des Forums",
  Boxes: "Kästen",
  "Name of the sender": "Name des Absenders",
  "Picture of the sender": "Bild des Absenders",
  "Duration in hours": "Dauer in Stunden",
  Text: "Text",
  "Colour, for example #5865f2": "Farbe, zum Beispiel #5865f2",
  "Small print": "Kleingedrucktes",
  Formatting: "Formatierung",
  "Without a sound": "Ohne Ton",
  "Not to be forwarded": "Nicht weiterzuleiten",
  "Link preview": "Vorschau des Links",
  "Link of the preview": "Link der Vorschau",
  "Preview above the text": "Vorschau über dem Text",
  "Text above the media": "Text über den Medien",
  "Topic of the group": "Thema der Gruppe",
  "Anonymous votes": "Anonyme Stimmen",
  "Right choice of a quiz, from 0": "Richtige Antwort eines Quiz, ab 0",
  "Explanation of a quiz": "Erklärung eines Quiz",
  "Text in Slack's markup": "Text in Slacks Auszeichnung",
  "Previews of pages": "Vorschau von Seiten",
  "Previews of media": "Vorschau von Medien",
  "Message to reply to": "Antwort auf Nachricht",
  "Replies in the channel too": "Antworten auch im Kanal",
  "Text with formatting": "Text mit Formatierung",
  "As a notice": "Als Hinweis",
  "Notify everybody in the room": "Alle im Raum benachrichtigen",
  "How the text is formatted: `HTML` or `MarkdownV2`, in Telegram's own dialects. Without it the text stands as it is.":
    "HTML oder MarkdownV2, wie Telegram sie versteht. Üblicherweise steht der Text da, wie er ist.",
  "Notifies without a sound.": "Die Benachrichtigung kommt ohne Ton.",
  "Nobody can forward or save the post.": "Niemand kann den Beitrag weiterleiten oder speichern.",
  "The preview of a link in a text without media: `off`, or with a `small` or `large` picture. By default Telegram decides.":
    "Die Vorschau eines Links in einem Text ohne Medien. Üblicherweise entscheidet Telegram.",
  "The link that the preview is of, instead of the first one of the text.":
    "Welcher Link die Vorschau hat, anstelle des ersten im Text.",
  "Shows the preview above the text.": "Zeigt die Vorschau über dem Text.",
  "Shows the text above images and videos.": "Zeigt den Text über Bildern und Videos.",
  "Whether the text is sent as it is, in Slack's own markup: `*bold*`, `<https://…|label>`, `<!here>`. Write `&`, `<` and `>` as `&amp;`, `&lt;` and `&gt;` then. Without it nothing is markup.":
    "Für Texte in Slacks eigener Auszeichnung: *fett*, <https://…|Titel>, <!here>. Die Zeichen &, < und > schreibt man dann als &amp;, &lt; und &gt;. Sonst steht der Text da, wie er ist.",
  "Why the note is hidden until a reader wants to see it.":
    "Warum die Notiz verdeckt ist, bis jemand sie sehen möchte.",
  "The note to quote, by its id as apps copy it: it begins with nevent1 or note1.":
    "Die zitierte Notiz, mit ihrer Kennung, wie Apps sie kopieren: Sie beginnt mit nevent1 oder note1.",
  "Whether `**bold**`, `*italic*`, `~~struck~~`, `` `code` `` and `[links](https://…)` are formatting. Without it the text stands as it is.":
    "Ob **fett**, *kursiv*, ~~durchgestrichen~~, `Code` und [Links](https://…) Formatierung sind. Sonst steht der Text da, wie er ist.",
  "Whether it is sent as a notice, as bots do: clients show it quieter, and bots do not answer.":
    "Ob der Beitrag als Hinweis gesendet wird, wie von Bots: Apps zeigen ihn leiser, und Bots antworten nicht.",
  "Whether everybody in the room is notified, if the user may do that there. Otherwise nobody is, whatever names the text has.":
    "Ob alle im Raum benachrichtigt werden, wenn die Person das dort darf. Sonst wird niemand benachrichtigt, welche Namen auch im Text stehen.",
  "Whether links to pages show a preview.": "Ob Links auf Seiten eine Vorschau zeigen.",
  "Whether links to pictures and videos show a preview.":
    "Ob Links auf Bilder und Videos eine Vorschau zeigen.",
  "The timestamp of a message of the channel to reply to, such as `1716567890.123456`: in its link the number after `p`, with a point before the last six digits.":
    "Die Nummer einer Nachricht des Kanals, wie 1716567890.123456: in ihrem Link die Zahl nach p, mit einem Punkt vor den letzten sechs Ziffern.",
  "Whether replies without files are shown in the channel too.":
    "Ob Antworten ohne Dateien auch im Kanal zu sehen sind.",
  "The number of a topic of a group with topics: in the link of its messages, the number before the last.":
    "Die Nummer eines Themas einer Gruppe mit Themen: im Link seiner Nachrichten die vorletzte Zahl.",
  "A poll: `{options[2-12], anonymous?, multiple?, minutes?, correct?, explanation?}`. The text, at most 300 characters, is its question. With `correct` it is a quiz. A post with a poll has no media.":
    "Eine Umfrage mit 2 bis 12 Antworten. Der Text, höchstens 300 Zeichen, ist ihre Frage. Mit einer richtigen Antwort ist sie ein Quiz. Ein Beitrag mit Umfrage hat keine Medien.",
  "Whether the message arrives without a notification.": "Ob die Nachricht ohne Benachrichtigung ankommt.",
  "Who is notified of `@everyone`, `@here`, roles and users in the text. Nobody without it.":
    "Wer benachrichtigt wird, wenn @everyone, @here, Rollen oder Personen im Text stehen. Sonst niemand.",
  "Whether links show no preview.": "Ob Links keine Vorschau zeigen.",
  "Whether files are hidden until someone clicks them.":
    "Ob Dateien verdeckt sind, bis jemand darauf klickt.",
  "The id of a thread of the channel to post in.":
    "Die Nummer eines Threads des Kanals, in den die Nachricht kommt.",
  "The title of a new post in a forum or media channel. Needed there, unless `threadId` is set.":
    "Der Titel eines neuen Beitrags in einem Foren- oder Medienkanal. Dort nötig, wenn kein Thread gewählt ist.",
  "Up to 5 tags of the forum for the new post.":
    "Die Nummern von höchstens 5 Tags des Forums für den neuen Beitrag.",
  "A poll below the text: `{question, answers[1-10], hours?, multiple?}`. Its message has no files.":
    "Eine Umfrage unter dem Text. Ihre Nachricht hat keine Dateien.",
  "Up to 10 boxes `{title?, description?, url?, color?, imageUrl?, footer?}`, together 6,000 characters.":
    "Bis zu 10 Kästen mit Titel, Text und Bild, zusammen 6.000 Zeichen.",
  "The name that a webhook's message shows, instead of that of the webhook.":
    "Der Name, den die Nachricht eines Webhooks zeigt, anstelle von dessen eigenem.",
  "The address of the picture that a webhook's message shows.":
    "Die Adresse des Bildes, das die Nachricht eines Webhooks zeigt.",
});
