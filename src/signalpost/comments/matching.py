"""Which rules a comment meets. It takes time linear in the text, however many words all the rules have together.

Words are compared as people read them: whole, without regard to capitals, to the form of letters (full width, bold of
Unicode) or to characters that nobody sees. So `win` is not found in `wine`. Where a script sets no spaces between
words (Chinese, Japanese, Thai) or hangs on to them (Korean), each character counts as a word of its own.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple, Protocol
from uuid import UUID

from signalpost.comments.rules import RuleRow

_PIECE: Final = 256
"""Characters that are normalized at once: many marks on one letter take time quadratic in their number."""
_FOLDED_MAX: Final = 10_000
"""Characters that are compared: a single one may become eighteen."""
_UNSEEN: Final = dict.fromkeys(map(ord, "\u00ad\u034f\u180e\u200b\u200c\u200d\u2060\ufeff"))
# Letters and digits in a row, but for the scripts without spaces; or one character of anything else.
_TOKEN: Final = re.compile(
    r"[^\W_\u0e00-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]+|\S"
)


class Written(Protocol):
    """What is compared with rules."""

    @property
    def profile_id(self) -> UUID: ...
    @property
    def platform(self) -> str: ...
    @property
    def author_handle(self) -> str | None: ...
    @property
    def author_name(self) -> str: ...
    @property
    def text(self) -> str: ...


def fold(text: str) -> str:
    """Return a text in the form in which it is compared."""
    if not text.isascii():
        pieces = (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
        text = "".join(unicodedata.normalize("NFKC", piece) for piece in pieces).translate(_UNSEEN)
    return text.casefold()


def tokens(text: str) -> list[str]:
    """Return the words of a text, in their order."""
    return _TOKEN.findall(fold(text)[:_FOLDED_MAX])


@lru_cache(maxsize=4_096)
def _tokens_of_word(word: str) -> tuple[str, ...]:
    return tuple(tokens(word))


def username(text: str) -> str:
    """Return a username in the form in which it is compared."""
    return fold(text).strip().removeprefix("@")


class _Node:
    """Where the words of rules go on after what was read of them."""

    __slots__ = ("after", "ends")

    def __init__(self) -> None:
        self.after: dict[str, _Node] = {}
        self.ends: set[int] = set()


class _Conditions(NamedTuple):
    rule: RuleRow
    authors: frozenset[str]
    profiles: frozenset[UUID] | None
    platforms: frozenset[str] | None


class Matcher:
    """The conditions of some rules, made once for many comments."""

    def __init__(self, rules: Sequence[RuleRow]) -> None:
        self._root = _Node()
        self._conditions = [
            _Conditions(
                rule,
                frozenset(map(username, rule.authors)),
                None if rule.on_profiles is None else frozenset(rule.on_profiles),
                None if rule.platforms is None else frozenset(rule.platforms),
            )
            for rule in rules
        ]
        for index, rule in enumerate(rules):
            for word in rule.words:
                self._add(_tokens_of_word(word), index)

    def rules_for(self, comment: Written) -> list[RuleRow]:
        """Return the rules that a comment meets, in their order."""
        hits = self._with_words_in(comment.text)
        author = username(comment.author_handle or comment.author_name)
        return [
            conditions.rule
            for index, conditions in enumerate(self._conditions)
            if (index in hits or not conditions.rule.words)
            and (author in conditions.authors or not conditions.authors)
            and (conditions.profiles is None or comment.profile_id in conditions.profiles)
            and (conditions.platforms is None or comment.platform in conditions.platforms)
        ]

    def _add(self, word: Sequence[str], index: int) -> None:
        node = self._root
        for token in word:
            node = node.after.setdefault(token, _Node())
        if word:
            node.ends.add(index)

    def _with_words_in(self, text: str) -> set[int]:
        hits: set[int] = set()
        if not self._root.after:
            return hits
        words = tokens(text)
        for start in range(len(words)):
            node, at = self._root, start
            while at < len(words) and (following := node.after.get(words[at])) is not None:
                node, at = following, at + 1
                hits |= node.ends
        return hits
