// German of pages/inbox.js.
export default /** @type {Record<string, string>} */ ({
  "A rule hides, assigns, tags or ends new comments with certain words. It never answers.":
    "Eine Regel verbirgt, verteilt, taggt oder erledigt neue Kommentare mit bestimmten Wörtern. Sie antwortet nie.",
  "Also said there": "Was dort noch gesagt wurde",
  "Answer as {account}": "Antworten als {account}",
  "Answers that were made of it stay.": "Antworten, die daraus entstanden sind, bleiben.",
  "At the network": "Beim Netzwerk",
  "Back to the inbox now": "Jetzt zurück in den Posteingang",
  "Choose one to put it in": "Zum Einfügen auswählen",
  Comment: "Kommentar",
  "Comment of {name}": "Kommentar von {name}",
  "Delete at the network": "Beim Netzwerk löschen",
  "Delete this comment at the network?": "Diesen Kommentar beim Netzwerk löschen?",
  "Hide from others": "Vor anderen verbergen",
  "In a week": "In einer Woche",
  "It comes back at": "Kommt wieder am",
  "It comes back {time}.": "Kommt wieder: {time}.",
  "It is not known whether the answer was sent. Look at the comment at the network before you answer again.":
    "Ob die Antwort gesendet wurde, ist nicht bekannt. Sehen Sie sich den Kommentar beim Netzwerk an, bevor Sie noch einmal antworten.",
  Like: "Gefällt mir",
  "Mark as done": "Als erledigt kennzeichnen",
  Member: "Mitglied",
  "New rule": "Neue Regel",
  "New saved reply": "Neue Textvorlage",
  "Next comment": "Nächster Kommentar",
  "No rules": "Keine Regeln",
  "No saved replies": "Keine Textvorlagen",
  Nobody: "Niemand",
  "Nobody sees it there any more. This cannot be taken back.":
    "Dort sieht ihn dann niemand mehr. Das lässt sich nicht rückgängig machen.",
  "Not answered": "Nicht beantwortet",
  "Of {count}, since {time}.": "Von {count}, seit {time}.",
  "One to a line. A comment with one of them, as a whole word, meets the rule.":
    "Eins pro Zeile. Die Regel trifft Kommentare, in denen eines davon als ganzes Wort steht.",
  "One to a line. If there are words too, both have to be met.":
    "Einer pro Zeile. Gibt es auch Wörter, muss beides zutreffen.",
  "Only at these networks": "Nur bei diesen Netzwerken",
  "Only for these clients": "Nur für diese Kunden",
  "Open the comment": "Kommentar öffnen",
  "Previous comment": "Voriger Kommentar",
  "Put it off": "Zurückstellen",
  "Rule {name}:": "Regel {name}:",
  Rules: "Regeln",
  "Save the tags": "Tags speichern",
  "Saved replies": "Textvorlagen",
  "Saved reply": "Textvorlage",
  "Send the answer": "Antwort senden",
  "Separated by commas; for your team, never published.":
    "Durch Kommas getrennt; für Ihr Team, werden nie veröffentlicht.",
  "Show to others again": "Anderen wieder zeigen",
  "Something failed here. Answer once more; if it fails again, ask whoever runs this service.":
    "Hier ist etwas fehlgeschlagen. Antworten Sie noch einmal; scheitert es wieder, fragen Sie, wer diesen Dienst betreibt.",
  "Something failed here. Hide it by hand, or ask whoever runs this service.":
    "Hier ist etwas fehlgeschlagen. Verbergen Sie ihn von Hand, oder fragen Sie, wer diesen Dienst betreibt.",
  "Switch off": "Ausschalten",
  "Switch on": "Einschalten",
  "Take back": "Zurücknehmen",
  "The account did not allow answers. Connect it again and agree to everything that is asked for.":
    "Das Konto hat Antworten nicht erlaubt. Verbinden Sie es neu und stimmen Sie allem zu, wonach gefragt wird.",
  "The account has used up what the network allows in a day. Answer once more tomorrow.":
    "Das Konto hat verbraucht, was das Netzwerk am Tag erlaubt. Antworten Sie morgen noch einmal.",
  "The account is not connected. Connect it again, then answer once more.":
    "Das Konto ist nicht verbunden. Verbinden Sie es neu, und antworten Sie dann noch einmal.",
  "The answer is sent.": "Die Antwort wird gesendet.",
  "The answer waits for an approval.": "Die Antwort wartet auf eine Freigabe.",
  "The comment is deleted.": "Der Kommentar ist gelöscht.",
  "The comment, or its post, is not there any more.":
    "Den Kommentar oder seinen Beitrag gibt es nicht mehr.",
  "The connection to the account has expired. Connect it again, then answer once more.":
    "Die Verbindung zum Konto ist abgelaufen. Verbinden Sie es neu, und antworten Sie dann noch einmal.",
  "The inbox is empty": "Der Posteingang ist leer",
  "The network already has this answer. Look there before you answer again.":
    "Das Netzwerk hat diese Antwort schon. Sehen Sie dort nach, bevor Sie noch einmal antworten.",
  "The network asks for a paid plan for answers.":
    "Das Netzwerk verlangt für Antworten einen bezahlten Tarif.",
  "The network could not be reached for hours. Answer once more.":
    "Das Netzwerk war stundenlang nicht zu erreichen. Antworten Sie noch einmal.",
  "The network did not respond in time, for hours. Answer once more.":
    "Das Netzwerk hat stundenlang nicht rechtzeitig geantwortet. Antworten Sie noch einmal.",
  "The network did not respond in time.": "Das Netzwerk hat nicht rechtzeitig geantwortet.",
  "The network did not take the answer for hours. Answer once more.":
    "Das Netzwerk hat die Antwort stundenlang nicht genommen. Antworten Sie noch einmal.",
  "The network does not let this comment be hidden from here.":
    "Das Netzwerk lässt diesen Kommentar von hier aus nicht verbergen.",
  "The network failed each time.": "Das Netzwerk ist jedes Mal gescheitert.",
  "The network refused the answer. Change it, then answer once more.":
    "Das Netzwerk hat die Antwort abgelehnt. Ändern Sie sie, und antworten Sie dann noch einmal.",
  "The network refused, or the account has to be connected again.":
    "Das Netzwerk hat es abgelehnt, oder das Konto muss neu verbunden werden.",
  "The network restricts this account at the moment. Sign in there to see why.":
    "Das Netzwerk schränkt dieses Konto zurzeit ein. Melden Sie sich dort an, um zu sehen, warum.",
  "The network says that the answer is too long. Shorten it, then answer once more.":
    "Dem Netzwerk ist die Antwort zu lang. Kürzen Sie sie, und antworten Sie dann noch einmal.",
  "The network took no more answers for hours. Answer once more.":
    "Das Netzwerk hat stundenlang keine weiteren Antworten genommen. Antworten Sie noch einmal.",
  "The post": "Der Beitrag",
  "The rule was deleted or switched off before, or whoever answered for it may no longer hide comments.":
    "Die Regel wurde vorher gelöscht oder ausgeschaltet, oder wer für sie einstand, darf keine Kommentare mehr verbergen.",
  "The server of the network cannot be found.": "Der Server des Netzwerks ist nicht zu finden.",
  "The tags are saved.": "Die Tags sind gespeichert.",
  "This comment was deleted.": "Dieser Kommentar wurde gelöscht.",
  "To do": "Zu erledigen",
  "To do again": "Wieder zu erledigen",
  "Tomorrow morning": "Morgen früh",
  Usernames: "Benutzernamen",
  "What happens": "Was geschieht",
  "What it did stays.": "Was sie getan hat, bleibt.",
  "What people write under your posts.": "Was Leute unter Ihre Beiträge schreiben.",
  "What rules did": "Was Regeln getan haben",
  "What would it have met?": "Was hätte sie getroffen?",
  "What you answer again and again, you write once.":
    "Was Sie immer wieder antworten, schreiben Sie einmal.",
  "What you have dealt with appears here.": "Hier erscheint, was Sie erledigt haben.",
  "What you put off appears here, and comes back by itself.":
    "Hier erscheint, was Sie zurückstellen; es kommt von selbst wieder.",
  "When someone writes under one of your posts, it appears here within minutes.":
    "Schreibt jemand unter einen Ihrer Beiträge, erscheint es hier nach wenigen Minuten.",
  "Where the network can do that; what rules did is listed, with why something was not done.":
    "Wo das Netzwerk das kann; was Regeln getan haben, wird aufgelistet, auch warum etwas nicht ging.",
  "Which comments": "Welche Kommentare",
  "Who takes care of it": "Wer sich darum kümmert",
  "Whoever was to take care of it does not see this client.":
    "Wer sich darum kümmern sollte, sieht diesen Kunden nicht.",
  "Without text": "Ohne Text",
  Words: "Wörter",
  "Your account": "Ihr Konto",
  "Your answer": "Ihre Antwort",
  answered: "beantwortet",
  assigned: "zugewiesen",
  "at {names}": "bei {names}",
  "by {names}": "von {names}",
  "came back": "wieder da",
  "comes back": "kommt wieder",
  "could not be hidden": "ließ sich nicht verbergen",
  deleted: "gelöscht",
  edited: "bearbeitet",
  hidden: "verborgen",
  hide: "verbergen",
  "is being hidden": "wird verborgen",
  "is being sent": "wird gesendet",
  "mark as done": "als erledigt kennzeichnen",
  "marked as done": "als erledigt gekennzeichnet",
  "may have been sent: look at the network": "vielleicht gesendet: sehen Sie beim Netzwerk nach",
  "not answered": "nicht beantwortet",
  "nothing was left to do": "es war nichts mehr zu tun",
  "of {names}": "für {names}",
  someone: "jemandem",
  "tag: {tags}": "taggen: {tags}",
  tagged: "getaggt",
  "waits for an approval": "wartet auf eine Freigabe",
  "was not approved": "wurde nicht freigegeben",
  "was not sent": "wurde nicht gesendet",
  "was sent": "wurde gesendet",
  "with {words}": "mit {words}",
  "{count} characters left": "Noch {count} Zeichen",
  "{count} characters too many": "{count} Zeichen zu viel",
  "{name} has answered, or is about to.": "{name} hat geantwortet oder ist gerade dabei.",
  "{name} left, or may no longer do this. Whoever switches it on answers for it.":
    "{name} ist nicht mehr dabei oder darf das nicht mehr. Wer sie einschaltet, steht dafür ein.",
  "{name} takes care of it": "{name} kümmert sich darum",
  "{n} comment would have met it.": "{n} Kommentar wäre getroffen worden.",
  "{n} comments would have met it.": "{n} Kommentare wären getroffen worden.",
  "{variable} becomes the name of whoever is answered.":
    "Aus {variable} wird der Name der Person, der geantwortet wird.",
});
