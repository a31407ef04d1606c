// German of pages/posts.js.
export default /** @type {Record<string, string>} */ ({
  "At the times below": "Zu den Zeiten unten",
  "At which times": "Zu welchen Zeiten",
  Import: "Importieren",
  "Next row": "Nächste Zeile",
  "No post matches these filters.": "Kein Beitrag passt zu diesen Filtern.",
  "No posts yet": "Noch keine Beiträge",
  "Posts a day": "Beiträge am Tag",
  "Posts that you write here or send by the API appear in this list, with the outcome at each network.":
    "Beiträge, die Sie hier schreiben oder über die API senden, erscheinen in dieser Liste, mit dem Ergebnis in jedem Netzwerk.",
  "Previous row": "Vorige Zeile",
  "Schedule these drafts": "Diese Entwürfe planen",
  "Schedule these…": "Diese planen …",
  "Schedule {n} draft": "{n} Entwurf planen",
  "Schedule {n} drafts": "{n} Entwürfe planen",
  "The oldest goes out first. Where an account publishes something already, the next time is taken.":
    "Der älteste erscheint zuerst. Wo ein Konto schon etwas veröffentlicht, wird die nächste Zeit genommen.",
  "Times of a day": "Zeiten eines Tages",
  "When posts do best": "Wenn Beiträge am besten laufen",
  "Words in title or text": "Wörter in Titel oder Text",
  "{n} draft is scheduled": "{n} Entwurf ist geplant",
  "{n} drafts are scheduled": "{n} Entwürfe sind geplant",
  "{n} stay drafts": "{n} bleiben Entwürfe",
  "{n} stays a draft": "{n} bleibt Entwurf",
});
