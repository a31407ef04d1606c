// German of pages/approvals.js.
export default /** @type {Record<string, string>} */ ({
  "No post waits for a decision.": "Kein Beitrag wartet auf eine Entscheidung.",
  "no time chosen": "keine Zeit gewählt",
  "Nothing here": "Nichts hier",
  "Only posts that I wrote": "Nur Beiträge, die ich geschrieben habe",
  "Posts with this decision appear here.": "Beiträge mit dieser Entscheidung erscheinen hier.",
  "to be published": "Veröffentlichung",
  "{name} approved it.": "{name} hat ihn freigegeben.",
  "All that wait in {month}": "Alle, die im {month} warten",
  "Chosen ones": "Ausgewählte",
  "If you enter one, opening the link needs a code that is mailed there.":
    "Wenn Sie eine eingeben, braucht das Öffnen einen Code, der dorthin geschickt wird.",
  "It is shown only now. Whoever has it sees these posts and nothing else, and may decide on them.":
    "Er wird nur jetzt gezeigt. Wer ihn hat, sieht diese Beiträge und nichts anderes und darf über sie entscheiden.",
  "It works for": "Er gilt",
  "No links": "Keine Links",
  "Only for this e-mail address": "Nur für diese E-Mail-Adresse",
  "Opening it needs a code that is mailed to {email}.":
    "Zum Öffnen braucht es einen Code, der an {email} geschickt wird.",
  "Posts that wait for approval": "Beiträge, die auf Freigabe warten",
  "Send a link to a client: they see what each network will show, and approve it or ask for changes, without a login.":
    "Schicken Sie einem Kunden einen Link: Er sieht, was jedes Netzwerk zeigen wird, und gibt es frei oder wünscht Änderungen, ohne Anmeldung.",
  "{n} day": "{n} Tag",
  "{n} days": "{n} Tage",
  "Sent links": "Gesendete Links",
});
