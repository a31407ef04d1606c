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
}  # fmt: skip
"""English -> German; a test compares it with what the pages say."""


def spoken(request: Request) -> dict[str, Any]:
    """Return what a template needs to speak the language of the visitor: `t` and `language`."""
    language = language_of(request)
    return {"t": Texts(language, GERMAN), "language": language}
