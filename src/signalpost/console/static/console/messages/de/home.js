// German of pages/home.js.
export default /** @type {Record<string, string>} */ ({
  "All scheduled": "Alle geplanten",
  "Connect the sandbox": "Sandbox verbinden",
  Decide: "Entscheiden",
  "Do the same with a program": "Dasselbe mit einem Programm",
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
  "The network no longer accepts our access. Posts wait for it.":
    "Das Netzwerk nimmt unseren Zugang nicht mehr an. Beiträge warten darauf.",
  "The newest stand here, too.": "Die neuesten stehen auch hier.",
  "The plan allows no more than that.": "Mehr erlaubt der Tarif nicht.",
  "The provider of payments has never notified this installation.":
    "Der Zahlungsdienst hat diese Installation noch nie benachrichtigt.",
  "The sandbox is a network inside this service: it publishes nothing to the internet, and fails on command.":
    "Die Sandbox ist ein Netzwerk in diesem Dienst: Sie veröffentlicht nichts im Internet und scheitert auf Befehl.",
  "The sandbox is connected.": "Die Sandbox ist verbunden.",
  "The webhook was switched off because its server kept failing.":
    "Der Webhook wurde abgeschaltet, weil sein Server immer wieder fehlschlug.",
  "There is no backup of this installation.": "Von dieser Installation gibt es keine Sicherung.",
  "What happened since would be lost with the disk.":
    "Mit der Festplatte wäre alles verloren, was seither geschah.",
  "Write your first post": "Schreiben Sie Ihren ersten Beitrag",
  "{name}: {used} of {max} used": "{name}: {used} von {max} verbraucht",
  "{n} post waits for your decision": "{n} Beitrag wartet auf Ihre Entscheidung",
  "{n} posts wait for your decision": "{n} Beiträge warten auf Ihre Entscheidung",
  "{n} thing needs you": "{n} Sache wartet auf Sie",
  "{n} things need you": "{n} Sachen warten auf Sie",
  "“API calls”, at the left, shows every call of this console as curl, Python and TypeScript.":
    "„API-Aufrufe“ links zeigt jeden Aufruf dieser Konsole als curl, Python und TypeScript.",
});
