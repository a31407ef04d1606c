"""A text as units, between which it may be cut: never inside a character, a word, a link, a mention or a hashtag."""

from typing import Final

import regex
from msgspec import Struct

from signalpost.networks.counting import clusters
from signalpost.networks.links import LINK, balanced

MENTION: Final = (
    r"(?<![\w/@.+-])@[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?(?:@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)?"
)
TAG: Final = r"(?<![\w&/#])[#\uff03](?=[\p{N}_]*[\p{L}\p{M}\p{So}])[\p{L}\p{M}\p{N}\p{So}_\u200c\u200d\ufe0f]+"

# Scripts without spaces between words may be cut between any two characters, but not before closing punctuation.
_WIDE = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\u3000-\u303f\uff00-\uffef]"
_CLOSING = (
    r"[\u3001\u3002\uff0c\uff0e\uff01\uff1f\uff1a\uff1b\u3009\u300b\u300d\u300f\u3011\u3015\u3017\uff09\uff3d\uff5d"
    r"\u30fc\u30fb\u3005\u3041\u3043\u3045\u3047\u3049\u3063\u3083\u3085\u3087\u30a1\u30a3\u30a5\u30a7\u30a9\u30c3"
    r"\u30e3\u30e5\u30e7\u2026\u2025\u201d\u2019]"
)
_OPENING = r"[\u3008\u300a\u300c\u300e\u3010\u3014\u3016\uff08\uff3b\uff5b\u201c\u2018]"
_ATOM = regex.compile(rf"(?P<link>{LINK})|(?P<mention>{MENTION})|(?P<tag>{TAG})")
_PART = regex.compile(  # of a run of opening marks each is looked at a few times, however long the run is
    rf"{LINK}|{MENTION}|{TAG}|{_OPENING}{{0,4}}{_WIDE}[\p{{M}}\u200d\ufe0f\uff9e\uff9f]*{_CLOSING}*"
    rf"|(?:(?!{_WIDE}|{_OPENING})\S)+|{_OPENING}++|\S"
)
_IS_WIDE = regex.compile(_WIDE)
_WORD = regex.compile(r"\S+")
_STOP = r"[.!?\u2026\u3002\uff01\uff1f\uff0e\u061f\u06d4\u0964\u0965\u0589\u1362\u104b\u17d4]"
_SENTENCE_END = regex.compile(_STOP + r"[\"'\u2019\u201d\u00bb)\]\u300d\u300f\uff09\p{Extended_Pictographic}\ufe0f]*$")
_ABBREVIATION = regex.compile(
    r"(?:^|[(\"'])(?:[\p{L}]|(?:\p{L}\.)+\p{L}|dr|mr|mrs|ms|prof|st|no|nr|vs|etc|approx|bzw|ca|usw|vgl|inkl|env|sr|sra)"
    r"\.$",
    regex.IGNORECASE,
)


class Unit(Struct, frozen=True, gc=False):
    """A piece of a text that is not cut. `before`: the white space that separates it from the unit before it."""

    text: str
    before: str = ""
    links: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    ends_sentence: bool = False
    ends_paragraph: bool = False

    @property
    def is_tag(self) -> bool:
        """Whether it is a hashtag and nothing else."""
        return self.tags == (self.text,)

    @property
    def is_whole(self) -> bool:
        """Whether it may not be cut even if it is too long for a post."""
        return bool(self.links or self.mentions or self.tags) or "@" in self.text  # half an e-mail address is a mention


def units_of(text: str) -> list[Unit]:
    """Return the units of a text. Runs of white space become one space, line break or empty line."""
    raw: list[tuple[str, str]] = []
    end = 0
    for match in _WORD.finditer(text):
        raw += _parts(_space(text[end : match.start()]) if raw else "", match[0])
        end = match.end()
    return [_unit(raw, index) for index in range(len(raw))]


def joined(units: list[Unit]) -> str:
    """Return the text of consecutive units."""
    return "".join(unit.before + unit.text for unit in units).lstrip()


def pieces_of(unit: Unit) -> list[Unit]:
    """Return a word that is too long for a post as its characters."""
    characters = clusters(unit.text)
    last = len(characters) - 1
    return [
        Unit(
            character,
            unit.before if index == 0 else "",
            ends_sentence=unit.ends_sentence and index == last,
            ends_paragraph=unit.ends_paragraph and index == last,
        )
        for index, character in enumerate(characters)
    ]


def _space(space: str) -> str:
    lines = space.count("\n")
    if lines:
        return "\n" if lines == 1 else "\n\n"
    return space if space in ("\u3000", "\xa0") else " "


def _parts(before: str, word: str) -> list[tuple[str, str]]:
    if _IS_WIDE.search(word) is None:
        return [(before, word)]
    return [("" if index else before, part) for index, part in enumerate(_PART.findall(word))]


def _unit(raw: list[tuple[str, str]], index: int) -> Unit:
    before, text = raw[index]
    following = raw[index + 1] if index + 1 < len(raw) else None
    atoms: dict[str, list[str]] = {"link": [], "mention": [], "tag": []}
    if "://" in text or "@" in text or "#" in text or "\uff03" in text:
        for match in _ATOM.finditer(text):
            atoms[match.lastgroup or ""].append(balanced(match[0]) if match.lastgroup == "link" else match[0])
    return Unit(
        text,
        before,
        tuple(atoms["link"]),
        tuple(atoms["mention"]),
        tuple(atoms["tag"]),
        _ends_sentence(text, following),
        following is None or following[0] == "\n\n",
    )


def _ends_sentence(text: str, following: tuple[str, str] | None) -> bool:
    if following is None or "\n" in following[0]:
        return True
    if _SENTENCE_END.search(text[-8:]) is None:
        return False
    return not (following[1][0].islower() or (len(text) <= 10 and _ABBREVIATION.search(text)))
