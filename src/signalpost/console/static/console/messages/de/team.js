// German of pages/team.js.
export default /** @type {Record<string, string>} */ ({
  "A mail with this link is on its way.": "Eine Mail mit diesem Link ist unterwegs.",
  "Addresses to return to after connecting": "Adressen für die Rückkehr nach dem Verbinden",
  Admin: "Admin",
  "An operator makes a workspace of it again, here or elsewhere, with: signalpost workspaces import. Nothing is published by that.":
    "Ein Betreiber macht daraus wieder einen Arbeitsbereich, hier oder anderswo: signalpost workspaces import. Dabei wird nichts veröffentlicht.",
  Approver: "Prüfer",
  "Cancel the subscription first": "Erst das Abonnement kündigen",
  Contributor: "Autor",
  "Copy the link": "Link kopieren",
  "Create it": "Anlegen",
  "Danger zone": "Gefahrenzone",
  "Delete the workspace": "Arbeitsbereich löschen",
  "Delete the workspace: nobody gets in any more and nothing is published. For 30 days an operator can restore it; after that posts, files, accounts, members, keys and history are erased.":
    "Den Arbeitsbereich löschen: Niemand kommt mehr hinein, und nichts wird veröffentlicht. 30 Tage lang kann ein Betreiber ihn wiederherstellen; danach werden Beiträge, Dateien, Konten, Mitglieder, Schlüssel und Verlauf gelöscht.",
  Download: "Herunterladen",
  Editor: "Redakteur",
  "Everything of the workspace in one file that other programs read: posts, files, numbers, people, history. It has no secrets, but personal data: keep it safe.":
    "Alles aus dem Arbeitsbereich in einer Datei, die andere Programme lesen: Beiträge, Dateien, Zahlen, Personen, Verlauf. Sie enthält keine Geheimnisse, aber persönliche Daten: Verwahren Sie sie sicher.",
  "Export again": "Noch einmal exportieren",
  "Export it first, if anything in it may be needed again.":
    "Exportieren Sie ihn vorher, falls etwas darin noch gebraucht wird.",
  "Export the workspace": "Arbeitsbereich exportieren",
  History: "Verlauf",
  Invite: "Einladen",
  "It cannot go to someone else while your card is charged for it. Offer it to {name} together with the payments: it moves when they have entered a card, and yours is removed. Nobody pays twice. Or cancel the subscription first.":
    "Er kann nicht an jemand anderen gehen, solange Ihre Karte für ihn belastet wird. Bieten Sie ihn {name} zusammen mit den Zahlungen an: Er geht über, sobald eine Karte eingegeben ist, und Ihre wird entfernt. Niemand zahlt doppelt. Oder kündigen Sie erst das Abonnement.",
  "It has members, clients and a plan of its own.":
    "Er hat eigene Mitglieder, Kunden und einen eigenen Tarif.",
  "It is being made; you can leave this page. A mail says when it is ready.":
    "Er entsteht gerade; Sie können die Seite verlassen. Eine E-Mail sagt, wann er fertig ist.",
  Keep: "Behalten",
  "Last active": "Zuletzt aktiv",
  Leave: "Verlassen",
  "Leave this workspace": "Diesen Arbeitsbereich verlassen",
  "Leave {name}?": "{name} verlassen?",
  "Let in again": "Wieder zulassen",
  "Make the owner": "Zum Besitzer machen",
  "Make {name} the owner?": "{name} zum Besitzer machen?",
  "New workspace": "Neuer Arbeitsbereich",
  "No mail was sent. Send this link yourself:": "Es ging keine Mail hinaus. Senden Sie diesen Link selbst:",
  "Offer it with the payments": "Mit den Zahlungen anbieten",
  "One per line; for programs that connect accounts.":
    "Eine je Zeile; für Programme, die Konten verbinden.",
  "Other workspaces": "Andere Arbeitsbereiche",
  "Ready: {size}": "Fertig: {size}",
  "Remove {name}?": "{name} entfernen?",
  "Show the last export": "Letzten Export zeigen",
  Stay: "Bleiben",
  Suspend: "Sperren",
  "Take the workspace along": "Den Arbeitsbereich mitnehmen",
  "The last export failed. Try again, or ask the people who run this service.":
    "Der letzte Export ging schief. Versuchen Sie es noch einmal, oder fragen Sie die Betreiber.",
  "The last export has been removed.": "Der letzte Export wurde entfernt.",
  "Their sessions and keys for this workspace end at once. What they wrote stays.":
    "Sitzungen und Schlüssel für diesen Arbeitsbereich enden sofort. Was geschrieben wurde, bleibt.",
  "There is no export yet.": "Es gibt noch keinen Export.",
  "Times are shown in it. Posts that wait keep their moment.":
    "Zeiten werden darin gezeigt. Wartende Beiträge behalten ihren Zeitpunkt.",
  "Type the name of the workspace: {name}": "Geben Sie den Namen des Arbeitsbereichs ein: {name}",
  Viewer: "Leser",
  "What each role may do": "Was jede Rolle darf",
  "What waits to be published is not published. Programs with keys of this workspace are refused from now on.":
    "Was noch wartet, wird nicht veröffentlicht. Programme mit Schlüsseln dieses Arbeitsbereichs werden ab jetzt abgewiesen.",
  Who: "Wer",
  "You become an admin. Only {name} can give it back.":
    "Sie werden Admin. Nur {name} kann ihn zurückgeben.",
  "You no longer see it, and your keys for it end. What you wrote stays. Only an invitation brings you back.":
    "Sie sehen ihn nicht mehr, und Ihre Schlüssel dafür enden. Was Sie geschrieben haben, bleibt. Zurück kommen Sie nur durch eine Einladung.",
  "Your card pays for this workspace": "Ihre Karte zahlt für diesen Arbeitsbereich",
  "everything, and gives the workspace to another": "alles, und übergibt den Arbeitsbereich",
  "everything, but not the owner's rights": "alles, außer den Rechten des Inhabers",
  "kept until": "aufbewahrt bis",
  made: "erstellt",
  reads: "liest",
  "reads, and approves posts": "liest und gibt Beiträge frei",
  "writes and publishes, connects accounts, makes keys":
    "schreibt und veröffentlicht, verbindet Konten, erstellt Schlüssel",
  "writes; someone else approves": "schreibt; jemand anderes gibt frei",
  you: "Sie",
  "{name} can take it over now, under Billing.": "{name} kann ihn jetzt übernehmen, unter Abrechnung.",
  "{name} is no longer a member.": "{name} ist kein Mitglied mehr.",
  "{name} owns the workspace now.": "{name} besitzt den Arbeitsbereich jetzt.",
});
