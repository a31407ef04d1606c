// German of texts/problems.js.
export default /** @type {Record<string, string>} */ ({
  "A card is charged for this workspace, so it cannot simply go to someone else.":
    "Für diesen Arbeitsbereich wird eine Karte belastet; er kann deshalb nicht einfach den Inhaber wechseln.",
  "A code of your authenticator app is needed.": "Ein Code Ihrer Authenticator-App ist nötig.",
  "A new version was installed.": "Eine neue Version wurde installiert.",
  "A part of this page could not be loaded.": "Ein Teil dieser Seite konnte nicht geladen werden.",
  "A network would refuse this post. Nothing was saved or sent.":
    "Ein Netzwerk würde diesen Beitrag ablehnen. Nichts wurde gespeichert oder gesendet.",
  "A payment for the plan failed.": "Eine Zahlung für den Tarif ist gescheitert.",
  "A piece of the file was damaged on its way.": "Ein Stück der Datei wurde unterwegs beschädigt.",
  "A test key can use only the sandbox.": "Ein Testschlüssel kann nur die Sandbox benutzen.",
  "A time zone is missing.": "Eine Zeitzone fehlt.",
  "A workspace always has an owner.": "Ein Arbeitsbereich hat immer einen Inhaber.",
  "Add times to it, switch it on if it rests, or choose a time yourself.":
    "Geben Sie ihm mehr Zeiten, schalten Sie ihn ein, wenn er ruht, oder wählen Sie selbst eine Zeit.",
  "Another program has made a post with this number already.":
    "Ein anderes Programm hat schon einen Beitrag mit dieser Nummer gemacht.",
  "Answer later, or at the network.": "Antworten Sie später oder beim Netzwerk.",
  "Ask a member of the workspace to invite you.":
    "Bitten Sie ein Mitglied des Arbeitsbereichs, Sie einzuladen.",
  "Ask an owner or admin of the workspace.":
    "Fragen Sie den Inhaber oder einen Administrator des Arbeitsbereichs.",
  "Ask whoever runs this service.": "Fragen Sie den Betreiber dieses Dienstes.",
  "Ask whoever sent it for another one.": "Bitten Sie, wer sie geschickt hat, um eine neue.",
  "Billing shows the plans that do.": "Unter „Abrechnung“ stehen die Tarife, die es enthalten.",
  "Change the card under Billing, then try again.":
    "Ändern Sie die Karte unter „Abrechnung“ und versuchen Sie es dann noch einmal.",
  "Change the text, or say that it is meant to appear twice.":
    "Ändern Sie den Text, oder sagen Sie, dass es zweimal erscheinen soll.",
  "Change what is marked, then send it again.":
    "Ändern Sie, was markiert ist, und senden Sie ihn dann noch einmal.",
  "Check that the address shows the file itself, without a login, or upload the file.":
    "Prüfen Sie, ob die Adresse die Datei selbst zeigt, ohne Anmeldung, oder laden Sie die Datei hoch.",
  "Check the spelling of the address. If it is new, try again in an hour.":
    "Prüfen Sie, ob die Adresse richtig geschrieben ist. Ist sie neu, versuchen Sie es in einer Stunde noch einmal.",
  "Check them. “Forgot your password?” on the page to sign in helps further.":
    "Prüfen Sie sie. „Passwort vergessen?“ auf der Seite zum Anmelden hilft weiter.",
  "Choose a later one, or publish it now.": "Wählen Sie eine spätere, oder veröffentlichen Sie jetzt.",
  "Choose a paid plan for one of them, or delete one.":
    "Wählen Sie für einen davon einen bezahlten Tarif, oder löschen Sie einen.",
  "Choose a shorter one.": "Wählen Sie einen kürzeren.",
  "Choose an earlier one, or keep the post as a draft until then.":
    "Wählen Sie eine frühere, oder lassen Sie den Beitrag bis dahin Entwurf sein.",
  "Choose another name.": "Wählen Sie einen anderen Namen.",
  "Choose another one, or save it in another format, such as JPEG or MP4.":
    "Wählen Sie eine andere, oder speichern Sie sie in einem anderen Format, etwa JPEG oder MP4.",
  "Choose fewer, and do the rest afterwards.": "Wählen Sie weniger, und erledigen Sie den Rest danach.",
  "Choose the time zone of the time.": "Wählen Sie die Zeitzone der Uhrzeit.",
  "Correct what is marked, then send it again.":
    "Berichtigen Sie, was markiert ist, und senden Sie es dann noch einmal.",
  "Do it at the network itself.": "Machen Sie es beim Netzwerk selbst.",
  "End another link first. A client gets posts of one other client only.":
    "Beenden Sie zuerst eine andere Verknüpfung. Ein Kunde bekommt Beiträge von nur einem anderen.",
  "End the subscription with its period under Billing, or offer the payments with the ownership.":
    "Beenden Sie unter „Abrechnung“ das Abonnement zum Ende des Zeitraums, oder bieten Sie die Zahlungen mit an.",
  "Enter a card of your own under Billing; theirs is removed then.":
    "Geben Sie unter „Abrechnung“ eine eigene Karte an; die andere wird dann entfernt.",
  "Enter the code that the app shows, or a recovery code.":
    "Geben Sie den Code ein, den die App zeigt, oder einen Wiederherstellungscode.",
  "Go back and look whether it was deleted, or belongs to a client that you do not see.":
    "Gehen Sie zurück und sehen Sie nach, ob es gelöscht wurde oder zu einem Kunden gehört, den Sie nicht sehen.",
  "If that was a mistake, start again in the terminal.":
    "War das ein Versehen, beginnen Sie im Terminal noch einmal.",
  "It is sent again. If this goes on, choose the file again.":
    "Es wird noch einmal gesendet. Hört das nicht auf, wählen Sie die Datei noch einmal.",
  "Keep the current plan first, then choose the larger one again.":
    "Behalten Sie zuerst den jetzigen Tarif, und wählen Sie dann den größeren noch einmal.",
  "Make a calendar link of your own.": "Erstellen Sie einen eigenen Kalender-Link.",
  "Make a new one under Developers.": "Machen Sie unter „Entwickler“ einen neuen.",
  "Make another member the owner first, under Team.":
    "Machen Sie zuerst unter „Team“ ein anderes Mitglied zum Inhaber.",
  "Make it smaller, or send less at once.": "Machen Sie es kleiner, oder senden Sie weniger auf einmal.",
  "No feed can be read at this address.": "Unter dieser Adresse lässt sich kein Feed lesen.",
  "No plans are sold here: everything is included.":
    "Hier werden keine Tarife verkauft: Alles ist enthalten.",
  "Nobody can register here without an invitation.": "Ohne Einladung kann sich hier niemand registrieren.",
  "Nobody has decided about this terminal yet.": "Über dieses Terminal hat noch niemand entschieden.",
  "Nothing of this post can be tried again.": "Von diesem Beitrag lässt sich nichts noch einmal versuchen.",
  "Nothing was done. Reload the page to go on as they.":
    "Nichts wurde getan. Laden Sie die Seite neu, um als diese Person weiterzumachen.",
  "Only what failed can. If it is unknown whether it is out, look at the account and say so.":
    "Das geht nur mit dem, was gescheitert ist. Ist unbekannt, ob er erschienen ist, sehen Sie beim Konto nach und sagen Sie es.",
  "Open it under its usual address.": "Öffnen Sie ihn unter seiner üblichen Adresse.",
  "Open the address in a browser: enter that of a blog, or of its feed.":
    "Öffnen Sie die Adresse im Browser: Geben Sie die eines Blogs ein oder die seines Feeds.",
  "Open the page that it names, and decide there.":
    "Öffnen Sie die Seite, die es nennt, und entscheiden Sie dort.",
  "Pay the open invoice or change the card under Billing, then try again.":
    "Zahlen Sie unter „Abrechnung“ die offene Rechnung oder ändern Sie die Karte, und versuchen Sie es dann noch einmal.",
  "Payments are not set up here, or not completely.":
    "Zahlungen sind hier nicht oder nicht vollständig eingerichtet.",
  "Posts are waiting for this account.": "Für dieses Konto warten Beiträge.",
  "Read that answer first.": "Lesen Sie zuerst jene Antwort.",
  "Reload it, look at their change, and make yours again.":
    "Laden Sie es neu, sehen Sie die Änderung an, und machen Sie Ihre noch einmal.",
  "Reload the page.": "Laden Sie die Seite neu.",
  "Reload the page and try again.": "Laden Sie die Seite neu und versuchen Sie es noch einmal.",
  "Remove something, wait for the next month, or choose a larger plan under Billing.":
    "Entfernen Sie etwas, warten Sie auf den nächsten Monat, oder wählen Sie unter „Abrechnung“ einen größeren Tarif.",
  "Set it up under My account.": "Richten Sie ihn unter „Mein Konto“ ein.",
  "Sign in again.": "Melden Sie sich wieder an.",
  "Sign in with an e-mail address and a password.": "Melden Sie sich mit E-Mail-Adresse und Passwort an.",
  "Signing in with another service is not set up here.":
    "Die Anmeldung über einen anderen Dienst ist hier nicht eingerichtet.",
  "Someone else has changed this meanwhile.": "Jemand anderes hat das inzwischen geändert.",
  "Someone else has signed in in this browser meanwhile.":
    "In diesem Browser hat sich inzwischen jemand anderes angemeldet.",
  "Someone else's card pays for this workspace.":
    "Für diesen Arbeitsbereich zahlt die Karte einer anderen Person.",
  "Someone has answered this comment, or is about to.":
    "Jemand hat diesen Kommentar beantwortet oder ist gerade dabei.",
  "Something has changed since the page was loaded: reload it and look.":
    "Seit dem Laden der Seite hat sich etwas geändert: Laden Sie sie neu und sehen Sie nach.",
  "Something is missing or not as it must be.": "Etwas fehlt oder ist nicht, wie es sein muss.",
  "Start again from the page of accounts. It has to be finished within ten minutes.":
    "Beginnen Sie noch einmal auf der Seite der Konten. Er muss in zehn Minuten fertig sein.",
  "Start again from the page to sign in. If it happens again, ask whoever runs this service.":
    "Beginnen Sie noch einmal auf der Seite zum Anmelden. Geschieht es wieder, fragen Sie den Betreiber dieses Dienstes.",
  "Start again in the terminal. A code works for ten minutes.":
    "Beginnen Sie im Terminal noch einmal. Ein Code gilt zehn Minuten.",
  "Take them off the queue or wait until they are out, then try again.":
    "Nehmen Sie sie aus der Warteschlange, oder warten Sie, bis sie erschienen sind; versuchen Sie es dann noch einmal.",
  "The account has answered too often within an hour: this person, in this thread or under this post.":
    "Das Konto hat in einer Stunde zu oft geantwortet: dieser Person, in diesem Gesprächsfaden oder unter diesem Beitrag.",
  "The e-mail address, the password or the code is wrong.":
    "E-Mail-Adresse, Passwort oder Code stimmt nicht.",
  "The file could not be fetched from this address.": "Die Datei ließ sich von dieser Adresse nicht holen.",
  "The file is being sent from somewhere else too.": "Die Datei wird auch von anderswo gesendet.",
  "The network answered something unexpected.": "Das Netzwerk hat etwas Unerwartetes geantwortet.",
  "The payment failed, and nothing was changed.": "Die Zahlung ist gescheitert, und nichts wurde geändert.",
  "The queue has no free time within a year.": "Der Zeitplan hat in einem Jahr keine freie Zeit.",
  "The same was posted to this account within the last day.":
    "Dasselbe ist auf diesem Konto innerhalb eines Tages schon erschienen.",
  "The service cannot be reached.": "Der Dienst ist nicht erreichbar.",
  "The service cannot do this right now.": "Der Dienst kann das gerade nicht.",
  "The service for signing in cannot be reached.": "Der Dienst zum Anmelden ist nicht erreichbar.",
  "The service may not open this address.": "Diese Adresse darf der Dienst nicht öffnen.",
  "The sign-in was not accepted.": "Die Anmeldung wurde nicht angenommen.",
  "The terminal asks too often.": "Das Terminal fragt zu oft.",
  "The terminal was refused its key.": "Dem Terminal wurde sein Schlüssel verweigert.",
  "There is no computer of this name in the internet.":
    "Einen Rechner dieses Namens gibt es im Internet nicht.",
  "There is one with this name already.": "Eines mit diesem Namen gibt es schon.",
  "There were too many wrong passwords for this e-mail address.":
    "Für diese E-Mail-Adresse gab es zu viele falsche Passwörter.",
  "These clients cannot be linked so: posts would go round in a circle, or through too many clients.":
    "So lassen sich diese Kunden nicht verknüpfen: Beiträge liefen im Kreis oder über zu viele Kunden.",
  "This API key no longer works.": "Dieser API-Schlüssel gilt nicht mehr.",
  "This cannot be done with a comment on that network.":
    "Das geht mit einem Kommentar bei diesem Netzwerk nicht.",
  "This code of a terminal no longer works.": "Dieser Code eines Terminals gilt nicht mehr.",
  "This connection attempt has ended.": "Dieser Versuch zu verbinden ist beendet.",
  "This file cannot be used.": "Diese Datei lässt sich nicht verwenden.",
  "This invitation has been used.": "Diese Einladung wurde schon benutzt.",
  "This invitation has expired.": "Diese Einladung ist abgelaufen.",
  "This invitation was withdrawn.": "Diese Einladung wurde zurückgezogen.",
  "This is more than is possible at once.": "Das ist mehr, als auf einmal geht.",
  "This is not here, or no longer.": "Das gibt es hier nicht oder nicht mehr.",
  "This is not possible as things are now.": "So, wie es jetzt steht, geht das nicht.",
  "This is still being done.": "Das wird noch erledigt.",
  "This is too large.": "Das ist zu groß.",
  "This network cannot be connected here yet.": "Dieses Netzwerk lässt sich hier noch nicht verbinden.",
  "This page sent something that the service does not understand.":
    "Diese Seite hat etwas gesendet, das der Dienst nicht versteht.",
  "This period is too long to search.": "Dieser Zeitraum ist zu lang zum Suchen.",
  "This search is too long.": "Diese Suche ist zu lang.",
  "This service is not known under this address.": "Unter dieser Adresse ist der Dienst nicht bekannt.",
  "This time is more than a year ahead.": "Bis zu dieser Zeit ist es mehr als ein Jahr.",
  "This time is over.": "Diese Zeit ist vorbei.",
  "This was too much in a short time.": "Das war zu viel in kurzer Zeit.",
  "This workspace asks everyone for a second factor, and you have none.":
    "Dieser Arbeitsbereich verlangt von allen einen zweiten Faktor, und Sie haben keinen.",
  "Try again in a minute, or sign in with a password.":
    "Versuchen Sie es in einer Minute noch einmal, oder melden Sie sich mit dem Passwort an.",
  "Try again in a minute.": "Versuchen Sie es in einer Minute noch einmal.",
  "Try again later.": "Versuchen Sie es später noch einmal.",
  "Try again. If it happens again, tell whoever runs this service; the details below help them.":
    "Versuchen Sie es noch einmal. Geschieht es wieder, sagen Sie es dem Betreiber dieses Dienstes; die Einzelheiten unten helfen ihm.",
  "Use a live key for real accounts.": "Nehmen Sie für echte Konten einen Live-Schlüssel.",
  "Use a public address that begins with https.":
    "Nehmen Sie eine öffentliche Adresse, die mit https beginnt.",
  "Use fewer or shorter words.": "Nehmen Sie weniger oder kürzere Wörter.",
  "Use the post that is there, or move it to the trash first.":
    "Nehmen Sie den vorhandenen Beitrag, oder legen Sie ihn zuerst in den Papierkorb.",
  "Wait a few minutes, or choose a new password.":
    "Warten Sie ein paar Minuten, oder wählen Sie ein neues Passwort.",
  "Wait a minute, then try again.": "Warten Sie eine Minute, und versuchen Sie es dann noch einmal.",
  "Wait a moment, then go on.": "Warten Sie einen Moment, und machen Sie dann weiter.",
  "Wait a moment; you need not send it again.":
    "Warten Sie einen Moment; Sie müssen es nicht noch einmal senden.",
  "Wait until that is done, or choose the file again.":
    "Warten Sie, bis das fertig ist, oder wählen Sie die Datei noch einmal.",
  "What you typed is kept. It is sent when the network is back.":
    "Was Sie geschrieben haben, bleibt. Es wird gesendet, wenn das Netz wieder da ist.",
  "Whoever made this calendar link may no longer read its posts.":
    "Wer diesen Kalender-Link erstellt hat, darf seine Beiträge nicht mehr lesen.",
  "Whoever runs this service has to set it up first.":
    "Der Betreiber dieses Dienstes muss es zuerst einrichten.",
  "You are no longer signed in.": "Sie sind nicht mehr angemeldet.",
  "You own as many free workspaces as one person may.":
    "Ihnen gehören so viele kostenlose Arbeitsbereiche, wie eine Person haben darf.",
  "Your bank wants you to confirm the payment, and a planned change stands in the way.":
    "Ihre Bank will, dass Sie die Zahlung bestätigen, und eine geplante Änderung steht dem im Weg.",
  "Your plan allows no more of this.": "Mehr davon erlaubt Ihr Tarif nicht.",
  "Your plan does not include this.": "Ihr Tarif enthält das nicht.",
  "Your role does not allow this.": "Ihre Rolle erlaubt das nicht.",
  "This link needs a code that is mailed to one address.":
    "Dieser Link braucht einen Code, der an eine Adresse geschickt wird.",
  "Open its page, and have the code mailed.": "Öffnen Sie seine Seite, und lassen Sie den Code schicken.",
  "This link has expired.": "Dieser Link ist abgelaufen.",
  "This link was withdrawn.": "Dieser Link wurde zurückgezogen.",
  "Posts of this client are still to be published.": "Beiträge dieses Kunden sollen noch erscheinen.",
  "Cancel what is not to go out, and end what repeats. Then archive the client.":
    "Brechen Sie ab, was nicht erscheinen soll, und beenden Sie, was sich wiederholt. Archivieren Sie dann den Kunden.",
  "This client is archived: nothing is written or published for it.":
    "Dieser Kunde ist archiviert: Für ihn wird nichts geschrieben oder veröffentlicht.",
  "Restore it first, under Clients.": "Stellen Sie ihn zuerst unter „Kunden“ wieder her.",
  "Another link page has this address, or had it before.":
    "Eine andere Linkseite hat diese Adresse, oder hatte sie früher.",
  "Choose another address.": "Wählen Sie eine andere Adresse.",
  "Whoever made this link may no longer read these numbers.":
    "Wer diesen Link erstellt hat, darf diese Zahlen nicht mehr lesen.",
  "Make a link of your own.": "Erstellen Sie einen eigenen Link.",
  "You are the only administrator of this installation.":
    "Sie sind der einzige Administrator dieser Installation.",
  "Whoever runs it makes another person one first.": "Wer sie betreibt, macht zuerst jemand anderen dazu.",
  "You own workspaces, which cannot be without an owner.":
    "Ihnen gehören Arbeitsbereiche, die nicht ohne Inhaber sein können.",
  "Hand each over under Team, or have it deleted with your account.":
    "Übergeben Sie jeden unter Team, oder lassen Sie ihn mit Ihrem Konto löschen.",
});
