// German of pages/home.js.
export default /** @type {Record<string, string>} */ ({
  "A client": "Ein Kunde",
  "A post": "Ein Beitrag",
  "All scheduled": "Alle geplanten",
  "An account": "Ein Konto",
  "Another client": "Weiterer Kunde",
  "Connect the sandbox": "Sandbox verbinden",
  Decide: "Entscheiden",
  "Do not show again": "Nicht mehr zeigen",
  "Everything would be lost with the disk.": "Mit der Festplatte wäre alles verloren.",
  "First steps": "Erste Schritte",
  "It was not published.": "Er wurde nicht veröffentlicht.",
  "Its access ends {when}.": "Der Zugang endet {when}.",
  "Last 24 hours": "Letzte 24 Stunden",
  "Make a backup": "Sicherung anlegen",
  "Next 24 hours": "Nächste 24 Stunden",
  "Nobody knows whether it was published. Look, then decide.":
    "Niemand weiß, ob er veröffentlicht wurde. Sehen Sie nach, dann entscheiden Sie.",
  "Nothing is scheduled for the next 24 hours.": "Für die nächsten 24 Stunden ist nichts geplant.",
  "Nothing needs you: all accounts work, and nothing failed in the last seven days.":
    "Nichts zu tun: Alle Konten funktionieren, und in den letzten sieben Tagen ist nichts fehlgeschlagen.",
  "Nothing was published in the last 24 hours.": "In den letzten 24 Stunden wurde nichts veröffentlicht.",
  "Publish it now, or choose a time.": "Veröffentlichen Sie ihn sofort, oder wählen Sie eine Zeit.",
  Repair: "Beheben",
  Repairs: "Zu beheben",
  Resolve: "Klären",
  soon: "bald",
  Success: "Erfolg",
  "The last notification of the provider of payments was refused.":
    "Die letzte Benachrichtigung des Zahlungsdienstes wurde abgelehnt.",
  "The newest stand here, too.": "Die neuesten stehen auch hier.",
  "The plan allows no more than that.": "Mehr erlaubt der Tarif nicht.",
  "The provider of payments has never notified this installation.":
    "Der Zahlungsdienst hat diese Installation noch nie benachrichtigt.",
  "The sandbox is connected.": "Die Sandbox ist verbunden.",
  "The team": "Das Team",
  "The webhook was switched off because its server kept failing.":
    "Der Webhook wurde abgeschaltet, weil sein Server immer wieder fehlschlug.",
  "There is no backup of this installation.": "Von dieser Installation gibt es keine Sicherung.",
  "Those who write, approve or look, each with the rights they need.":
    "Wer schreibt, freigibt oder mitliest, mit den nötigen Rechten.",
  "What happened since would be lost with the disk.":
    "Mit der Festplatte wäre alles verloren, was seither geschah.",
  "Where posts go. The sandbox is a network inside this service, to try things: it publishes nothing to the internet, and you disconnect it when you are done.":
    "Dorthin gehen Beiträge. Die Sandbox ist ein Netzwerk in diesem Dienst, zum Ausprobieren: Sie veröffentlicht nichts im Internet, und Sie trennen sie, wenn Sie fertig sind.",
  "Whoever the accounts belong to: a brand, a shop, a person. Times are those of {zone}.":
    "Wem die Konten gehören: einer Marke, einem Geschäft, einer Person. Zeiten sind die von {zone}.",
  "{name}: {used} of {max} used": "{name}: {used} von {max} verbraucht",
  "{n} of {all} done": "{n} von {all} erledigt",
  "{n} post waits for your decision": "{n} Beitrag wartet auf Ihre Entscheidung",
  "{n} posts wait for your decision": "{n} Beiträge warten auf Ihre Entscheidung",
  "{n} thing needs you": "{n} Sache wartet auf Sie",
  "{n} things need you": "{n} Sachen warten auf Sie",
});
