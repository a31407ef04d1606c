"""What the pages of the service say in German, beside the console: English -> German."""

from typing import Final

from signalpost.console.languages.language import Language

_TEXTS: Final = {
    # How people come in: registering, signing in, invitations, connecting an account, allowing an app.
    "Skip to content": "Zum Inhalt springen",
    "Write a post": "Beitrag schreiben",
    "Calendar": "Kalender",
    "Inbox": "Posteingang",
    "Docs": "Doku",
    "Console": "Konsole",
    "Register": "Registrieren",
    "Your name": "Ihr Name",
    "E-mail": "E-Mail",
    "Password": "Passwort",
    "10 to 200 characters": "10 bis 200 Zeichen",
    "Workspace": "Arbeitsbereich",
    "For example, the name of your company": "Zum Beispiel der Name Ihrer Firma",
    "I have an account": "Ich habe ein Konto",
    "Sign in": "Anmelden",
    "Sign in with {provider}": "Mit {provider} anmelden",
    "The e-mail or the password is not right.": "E-Mail oder Passwort stimmt nicht.",
    "Enter the code of your authenticator app.": "Geben Sie den Code Ihrer Authenticator-App ein.",
    "Too many attempts. Try again in a few minutes.":
        "Zu viele Versuche. Versuchen Sie es in ein paar Minuten noch einmal.",
    "or with a password": "oder mit einem Passwort",
    "I use a second factor": "Ich benutze einen zweiten Faktor",
    "Code": "Code",
    "From your authenticator app, or a recovery code": "Aus Ihrer Authenticator-App, oder ein Wiederherstellungscode",
    "Forgot your password?": "Passwort vergessen?",
    "The operator of this instance sets a new one with": "Der Betreiber dieser Instanz setzt ein neues mit",
    "Your account is deleted.": "Ihr Konto ist gelöscht.",
    "The workspace is deleted. The operator of this instance can restore it until {day}.":
        "Der Arbeitsbereich ist gelöscht. Der Betreiber dieser Instanz kann ihn bis zum {day} wiederherstellen.",
    "Invitation": "Einladung",
    "Join {workspace}?": "{workspace} beitreten?",
    "A member": "Ein Mitglied",
    "{name} invites {email} to this workspace, with the role {role}.":
        "{name} lädt {email} in diesen Arbeitsbereich ein, in der Rolle {role}.",
    "admin": "Admin",
    "editor": "Redakteur",
    "contributor": "Autor",
    "approver": "Prüfer",
    "viewer": "Leser",
    "Name": "Name",
    "Only if you are new here": "Nur wenn Sie neu hier sind",
    "The one of your account with this address; if you have none, choose 10 to 200 characters":
        "Das Ihres Kontos mit dieser Adresse; wenn Sie keines haben, wählen Sie 10 bis 200 Zeichen",
    "Only if your account asks for codes of an authenticator app":
        "Nur wenn Ihr Konto nach Codes einer Authenticator-App fragt",
    "Accept": "Annehmen",
    "Decline": "Ablehnen",
    "New here?": "Neu hier?",
    "to accept without a password.": "und ohne Passwort annehmen.",
    "You joined the workspace": "Sie gehören jetzt dazu",
    "You are a member of {workspace} now. Sign in as {email}.":
        "Sie sind jetzt Mitglied von {workspace}. Melden Sie sich als {email} an.",
    "You declined the invitation": "Sie haben die Einladung abgelehnt",
    "Nothing else happens.": "Weiter geschieht nichts.",
    "Connect {network}": "{network} verbinden",
    "Connect your {network} account?": "Ihr Konto bei {network} verbinden?",
    "{name} asks to publish with your account. Continue only if you know them and expected this.":
        "{name} bittet darum, mit Ihrem Konto zu veröffentlichen. Machen Sie nur weiter, wenn Sie das erwartet"
        " haben und wissen, wer das ist.",
    "Client": "Kunde",
    "Requested by": "Angefragt von",
    "API key": "API-Schlüssel",
    "Network": "Netzwerk",
    "{network}, at {host}": "{network}, bei {host}",
    "Connects again": "Verbindet neu",
    "Returns to": "Führt zurück zu",
    "After this, everyone who may publish in this workspace can post as you, until the account is disconnected"
    " here or you withdraw the credentials there.":
        "Danach können alle, die in diesem Arbeitsbereich veröffentlichen dürfen, in Ihrem Namen posten, bis das"
        " Konto hier getrennt wird oder Sie die Zugangsdaten dort zurückziehen.",
    "If you did not expect this, close the page: nothing has been connected. The link works until {until}.":
        "Wenn Sie das nicht erwartet haben, schließen Sie die Seite: Es wurde nichts verbunden. Der Link gilt bis"
        " {until}.",
    "{host} will ask you to sign in and to agree. After that, everyone who may publish in this workspace can post"
    " as you, until the account is disconnected here or you withdraw your consent there.":
        "{host} fragt Sie nach Anmeldung und Zustimmung. Danach können alle, die in diesem Arbeitsbereich"
        " veröffentlichen dürfen, in Ihrem Namen posten, bis das Konto hier getrennt wird oder Sie Ihre"
        " Zustimmung dort zurückziehen.",
    "Continue to {host}": "Weiter zu {host}",
    "If you did not expect this, close the page: nothing has been connected. The link works until {until} and in"
    " one browser.":
        "Wenn Sie das nicht erwartet haben, schließen Sie die Seite: Es wurde nichts verbunden. Der Link gilt bis"
        " {until} und in einem Browser.",
    "This request of an app cannot be answered": "Diese Anfrage einer App kann nicht beantwortet werden",
    "No app here has this client_id. It may have been deleted; start again in the app.":
        "Keine App hat hier diese client_id. Vielleicht wurde sie gelöscht; beginnen Sie in der App noch einmal.",
    "The redirect_uri is none of those that the app has registered. Nothing was sent there.":
        "Die redirect_uri ist keine von denen, die die App eingetragen hat. Es wurde nichts dorthin gesendet.",
    "You cannot allow this": "Sie können das nicht erlauben",
    "For this, your role needs API keys, and you need the second factor if it is required. Ask an admin.":
        "Dafür braucht Ihre Rolle API-Schlüssel, und Sie den zweiten Faktor, wenn er verlangt ist."
        " Fragen Sie einen Admin.",
    "Allow {app}?": "{app} erlauben?",
    "{app} asks to act for you. Continue only if you know it and started this there.":
        "{app} bittet darum, für Sie zu handeln. Machen Sie nur weiter, wenn Sie die App kennen und dort damit"
        " begonnen haben.",
    "App": "App",
    "You are": "Sie sind",
    "We have not verified who is behind this app. Anyone can choose a name.":
        "Wir haben nicht geprüft, wer hinter dieser App steht. Einen Namen kann sich jeder aussuchen.",
    "Another workspace": "Anderer Arbeitsbereich",
    "Change": "Wechseln",
    "What it can do then": "Was sie dann kann",
    "Your role allows nothing of what it asks for.": "Ihre Rolle erlaubt nichts von dem, worum sie bittet.",
    "All clients that you see": "Alle Kunden, die Sie sehen",
    "It never does more than you may do. You end this at any time in the console, under Developers.":
        "Sie tut nie mehr, als Sie dürfen. Sie beenden das jederzeit in der Konsole, unter Entwickler.",
    "Allow": "Erlauben",
    "Do not allow": "Nicht erlauben",
    "See clients and their settings": "Kunden und ihre Einstellungen sehen",
    "Create, change and delete clients and their queues": "Kunden und ihre Warteschlangen anlegen, ändern und löschen",
    "See connected accounts": "Verbundene Konten sehen",
    "Connect accounts and change them": "Konten verbinden und ändern",
    "See posts, drafts and what the team says about them": "Beiträge, Entwürfe und Bemerkungen des Teams dazu sehen",
    "Create and change drafts": "Entwürfe anlegen und ändern",
    "Schedule and publish posts without asking you again":
        "Beiträge planen und veröffentlichen, ohne Sie noch einmal zu fragen",
    "See what people write under posts": "Sehen, was Leute unter Beiträge schreiben",
    "Answer, hide, like and delete comments under posts":
        "Kommentare unter Beiträgen beantworten, verbergen, mögen und löschen",
    "Upload pictures and videos": "Bilder und Videos hochladen",
    "See the numbers of posts and accounts": "Die Zahlen von Beiträgen und Konten sehen",
    "See webhooks": "Webhooks sehen",
    "Have events of this workspace sent to addresses of its choice":
        "Ereignisse dieses Arbeitsbereichs an Adressen ihrer Wahl senden lassen",
    "Invite others to connect their accounts": "Andere einladen, ihre Konten zu verbinden",
    "Write to support": "An den Support schreiben",
    # The first user, a new password, a guest who connects accounts, and what has no place of its own.
    "Status": "Status",
    "Back to the start page": "Zurück zur Startseite",
    "First run": "Erster Start",
    "Create the first user": "Ersten Benutzer anlegen",
    "You will own the first workspace. The console opens next.":
        "Ihnen gehört dann der erste Arbeitsbereich. Danach öffnet sich die Konsole.",
    "Create user and workspace": "Benutzer und Arbeitsbereich anlegen",
    "This link is no longer valid": "Dieser Link gilt nicht mehr",
    "A first-run link works once, within 30 minutes, and only as long as no user exists.":
        "Ein Link für den ersten Start gilt einmal, 30 Minuten lang, und nur, solange es keinen Benutzer gibt.",
    "If no user exists yet, restart the service to get a new link. Otherwise, ask the owner to invite you.":
        "Gibt es noch keinen Benutzer, starten Sie den Dienst neu, um einen neuen zu bekommen. Sonst"
        " bitten Sie den Inhaber um eine Einladung.",
    "Or create another user and workspace in a terminal of the machine on which the service runs:":
        "Oder legen Sie in einem Terminal des Rechners, auf dem der Dienst läuft, einen weiteren Benutzer mit"
        " Arbeitsbereich an:",
    "Nobody can register here": "Hier kann sich niemand registrieren",
    "Ask a member of the workspace that you want to join for an invitation.":
        "Bitten Sie ein Mitglied des Arbeitsbereichs, zu dem Sie gehören möchten, um eine Einladung.",
    "You receive a link by which you choose a new one. It works once, within 30 minutes.":
        "Sie bekommen einen Link, mit dem Sie ein neues wählen. Er gilt einmal, 30 Minuten lang.",
    "Send the link": "Link senden",
    "This is not an e-mail address.": "Das ist keine E-Mail-Adresse.",
    "Look into your mailbox": "Sehen Sie in Ihr Postfach",
    "If a user has this e-mail address, a link to choose a new password is on its way, or there already.":
        "Wenn ein Benutzer diese E-Mail-Adresse hat, ist ein Link für ein neues Passwort unterwegs oder schon da.",
    "Ask the operator of this instance to set a new one with `signalpost users reset-password`.":
        "Bitten Sie den Betreiber dieser Instanz, ein neues zu setzen: `signalpost users reset-password`.",
    "A link to choose a new password works once, within 30 minutes.":
        "Ein Link für ein neues Passwort gilt einmal, 30 Minuten lang.",
    "Request another one from the page where you sign in.": "Fordern Sie auf der Seite zum Anmelden einen neuen an.",
    "New password": "Neues Passwort",
    "Choose a new password": "Neues Passwort wählen",
    "All your sessions end. API keys keep working.": "Alle Ihre Sitzungen enden. API-Schlüssel gelten weiter.",
    "Choose another one: 10 to 200 characters, and not one that many people have.":
        "Wählen Sie ein anderes: 10 bis 200 Zeichen, und keines, das viele haben.",
    "Set the password": "Passwort setzen",
    "Your new password is set": "Ihr neues Passwort gilt",
    "All sessions have ended: sign in again with the new password. API keys keep working.":
        "Alle Sitzungen sind beendet: Melden Sie sich mit dem neuen Passwort an. API-Schlüssel gelten weiter.",
    "A link to connect an account works in one browser, within ten minutes.":
        "Ein Link zum Verbinden eines Kontos gilt in einem Browser, zehn Minuten lang.",
    "Nothing was connected. Ask for another link.": "Es wurde nichts verbunden. Bitten Sie um einen neuen Link.",
    "Choose what to connect": "Wählen Sie, was verbunden wird",
    "{network} lets you post to these. Posts go only to what you choose.":
        "{network} lässt Sie hier veröffentlichen. Beiträge gehen nur an das, was Sie wählen.",
    "You may not post there: ask whoever manages it.":
        "Sie dürfen dort nicht veröffentlichen: Fragen Sie, wer es verwaltet.",
    "{name}: connect your accounts": "{name}: Konten verbinden",
    "Connect your accounts to {profile}": "Ihre Konten mit {profile} verbinden",
    "{name} of {workspace} asks to publish with your accounts.":
        "{name} von {workspace} bittet darum, mit Ihren Konten zu veröffentlichen.",
    "Continue only if you know them and expected this.":
        "Machen Sie nur weiter, wenn Sie das erwartet haben und wissen, wer das ist.",
    "Your server": "Ihr Server",
    "Your server, if it is not that of {network} itself": "Ihr Server, wenn es nicht der von {network} selbst ist",
    "Connected.": "Verbunden.",
    "It cannot be connected at the moment.": "Es lässt sich zurzeit nicht verbinden.",
    "The invitation works until {until}. Opening it does not use it up.":
        "Die Einladung gilt bis {until}. Das Öffnen verbraucht sie nicht.",
    "This invitation is over": "Diese Einladung gilt nicht mehr",
    "It has expired.": "Sie ist abgelaufen.",
    "It was withdrawn.": "Sie wurde zurückgezogen.",
    "It has been used.": "Sie wurde benutzt.",
    "Ask {name} for another one.": "Bitten Sie {name} um eine neue.",
    # Approval by link.
    "Posts for {profile}": "Beiträge für {profile}",
    "with Signalpost": "mit Signalpost",
    "{workspace} asks you to look at these posts before they are published.":
        "{workspace} bittet Sie, diese Beiträge anzusehen, bevor sie veröffentlicht werden.",
    "This link works until {until}.": "Dieser Link gilt bis {until}.",
    "There is no post to show here any more.": "Hier gibt es keinen Beitrag mehr zu zeigen.",
    "To be published {when}": "Geplant für {when}",
    "No time chosen": "Noch keine Zeit gewählt",
    "Waits for your decision": "Wartet auf Ihre Entscheidung",
    "Approved": "Freigegeben",
    "Changes requested": "Änderungen gewünscht",
    "Rejected": "Abgelehnt",
    "Nothing to decide": "Nichts zu entscheiden",
    "{name}, {when}": "{name}, {when}",
    "at {when}": "um {when}",
    "Part {number}": "Teil {number}",
    "First comment": "Erster Kommentar",
    "Settings": "Einstellungen",
    "No text": "Kein Text",
    "Picture {number}": "Bild {number}",
    "Video {number}": "Video {number}",
    "It has no picture description.": "Ohne Bildbeschreibung.",
    "A note to the team": "Eine Nachricht an das Team",
    "Approve": "Freigeben",
    "Ask for changes": "Änderungen wünschen",
    "Reject": "Ablehnen",
    "Only comment": "Nur kommentieren",
    "Comments": "Kommentare",
    "Write what you want to say.": "Schreiben Sie, was Sie sagen möchten.",
    "More posts": "Weitere Beiträge",
    "yes": "ja",
    "no": "nein",
    "This post was changed since you opened the page. This is how it is now: please read it again.":
        "Dieser Beitrag wurde geändert, seit Sie die Seite geöffnet haben. So ist er jetzt: Bitte lesen Sie ihn noch"
        " einmal.",
    "It could not be done. If it still waits for you, ask for changes: the team sees what is wrong.":
        "Das ging nicht. Wenn er noch auf Sie wartet, wünschen Sie Änderungen: Das Team sieht, was fehlt.",
    "Enter your name: the team sees who decided.": "Geben Sie Ihren Namen ein: Das Team sieht, wer entschieden hat.",
    "Too much text: a note has at most 2,000 characters, a name 100.":
        "Zu viel Text: Eine Nachricht hat höchstens 2.000 Zeichen, ein Name 100.",
    "This link does not exist": "Diesen Link gibt es nicht",
    "Check that it was copied completely.": "Prüfen Sie, ob er vollständig kopiert wurde.",
    "This link has expired": "Dieser Link ist abgelaufen",
    "This link was withdrawn": "Dieser Link wurde zurückgezogen",
    "Ask whoever sent it for another one.": "Bitten Sie um einen neuen, wo Sie ihn bekommen haben.",
    "Too many requests": "Zu viele Anfragen",
    "Wait a minute, then open the link again.": "Warten Sie eine Minute, und öffnen Sie den Link noch einmal.",
    "This link is for one person": "Dieser Link ist für eine Person",
    "A code is mailed to the address for which the link was made.":
        "Ein Code wird an die Adresse geschickt, für die der Link gemacht wurde.",
    "A code was mailed to {email}.": "Ein Code wurde an {email} geschickt.",
    "Mail me a code": "Code schicken",
    "Continue": "Weiter",
    "This is not the code, or too many were wrong. Have another one mailed.":
        "Das ist nicht der Code, oder zu viele waren falsch. Lassen Sie sich einen neuen schicken.",
    "Too many codes were mailed. Try again in an hour.":
        "Es wurden zu viele Codes verschickt. Versuchen Sie es in einer Stunde noch einmal.",
    # The status page, and what it says to whoever subscribes.
    "Service status": "Dienststatus",
    "All systems are operational": "Alle Systeme laufen",
    "Maintenance is under way": "Wartung läuft",
    "Some systems are slower than usual": "Einige Systeme sind langsamer als sonst",
    "Some systems are partly down": "Einige Systeme sind teilweise ausgefallen",
    "Some systems are down": "Einige Systeme sind ausgefallen",
    "The status is not known at this moment": "Der Status ist zurzeit nicht bekannt",
    "Operational": "In Betrieb",
    "Maintenance": "Wartung",
    "Degraded": "Eingeschränkt",
    "Partial outage": "Teilausfall",
    "Major outage": "Ausfall",
    "Investigating": "Wird untersucht",
    "Identified": "Ursache gefunden",
    "Monitoring": "Wird beobachtet",
    "Resolved": "Behoben",
    "Scheduled": "Angekündigt",
    "In progress": "In Arbeit",
    "Verifying": "Wird geprüft",
    "Completed": "Abgeschlossen",
    "As of {at}.": "Stand: {at}.",
    "Subscribe by e-mail, webhook or feed": "Per E-Mail, Webhook oder Feed abonnieren",
    "Subscribe by webhook or feed": "Per Webhook oder Feed abonnieren",
    "Nothing has been measured since {at}: posts and webhooks may be late.":
        "Seit {at} wurde nichts gemessen: Beiträge und Webhooks können sich verspäten.",
    "This is the last copy of the page: at this moment the service cannot read its database.":
        "Das ist die letzte Kopie der Seite: Der Dienst kann seine Datenbank zurzeit nicht lesen.",
    "Planned maintenance": "Geplante Wartung",
    "The last 90 days": "Die letzten 90 Tage",
    "90 days ago": "vor 90 Tagen",
    "30 days ago": "vor 30 Tagen",
    "Today": "Heute",
    "No data yet": "Noch keine Daten",
    "{percent} uptime": "{percent} verfügbar",
    "{percent} available in 90 days": "{percent} in 90 Tagen verfügbar",
    "1 day with trouble": "1 Tag mit Störungen",
    "{n} days with trouble": "{n} Tage mit Störungen",
    "Subscribe": "Abonnieren",
    "For programs and readers of news:": "Für Programme und Feedreader:",
    "Webhook": "Webhook",
    "Atom feed": "Atom-Feed",
    "Past incidents": "Frühere Störungen",
    "None in the last 30 days.": "Keine in den letzten 30 Tagen.",
    "Subscribe to the service status": "Dienststatus abonnieren",
    "Hear of incidents, planned maintenance and changes of components.":
        "Erfahren Sie von Störungen, geplanter Wartung und Änderungen an Komponenten.",
    "By e-mail": "Per E-Mail",
    "The first mail has a link to confirm; every later one has a link that ends it.":
        "Die erste Mail hat einen Link zum Bestätigen, jede spätere einen, der das Abonnement beendet.",
    "By webhook": "Per Webhook",
    "A public https address receives `status.incident` and `status.component`, signed. No account is needed:":
        "Eine öffentliche https-Adresse empfängt `status.incident` und `status.component`, signiert. Dafür"
        " braucht man kein Konto:",
    "It gets one delivery of the type `status.confirm` first: with its token, sent to"
    " `/status/subscriptions/confirm` within an hour, it says that it wants news.":
        "Zuerst bekommt sie eine Zustellung der Art `status.confirm`: Mit deren Token, binnen einer Stunde an"
        " `/status/subscriptions/confirm` gesendet, sagt sie, dass sie Nachrichten möchte.",
    "With `componentIds` it hears only of these.": "Mit `componentIds` erfährt sie nur von diesen.",
    "The reference says more.": "Die Referenz sagt mehr.",
    "By feed": "Per Feed",
    "Readers of news take this feed:": "Feedreader nehmen diesen Feed:",
    "Back to the status": "Zurück zum Status",
    "Confirm by the link in your mailbox": "Bestätigen Sie mit dem Link in Ihrem Postfach",
    "A mail with a link is on its way, unless you have confirmed before. The link works for {days} days.":
        "Eine Mail mit einem Link ist unterwegs, wenn Sie nicht schon bestätigt haben. Der Link gilt {days} Tage.",
    "Incidents and maintenance are mailed to you. Every mail has a link that ends it.":
        "Störungen und Wartung werden Ihnen gemailt. Jede Mail hat einen Link, der das beendet.",
    "You are subscribed: incidents and maintenance will be mailed to you.":
        "Ihr Abonnement gilt: Störungen und Wartung werden Ihnen gemailt.",
    "Unsubscribe from the service status": "Dienststatus abbestellen",
    "Incidents and maintenance are no longer mailed to you.":
        "Störungen und Wartung werden Ihnen dann nicht mehr gemailt.",
    "Unsubscribe": "Abbestellen",
    "You are unsubscribed: no more mails will follow.": "Ihr Abonnement ist beendet: Es kommen keine Mails mehr.",
    "There is no such subscription. Subscribe again on the status page.":
        "Dieses Abonnement gibt es nicht. Abonnieren Sie den Status auf seiner Seite noch einmal.",
    "This link no longer works": "Dieser Link gilt nicht mehr",
    "API": "API",
    "Requests to the API.": "Anfragen an die API.",
    "Dashboard": "Konsole",
    "The web pages.": "Die Webseiten.",
    "Publishing queue": "Veröffentlichung",
    "Posts go out at their time.": "Beiträge gehen zu ihrer Zeit hinaus.",
    "Webhooks": "Webhooks",
    "Events are delivered.": "Ereignisse werden zugestellt.",
    "Media": "Medien",
    "Uploads and files.": "Uploads und Dateien.",
    # Reports by link, and link pages.
    "Latest posts": "Neueste Beiträge", "This page does not exist": "Diese Seite gibt es nicht",
    "Check that its address was copied completely.": "Prüfen Sie, ob die Adresse vollständig kopiert wurde.",
    "Month": "Monat", "Show": "Zeigen",
    "The first days of this month are not shown.": "Die ersten Tage dieses Monats werden nicht gezeigt.",
    "Nothing was published in this month.": "In diesem Monat wurde nichts veröffentlicht.",
    "Percentages: against as many days before.": "Prozente: gegenüber ebenso vielen Tagen davor.",
    "Day by day": "Tag für Tag", "Posts by day, at most {n}.": "Beiträge nach Tagen, höchstens {n}.",
    "Most seen": "Am meisten gesehen", "Post without text": "Beitrag ohne Text", "By network": "Nach Netzwerk",
    "Posts": "Beiträge", "Followers": "Follower", "New followers": "Neue Follower", "Account": "Konto",
    "Everything that was published": "Alles, was veröffentlicht wurde", "Published": "Veröffentlicht",
    "Post": "Beitrag",
    "The month has more posts than are shown here.": "Der Monat hat mehr Beiträge, als hier stehen.",
    "No more reports by mail?": "Keine Berichte mehr per E-Mail?",
    "The link to the report goes on to work.": "Der Link zum Bericht gilt weiter.",
    "No more mails of this kind reach you.": "Mails dieser Art erreichen Sie nicht mehr.",
    "You are unsubscribed": "Sie sind abgemeldet", "Views": "Aufrufe", "Likes": "Gefällt mir", "Shares": "Geteilt",
    "Engagement": "Interaktion", "{n} views": "{n} Aufrufe", "{n} posts": "{n} Beiträge",
    "The month is not over: these are its numbers until today.":
        "Der Monat ist noch nicht vorbei: Das sind seine Zahlen bis heute.",
    "Views by the day on which posts went out, at most {n}.":
        "Aufrufe nach dem Tag der Veröffentlichung, höchstens {n}.",
    "What a network does not give is not counted as 0. Days are those of {zone}.":
        "Was ein Netzwerk nicht angibt, zählt nicht als 0. Die Tage sind die von {zone}.",
    "No more reports for {profile} will be mailed to you.":
        "Sie bekommen keine Berichte für {profile} mehr per E-Mail.",
}  # fmt: skip

GERMAN: Final = Language(
    name="Deutsch",
    months=("Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez."),
    long_months=(
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ),
    weekdays=("Mo.", "Di.", "Mi.", "Do.", "Fr.", "Sa.", "So."),
    date="{weekday} {day}. {month} {year}",
    decimal=",",
    thousands=".",
    grouped_from=1_000,
    texts=_TEXTS,
)
