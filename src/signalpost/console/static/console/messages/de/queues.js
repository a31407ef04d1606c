// German of pages/queues.js.
export default /** @type {Record<string, string>} */ ({
  "Add a time": "Zeit hinzufügen",
  "All queues": "Alle Zeitpläne",
  "Days of {time}": "Tage von {time}",
  "Deleted. {n} post keeps its time.": "Gelöscht. {n} Beitrag behält seine Zeit.",
  "Deleted. {n} posts keep their times.": "Gelöscht. {n} Beiträge behalten ihre Zeiten.",
  free: "frei",
  "Give a client its usual times once; then a post needs no time, only its turn.":
    "Geben Sie einem Kunden einmal seine üblichen Zeiten; dann braucht ein Beitrag keine Zeit mehr, nur noch seinen Platz.",
  "Gives out times": "Vergibt Zeiten",
  "Has a post": "Hat einen Beitrag",
  "Leave out {time}": "{time} weglassen",
  "New queue": "Neuer Zeitplan",
  "No queue yet": "Noch kein Zeitplan",
  "Posts that have a time keep it. Nobody gets a time of this queue any more.":
    "Beiträge, die eine Zeit haben, behalten sie. Niemand bekommt mehr eine Zeit von diesem Zeitplan.",
  "Switched off, it rests: posts that have a time keep it.":
    "Ausgeschaltet ruht er: Beiträge, die eine Zeit haben, behalten sie.",
  "Taken when nobody chooses a queue.": "Wird genommen, wenn niemand einen Zeitplan wählt.",
  "That of the client: {zone}": "Die des Kunden: {zone}",
  "The queue rests: it gives out no times.": "Der Zeitplan ruht: Er vergibt keine Zeiten.",
  "the usual one": "der übliche",
  "The usual one of the client": "Der übliche des Kunden",
  "There is no such queue.": "Diesen Zeitplan gibt es nicht.",
  Times: "Zeiten",
  "Times of the week": "Zeiten der Woche",
  "Weekly times at which posts go out. A post takes the next one that is free.":
    "Zeiten der Woche, zu denen Beiträge erscheinen. Ein Beitrag nimmt die nächste freie.",
  "What comes next": "Was als Nächstes kommt",
  "{name} is a queue now.": "{name} ist jetzt ein Zeitplan.",
});
