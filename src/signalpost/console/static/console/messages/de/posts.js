// German of pages/posts.js.
export default /** @type {Record<string, string>} */ ({
  "Next row": "Nächste Zeile",
  "No post matches these filters.": "Kein Beitrag passt zu diesen Filtern.",
  "No posts yet": "Noch keine Beiträge",
  "Posts that you write here or send by the API appear in this list, with the outcome at each network.":
    "Beiträge, die Sie hier schreiben oder über die API senden, erscheinen in dieser Liste, mit dem Ergebnis in jedem Netzwerk.",
  "Previous row": "Vorige Zeile",
  "Words in title or text": "Wörter in Titel oder Text",
});
