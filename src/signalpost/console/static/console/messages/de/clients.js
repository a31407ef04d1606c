// German of pages/clients.js.
export default /** @type {Record<string, string>} */ ({
  "Also go out at": "Erscheinen auch bei",
  "An owner, an admin or an approver decides before a post goes out.":
    "Inhaber, Administrator oder Prüfer entscheiden, bevor ein Beitrag erscheint.",
  "Another client has this name.": "Ein anderer Kunde heißt schon so.",
  Approval: "Freigabe",
  "Between 1 and 100 characters.": "Zwischen 1 und 100 Zeichen.",
  "Change the link": "Verknüpfung ändern",
  "Could not be passed on": "Konnte nicht weitergegeben werden",
  "Delete the client": "Kunden löschen",
  "Each has its own accounts, posts, time zone and rules.":
    "Jeder hat eigene Konten, Beiträge, Zeitzone und Regeln.",
  "End the link to {name}": "Verknüpfung mit {name} beenden",
  "End the link to {name}?": "Verknüpfung mit {name} beenden?",
  "Give the client a name.": "Geben Sie dem Kunden einen Namen.",
  "Its posts go to the trash for 30 days, and what is scheduled does not go out. What is published stays at the networks.":
    "Die Beiträge kommen für 30 Tage in den Papierkorb, und Geplantes erscheint nicht. Was veröffentlicht ist, bleibt in den Netzwerken.",
  "Its {n} account is disconnected; posting there again needs a new connection.":
    "{n} Konto wird getrennt; um dort wieder zu veröffentlichen, muss es neu verbunden werden.",
  "Its {n} accounts are disconnected; posting there again needs new connections.":
    "{n} Konten werden getrennt; um dort wieder zu veröffentlichen, müssen sie neu verbunden werden.",
  "Link ended": "Verknüpfung beendet",
  "Link two clients": "Zwei Kunden verknüpfen",
  Linked: "Verknüpft",
  Links: "Verknüpfungen",
  "Links between clients": "Verknüpfungen zwischen Kunden",
  "No clients are linked": "Keine Kunden sind verknüpft",
  "Not passed on": "Nicht weitergegeben",
  "Nothing more is passed on. Posts that were passed on stay.":
    "Es wird nichts mehr weitergegeben. Weitergegebene Beiträge bleiben.",
  "Otherwise only what someone passes on.": "Sonst nur, was jemand weitergibt.",
  "Pass every post on": "Jeden Beitrag weitergeben",
  "Passed on": "Weitergegeben",
  "Posts need an approval": "Beiträge brauchen eine Freigabe",
  "Posts of": "Beiträge von",
  Show: "Zeigen",
  "Such as “From our bakery: ”.": "Etwa „Aus unserer Backstube: “.",
  "The link has ended.": "Die Verknüpfung ist beendet.",
  "There is no such time zone. Choose one of the list.":
    "Diese Zeitzone gibt es nicht. Wählen Sie eine aus der Liste.",
  "Times of this client's posts and slots are meant in it.":
    "In ihr sind die Zeiten der Beiträge und Plätze dieses Kunden gemeint.",
  "What a chain publishes can go out at its shops too, each with words of its own in front.":
    "Was eine Kette veröffentlicht, kann auch bei ihren Läden erscheinen, jeweils mit eigenen Worten davor.",
  "What the links did": "Was die Verknüpfungen taten",
  "a deleted client": "ein gelöschter Kunde",
  "as a draft": "als Entwurf",
  "by itself": "von selbst",
  needed: "nötig",
  "not needed": "nicht nötig",
  "only when someone passes a post on": "nur wenn jemand einen Beitrag weitergibt",
  "{name} is a client now.": "{name} ist jetzt Kunde.",
  "{name} is deleted: {accounts}, {posts}.": "{name} ist gelöscht: {accounts}, {posts}.",
  "{n} account is disconnected": "{n} Konto ist getrennt",
  "{n} accounts are disconnected": "{n} Konten sind getrennt",
  "{n} minute later": "{n} Minute später",
  "{n} minutes later": "{n} Minuten später",
  "{n} post is in the trash": "{n} Beitrag ist im Papierkorb",
  "{n} posts are in the trash": "{n} Beiträge sind im Papierkorb",
  "not said": "ohne Angabe",
  "Captions by rules add those for which there is room.":
    "Texte nach Regeln fügen die an, für die Platz ist.",
  Watermark: "Wasserzeichen",
  "A picture of the library that is put on the client's own pictures.":
    "Ein Bild der Bibliothek, das auf die eigenen Bilder des Kunden gelegt wird.",
  "no watermark": "kein Wasserzeichen",
  "the picture of today": "das jetzige Bild",
  "At most 30 words, with spaces between them.": "Höchstens 30 Wörter mit Leerzeichen dazwischen.",
  Hashtags: "Hashtags",
  Logo: "Logo",
  "Choose a logo": "Logo auswählen",
  "Another logo": "Anderes Logo",
  "Without a logo": "Ohne Logo",
  "A logo is a picture.": "Ein Logo ist ein Bild.",
  "Usual queue": "Üblicher Zeitplan",
  "Queues of the client": "Zeitpläne des Kunden",
  "Posts take their turn in it, unless another one is chosen for them.":
    "Aus ihm nehmen Beiträge ihre Zeit, wenn für sie kein anderer gewählt wird.",
  "The client has no queue yet.": "Der Kunde hat noch keinen Zeitplan.",
  "Parameters of links (UTM)": "Parameter von Links (UTM)",
  "New posts of the client carry them at each link. Without a source it is the network.":
    "Neue Beiträge des Kunden tragen sie an jedem Link. Ohne Quelle ist sie das Netzwerk.",
  "At most 100 characters each.": "Je höchstens 100 Zeichen.",
  "Archive {name}?": "{name} archivieren?",
  "Archive the client": "Kunden archivieren",
  "Archive…": "Archivieren …",
  Archived: "Archiviert",
  "{name} is archived.": "{name} ist archiviert.",
  "{name} is restored.": "{name} ist wiederhergestellt.",
  "Restore {name}": "{name} wiederherstellen",
  "Nothing is written or published for it any more, and its feeds rest, until you restore it.":
    "Für ihn wird nichts mehr geschrieben oder veröffentlicht, und seine Feeds ruhen, bis Sie ihn wiederherstellen.",
  "Its posts, numbers, files and accounts stay and can be looked at. It still counts in your plan.":
    "Beiträge, Zahlen, Dateien und Konten bleiben und können angesehen werden. In Ihrem Tarif zählt er weiter.",
  "{n} post of this client is still to be published, or repeats.":
    "{n} Beitrag dieses Kunden erscheint noch oder wiederholt sich.",
  "{n} posts of this client are still to be published, or repeat.":
    "{n} Beiträge dieses Kunden erscheinen noch oder wiederholen sich.",
  "Cancel those that are not to go out, and end those that repeat. Then archive the client.":
    "Brechen Sie ab, was nicht erscheinen soll, und beenden Sie, was sich wiederholt. Archivieren Sie dann den Kunden.",
  "Show these posts": "Diese Beiträge zeigen",
  "No client is archived": "Kein Kunde ist archiviert",
  "Archive a client when its work has ended for now. Everything of it stays.":
    "Archivieren Sie einen Kunden, wenn die Arbeit für ihn fürs Erste endet. Alles von ihm bleibt.",
});
