"""The texts of the page for approval by link. English sentences are their own keys, as in the console."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

from signalpost.web.request import Request

Language = Literal["en", "de"]

GERMAN: Final = {
    "Skip to content": "Zum Inhalt springen",
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
    "Your name": "Ihr Name",
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
    "Code": "Code",
    "Continue": "Weiter",
    "This is not the code, or too many were wrong. Have another one mailed.":
        "Das ist nicht der Code, oder zu viele waren falsch. Lassen Sie sich einen neuen schicken.",
    "Too many codes were mailed. Try again in an hour.":
        "Es wurden zu viele Codes verschickt. Versuchen Sie es in einer Stunde noch einmal.",
}  # fmt: skip
"""English -> German; a test compares it with what the page says."""
_MONTHS: Final = {
    "en": ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    "de": ["Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez."],
}
_DAYS: Final = {
    "en": ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
    "de": ["Mo.", "Di.", "Mi.", "Do.", "Fr.", "Sa.", "So."],
}


def language_of(request: Request) -> Language:
    """Return the language of a visitor: the first of theirs that we have."""
    for entry in request.headers.get("accept-language", "")[:200].lower().split(","):
        tag = entry.partition(";")[0].strip().partition("-")[0]
        if tag == "de":
            return "de"
        if tag == "en":
            return "en"
    return "en"


class Texts:
    """The texts of a page in one language: `t("Approve")`."""

    def __init__(self, language: Language, german: Mapping[str, str] = GERMAN) -> None:
        self.language = language
        self._german = german

    def __call__(self, text: str, **values: Any) -> str:
        """Return a text with its values."""
        translated = self._german[text] if self.language == "de" else text
        return translated.format(**values) if values else translated

    def time(self, at: str | None, zone: str = "UTC") -> str:
        """Return an instant as it is on the wire as a person reads it, in a zone that is named; empty without one."""
        if at is None:
            return ""
        local = datetime.fromisoformat(at).astimezone(ZoneInfo(zone))
        day, month = _DAYS[self.language][local.weekday()], _MONTHS[self.language][local.month - 1]
        dot = "." if self.language == "de" else ""
        return f"{day} {local.day}{dot} {month} {local.year}, {local:%H:%M} ({zone})"
