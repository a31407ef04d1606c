// German of pages/approvals.js.
export default /** @type {Record<string, string>} */ ({
  Approved: "Freigegeben",
  "Changes requested": "Änderungen verlangt",
  "No post waits for a decision.": "Kein Beitrag wartet auf eine Entscheidung.",
  "no time chosen": "keine Zeit gewählt",
  "Nothing here": "Nichts hier",
  "Only posts that I wrote": "Nur Beiträge, die ich geschrieben habe",
  "Posts with this decision appear here.": "Beiträge mit dieser Entscheidung erscheinen hier.",
  Rejected: "Abgelehnt",
  "to be published": "Veröffentlichung",
  "{name} approved it.": "{name} hat ihn freigegeben.",
});
