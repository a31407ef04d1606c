// German of pages/clients.js.
export default /** @type {Record<string, string>} */ ({
  "An owner, an admin or an approver decides before a post goes out.":
    "Inhaber, Administrator oder Prüfer entscheiden, bevor ein Beitrag erscheint.",
  "Another client has this name.": "Ein anderer Kunde heißt schon so.",
  Approval: "Freigabe",
  "Between 1 and 100 characters.": "Zwischen 1 und 100 Zeichen.",
  Colour: "Farbe",
  "Delete the client": "Kunden löschen",
  "Delete…": "Löschen …",
  "Each has its own accounts, posts, time zone and rules.":
    "Jeder hat eigene Konten, Beiträge, Zeitzone und Regeln.",
  "Give the client a name.": "Geben Sie dem Kunden einen Namen.",
  "Its posts go to the trash for 30 days, and what is scheduled does not go out. What is published stays at the networks.":
    "Die Beiträge kommen für 30 Tage in den Papierkorb, und Geplantes erscheint nicht. Was veröffentlicht ist, bleibt in den Netzwerken.",
  "Its {n} account is disconnected; posting there again needs a new connection.":
    "{n} Konto wird getrennt; um dort wieder zu veröffentlichen, muss es neu verbunden werden.",
  "Its {n} accounts are disconnected; posting there again needs new connections.":
    "{n} Konten werden getrennt; um dort wieder zu veröffentlichen, müssen sie neu verbunden werden.",
  needed: "nötig",
  "not needed": "nicht nötig",
  "Posts need an approval": "Beiträge brauchen eine Freigabe",
  Show: "Zeigen",
  "There is no such time zone. Choose one of the list.":
    "Diese Zeitzone gibt es nicht. Wählen Sie eine aus der Liste.",
  "This cannot be saved as it is.": "So lässt sich das nicht speichern.",
  "Times of this client's posts and slots are meant in it.":
    "In ihr sind die Zeiten der Beiträge und Plätze dieses Kunden gemeint.",
  "{name} is a client now.": "{name} ist jetzt Kunde.",
  "{name} is deleted: {accounts}, {posts}.": "{name} ist gelöscht: {accounts}, {posts}.",
  "{n} account is disconnected": "{n} Konto ist getrennt",
  "{n} accounts are disconnected": "{n} Konten sind getrennt",
  "{n} post is in the trash": "{n} Beitrag ist im Papierkorb",
  "{n} posts are in the trash": "{n} Beiträge sind im Papierkorb",
});
