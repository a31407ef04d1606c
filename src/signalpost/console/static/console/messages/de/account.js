// German of pages/account.js.
export default /** @type {Record<string, string>} */ ({
  "About me": "Über mich",
  "All keys": "Alle Schlüssel",
  "API keys that I made": "API-Schlüssel von mir",
  "At least 10 characters.": "Mindestens 10 Zeichen.",
  "At least 10 characters. A few words are easier to remember than signs.":
    "Mindestens 10 Zeichen. Einige Wörter merken sich leichter als Sonderzeichen.",
  "By these, calendar programs show when posts go out.":
    "Darüber zeigen Kalenderprogramme, wann Beiträge erscheinen.",
  "Change the password": "Passwort ändern",
  "Code of the app": "Code der App",
  "Code of the app, or a recovery code": "Code der App oder Ersatzcode",
  "Code to scan with a phone": "Code zum Scannen mit dem Telefon",
  Colours: "Farben",
  Dark: "Dunkel",
  Device: "Gerät",
  "Enter the code that the app shows.": "Geben Sie den Code ein, den die App zeigt.",
  "I have kept the codes": "Ich habe die Codes aufbewahrt",
  "If you do not know one of them: sign it out, then change your password.":
    "Wenn Sie eine davon nicht kennen: melden Sie sie ab, und ändern Sie dann Ihr Passwort.",
  "It is on. If you lose the device, each of these codes lets you in once. Keep them elsewhere.":
    "Er ist eingeschaltet. Wenn Sie das Gerät verlieren, kommen Sie mit jedem dieser Codes einmal hinein. Bewahren Sie sie anderswo auf.",
  Light: "Hell",
  "Link another messenger": "Anderen Messenger verknüpfen",
  "Link my messenger": "Meinen Messenger verknüpfen",
  "Messages from it become no posts any more. It can be linked again.":
    "Nachrichten von ihm werden keine Beiträge mehr. Er lässt sich wieder verknüpfen.",
  "New password": "Neues Passwort",
  Next: "Weiter",
  "not shown by the messenger": "vom Messenger nicht gezeigt",
  Messenger: "Messenger",
  "Open {name} here": "{name} hier öffnen",
  "Or send {code} to {number}.": "Oder senden Sie {code} an {number}.",
  "Post from your phone": "Beiträge vom Telefon",
  "Scan this with your authenticator app, or enter the key in it. Then enter the code that it shows.":
    "Scannen Sie das mit Ihrer Authenticator-App, oder geben Sie den Schlüssel darin ein. Geben Sie dann den Code ein, den sie zeigt.",
  "Scan this with your phone, and send the message that it opens.":
    "Scannen Sie das mit dem Telefon und senden Sie die Nachricht, die sich öffnet.",
  "Scan this with your phone, and press Start in the chat that opens.":
    "Scannen Sie das mit dem Telefon und drücken Sie Start in dem Chat, der sich öffnet.",
  "Scan this with your phone, and send the code to the app that opens.":
    "Scannen Sie das mit dem Telefon und senden Sie den Code an die App, die sich öffnet.",
  "Send a text or a picture from a messenger, and it becomes a post.":
    "Schicken Sie einen Text oder ein Bild von einem Messenger, und es wird ein Beitrag.",
  "Many people have this password. Choose another: a few words.":
    "Dieses Passwort haben viele. Wählen Sie ein anderes: ein paar Wörter.",
  "None.": "Keine.",
  "Set it up": "Einrichten",
  "Sign out everywhere else": "Überall sonst abmelden",
  "Sign-in provider": "Anmeldedienst",
  "Signed in": "Angemeldet",
  "Signed out in {n} other place.": "An {n} anderen Stelle abgemeldet.",
  "Signed out in {n} other places.": "An {n} anderen Stellen abgemeldet.",
  "Signed out there.": "Dort abgemeldet.",
  "Signing in asks for a code of your authenticator app.":
    "Die Anmeldung fragt nach einem Code Ihrer Authenticator-App.",
  "Signing in asks for the password only.": "Die Anmeldung fragt nur noch nach dem Passwort.",
  "Switch it off": "Ausschalten",
  "Switch off the second factor?": "Zweiten Faktor ausschalten?",
  System: "System",
  "that of the workspace ({zone})": "die des Arbeitsbereichs ({zone})",
  "The password is changed. You are signed out everywhere else.":
    "Das Passwort ist geändert. Überall sonst sind Sie abgemeldet.",
  "They act with your rights, as long as you have them.":
    "Sie handeln mit Ihren Rechten, solange Sie sie haben.",
  "This browser": "Dieser Browser",
  "This code is wrong, or was used before. Wait for the next one.":
    "Dieser Code ist falsch oder wurde schon benutzt. Warten Sie auf den nächsten.",
  "This is not your password.": "Das ist nicht Ihr Passwort.",
  "This is the password that you have. Choose another one.":
    "Das ist Ihr jetziges Passwort. Wählen Sie ein anderes.",
  "this one": "diese hier",
  "Times are shown to you in it. The calendar and posts stay in those of workspace and client.":
    "Zeiten werden Ihnen in ihr gezeigt. Kalender und Beiträge bleiben in denen von Arbeitsbereich und Kunde.",
  unknown: "unbekannt",
  Unlink: "Verknüpfung lösen",
  "Unlink the messenger?": "Verknüpfung des Messengers lösen?",
  "What you send may do what you may do here.": "Was Sie senden, darf, was Sie hier dürfen.",
  "Where you are signed in": "Wo Sie angemeldet sind",
  "With an app that shows codes, a stolen password is not enough to sign in.":
    "Mit einer App, die Codes zeigt, reicht ein gestohlenes Passwort nicht zur Anmeldung.",
  "Works until": "Gilt bis",
  "Your messenger is linked.": "Ihr Messenger ist verknüpft.",
  "You can also sign in with {name}, with the address {email}.":
    "Sie können sich auch mit {name} anmelden, mit der Adresse {email}.",
  "My data": "Meine Daten",
  "Download my data": "Meine Daten herunterladen",
  "Your data is saved as my-data.json.": "Ihre Daten sind als my-data.json gespeichert.",
  "Who you are here, your workspaces, where you are signed in, the keys that you made and your phone, as one file. What you wrote is in the export of the workspace.":
    "Wer Sie hier sind, Ihre Arbeitsbereiche, wo Sie angemeldet sind, die Schlüssel, die Sie angelegt haben, und Ihr Telefon, als eine Datei. Was Sie geschrieben haben, ist im Export des Arbeitsbereichs.",
  "You leave a workspace, or delete one that is yours, on its page Team.":
    "Einen Arbeitsbereich verlassen Sie auf seiner Seite Team; einen eigenen löschen Sie dort.",
  "my-data.json is saved, but it is not whole: it names under “cut” what it has the newest of only.":
    "my-data.json ist gespeichert, aber nicht vollständig: Unter „cut“ steht, wovon nur das Neueste darin ist.",
  "Mails to me": "Mails an mich",
  "I am mailed about": "Ich erhalte Mails über",
  "Posts to approve": "Beiträge zur Freigabe",
  "When posts wait for you, and again a day before their time.":
    "Wenn Beiträge auf Sie warten, und noch einmal einen Tag vor ihrem Termin.",
  "Decisions on my posts": "Entscheidungen über meine Beiträge",
  "When someone approves, rejects or wants changes.":
    "Wenn jemand freigibt, ablehnt oder Änderungen verlangt.",
  "Mentions and messages": "Erwähnungen und Nachrichten",
  "When someone names you, or a guest writes about your post.":
    "Wenn jemand Sie erwähnt oder ein Gast zu Ihrem Beitrag schreibt.",
  "Accounts to connect again": "Konten, die neu zu verbinden sind",
  "When an account of your workspace stops working.":
    "Wenn ein Konto Ihres Arbeitsbereichs nicht mehr funktioniert.",
  "Feeds on hold": "Angehaltene Feeds",
  "When a feed of yours is not read any more.": "Wenn ein Feed von Ihnen nicht mehr gelesen wird.",
  "Disabled webhooks": "Abgeschaltete Webhooks",
  "When a receiver of your workspace fails for days.":
    "Wenn ein Empfänger Ihres Arbeitsbereichs tagelang ausfällt.",
  "Usage of the plan": "Verbrauch des Tarifs",
  "When a month’s limit of your workspace is almost or fully used.":
    "Wenn ein Monatslimit Ihres Arbeitsbereichs fast oder ganz verbraucht ist.",
  "Answers from support": "Antworten des Supports",
  "When support answers one of your tickets.": "Wenn der Support eines Ihrer Tickets beantwortet.",
  "Tickets of users": "Tickets von Nutzern",
  "When a user writes to support, which you belong to.":
    "Wenn jemand dem Support schreibt, zu dem Sie gehören.",
  "Quiet hours": "Ruhezeiten",
  "Such mails and notifications wait until they end. None is lost.":
    "Solche Mails und Benachrichtigungen warten bis zu ihrem Ende. Nichts geht verloren.",
  "Mails about signing in, passwords, leaked keys and payment always come, and at once.":
    "Mails über Anmeldung, Passwörter, öffentlich gewordene Schlüssel und Zahlung kommen immer, und sofort.",
  "Quiet from": "Ruhe ab",
  "Quiet until": "Ruhe bis",
  "You sign in with {name} as {email}.": "Sie melden sich mit {name} als {email} an.",
  "Unlink it": "Verknüpfung lösen",
  "You sign in with your password only.": "Sie melden sich nur noch mit Ihrem Passwort an.",
  "Unlink {name}?": "Verknüpfung mit {name} lösen?",
  "You then sign in with your password. If you have none, choose one first: sign out, and ask for a new password.":
    "Sie melden sich dann mit Ihrem Passwort an. Haben Sie keines, wählen Sie zuerst eines: Melden Sie sich ab und fordern Sie ein neues Passwort an.",
  "Save my choices": "Auswahl speichern",
  "Delete my account": "Mein Konto löschen",
  "Delete my account?": "Mein Konto löschen?",
  "You leave every workspace, and nothing lets you in any more. This cannot be undone.":
    "Sie verlassen jeden Arbeitsbereich, und nichts lässt Sie mehr herein. Das lässt sich nicht rückgängig machen.",
  "Type your e-mail address: {email}": "Geben Sie Ihre E-Mail-Adresse ein: {email}",
  "Have none? Leave it empty, and sign in with your provider just before this.":
    "Sie haben keines? Lassen Sie es leer und melden Sie sich kurz vorher über Ihren Anbieter an.",
  "Gone at once: where you are signed in, your password and second factor, the keys and links that you made, and your phone.":
    "Sofort weg: wo Sie angemeldet sind, Passwort und zweiter Faktor, die Schlüssel und Links, die Sie gemacht haben, und Ihr Telefon.",
  "What you made for a workspace stays there, and within the hour without your name. Only its history keeps your name, for as long as it keeps entries: nobody can change it.":
    "Was Sie für einen Arbeitsbereich gemacht haben, bleibt dort, binnen einer Stunde ohne Ihren Namen. Nur sein Verlauf behält ihn, solange er Einträge aufbewahrt: Den kann niemand ändern.",
  "Workspaces that you own": "Arbeitsbereiche, die Ihnen gehören",
  "Tick those that are deleted with your account. Hand the others over before:":
    "Haken Sie die an, die mit Ihrem Konto gelöscht werden. Übergeben Sie die anderen vorher:",
  "Enter your password. If you have none: sign out, sign in again, and repeat this within 15 minutes.":
    "Geben Sie Ihr Passwort ein. Wenn Sie keines haben: Melden Sie sich ab und wieder an, und wiederholen Sie dies binnen 15 Minuten.",
  "Notifications on my devices": "Benachrichtigungen auf meinen Geräten",
  "This browser does not let the console notify you. Allow it in its settings of this site.":
    "Dieser Browser lässt keine Benachrichtigungen der Konsole zu. Erlauben Sie sie in seinen Einstellungen für diese Website.",
  "Add the console to the Home Screen, and open it from there: then it can notify you.":
    "Legen Sie die Konsole auf den Home-Bildschirm und öffnen Sie sie dort: Dann kann sie Sie benachrichtigen.",
  "This browser has no notifications for the console, or has them at an https address only.":
    "Dieser Browser hat keine Benachrichtigungen für die Konsole, oder nur unter einer https-Adresse.",
  "The browser was not allowed to notify you.": "Dem Browser wurde nicht erlaubt, Sie zu benachrichtigen.",
  "The push service of this browser cannot be reached, or is switched off in its settings.":
    "Der Push-Dienst dieses Browsers ist nicht erreichbar oder in seinen Einstellungen ausgeschaltet.",
  "It is on its way.": "Sie ist unterwegs.",
  "This device shows notifications, also while the console is closed.":
    "Dieses Gerät zeigt Benachrichtigungen, auch während die Konsole geschlossen ist.",
  "This device can show what waits for you while the console is closed.":
    "Dieses Gerät kann zeigen, was auf Sie wartet, während die Konsole geschlossen ist.",
  "The last one did not arrive: {reason}": "Die letzte kam nicht an: {reason}",
  "Turn off on this device": "Auf diesem Gerät ausschalten",
  "Turn on on this device": "Auf diesem Gerät einschalten",
  "Send a test": "Eine Probe senden",
  "My other devices": "Meine anderen Geräte",
  "Last notification": "Letzte Benachrichtigung",
  "Turn off": "Ausschalten",
  "My devices notify me about": "Meine Geräte benachrichtigen mich über",
  "Your quiet hours hold these, too. What is about one page comes once.":
    "Auch diese warten während Ihrer Ruhezeiten. Was eine Seite betrifft, kommt einmal.",
  "Save what my devices show": "Speichern, was meine Geräte zeigen",
  "Failed posts": "Fehlgeschlagene Beiträge",
  "When a post of yours is not published, or only in part.":
    "Wenn ein Beitrag von Ihnen nicht oder nur teilweise veröffentlicht wird.",
});
