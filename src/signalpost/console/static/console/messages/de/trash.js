// German of pages/trash.js.
export default /** @type {Record<string, string>} */ ({
  "Delete for good": "Endgültig löschen",
  "Delete this post for good?": "Diesen Beitrag endgültig löschen?",
  "deleted client": "gelöschter Kunde",
  "Deleted for good.": "Endgültig gelöscht.",
  "Gone for good": "Endgültig weg",
  "Nobody can restore it afterwards. What is published stays at the networks.":
    "Danach kann ihn niemand wiederherstellen. Was veröffentlicht ist, bleibt in den Netzwerken.",
  "Posts stay here for 30 days.": "Beiträge bleiben hier 30 Tage lang.",
  "Posts that you delete can be restored from here for 30 days.":
    "Gelöschte Beiträge lassen sich von hier 30 Tage lang wiederherstellen.",
  "Restored, as a draft.": "Wiederhergestellt, als Entwurf.",
  "Restored.": "Wiederhergestellt.",
  "The trash is empty": "Der Papierkorb ist leer",
});
