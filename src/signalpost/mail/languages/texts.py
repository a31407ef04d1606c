"""Texts of mails in the language of their reader. English sentences are their own keys."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.mail.languages.de import GERMAN
from signalpost.mail.languages.es import SPANISH

DEFAULT: Final = "en"
CATALOGS: Final[Mapping[str, Mapping[str, str]]] = {DEFAULT: {}, "de": GERMAN, "es": SPANISH}
"""By their codes of ISO 639-1. They are those of the console."""


def language_of(locale: str | None) -> str:
    """Return the language of mails to someone with this locale, such as `de-AT`: English, if it has none of ours."""
    code = (locale or DEFAULT).partition("-")[0].lower()
    return code if code in CATALOGS else DEFAULT


def spoken(locale: str | None) -> dict[str, str]:
    """Return the value of a message that says its language; none, if the reader's own account decides."""
    return {} if locale is None else {"language": language_of(locale)}


class Texts:
    """The texts of a mail in one language: `t("Approved: {title}", title=...)`."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._said = CATALOGS[language]

    def __call__(self, text: str, **values: Any) -> str:
        """Return a text with its values; one that no catalog has, such as what a network says, as it is."""
        translated = self._said.get(text, text)
        return translated.format(**values) if values else translated
