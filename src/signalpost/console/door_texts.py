"""The texts of the pages by which people come in: registering, signing in, invitations, connecting an account."""

from typing import Any, Final

from signalpost.console.review_texts import Texts, language_of
from signalpost.web.request import Request

GERMAN: Final = {
    "Skip to content": "Zum Inhalt springen",
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
    "See posts, drafts and comments": "Beiträge, Entwürfe und Kommentare sehen",
    "Create and change drafts": "Entwürfe anlegen und ändern",
    "Schedule and publish posts without asking you again":
        "Beiträge planen und veröffentlichen, ohne Sie noch einmal zu fragen",
    "Upload pictures and videos": "Bilder und Videos hochladen",
    "See the numbers of posts and accounts": "Die Zahlen von Beiträgen und Konten sehen",
    "See webhooks": "Webhooks sehen",
    "Have events of this workspace sent to addresses of its choice":
        "Ereignisse dieses Arbeitsbereichs an Adressen ihrer Wahl senden lassen",
    "Invite others to connect their accounts": "Andere einladen, ihre Konten zu verbinden",
    "Write to support": "An den Support schreiben",
}  # fmt: skip
"""English -> German; a test compares it with what the pages say."""


def spoken(request: Request) -> dict[str, Any]:
    """Return what a template needs to speak the language of the visitor: `t` and `language`."""
    language = language_of(request)
    return {"t": Texts(language, GERMAN), "language": language}
