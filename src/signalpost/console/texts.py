"""The languages of the product, and the texts of its pages in the one of the visitor.

English sentences are their own keys, as in the console.
"""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from signalpost.console.languages.de import GERMAN
from signalpost.console.languages.en import ENGLISH
from signalpost.console.languages.es import SPANISH
from signalpost.console.languages.language import Language
from signalpost.web.request import Request

LANGUAGES: Final[Mapping[str, Language]] = {"en": ENGLISH, "de": GERMAN, "es": SPANISH}
"""By their codes of ISO 639-1, in the order in which people choose them. CONTRIBUTING says what else one needs."""
NAMES: Final = {code: language.name for code, language in LANGUAGES.items()}
DEFAULT: Final = "en"


def language_of(request: Request) -> str:
    """Return the language of a visitor: the first of theirs that we have."""
    for entry in request.headers.get("accept-language", "")[:200].lower().split(","):
        code = entry.partition(";")[0].strip().partition("-")[0]
        if code in LANGUAGES:
            return code
    return DEFAULT


class Texts:
    """The texts of a page in one language: `t("Approve")`."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._said = LANGUAGES[language]

    def __call__(self, text: str, **values: Any) -> str:
        """Return a text with its values."""
        translated = self._said.texts.get(text, text)
        return translated.format(**values) if values else translated

    def time(self, at: str | None, zone: str = "UTC") -> str:
        """Return an instant as it is on the wire as a person reads it, in a zone that is named; empty without one."""
        if at is None:
            return ""
        local = datetime.fromisoformat(at).astimezone(ZoneInfo(zone))
        return f"{self.day(local)}, {local:%H:%M} ({zone})"

    def day(self, day: date) -> str:
        """Return a day as a person reads it."""
        return self._said.date.format(
            weekday=self._said.weekdays[day.weekday()],
            day=day.day,
            month=self._said.months[day.month - 1],
            year=day.year,
        )

    def day_of(self, day: str) -> str:
        """Return a day as it is on the wire as a person reads it."""
        return self.day(date.fromisoformat(day))

    def local(self, at: str, zone: str) -> str:
        """Return an instant as it is on the wire in a zone that stands elsewhere: short, for a table."""
        local = datetime.fromisoformat(at).astimezone(ZoneInfo(zone))
        return f"{local.day} {self._said.months[local.month - 1]} {local:%H:%M}"

    def month(self, month: str) -> str:
        """Return a month such as `2026-11` as a person reads it."""
        year, number = month.split("-")
        return f"{self._said.long_months[int(number) - 1]} {year}"

    def number(self, value: int) -> str:
        """Return a number with its digits in groups, as the language has them."""
        if abs(value) < self._said.grouped_from:
            return str(value)
        return f"{value:,}".replace(",", self._said.thousands)

    def percent(self, value: float) -> str:
        """Return a percentage with two digits of its fraction."""
        return f"{value:.2f} %".replace(".", self._said.decimal)


def spoken(request: Request) -> dict[str, Any]:
    """Return what a template needs to speak the language of the visitor: `t` and `language`."""
    language = language_of(request)
    return {"t": Texts(language), "language": language}
