r"""LinkedIn's "little text": the markup of a commentary, where an unescaped bracket can cut off the rest of the post.

Mentions are written as LinkedIn writes them, `@[Exact Name](urn:li:organization:123)`, and `#word` becomes a hashtag;
every other character with a meaning is escaped.

Source: learn.microsoft.com, "little text format", version of May 2026 (a person or organization, by name and URN);
production: gitroomhq/postiz-app, provider of LinkedIn, writes organizations in the same way, read 2026-11-29. That a
name which differs stays plain text: docs.postsyncer.com, "Tag people and companies on LinkedIn", read 2026-11-29.
"""

from collections.abc import Iterator
from typing import Final

import regex

from signalpost.networks.links import LINK

_RESERVED: Final = regex.compile(r"[|{}@\[\]()<>#\\*_~]")
_TOKEN: Final = regex.compile(
    r"(?P<mention>@\[(?P<name>[^\[\]()]{1,200})\]\((?P<urn>urn:li:(?:person|organization):[\w-]{1,100})\))"
    rf"|(?P<link>{LINK})"
    r"|(?<![\w&/])[#\uff03](?P<tag>[\p{L}\p{N}_]*[\p{L}_][\p{L}\p{N}_]*+)"
)
_MEANT: Final = regex.compile(r"@\[[^\[\]\n]{0,300}\] ?\(urn:[^()\s]{0,200}\)")
"""What is meant as a mention."""


def little_text(text: str) -> str:
    """Return a plain text as LinkedIn shows it unchanged, with its mentions and hashtags."""
    parts, at = [], 0
    for match in _TOKEN.finditer(text):
        parts += [_escaped(text[at : match.start()]), _token(match)]
        at = match.end()
    return "".join([*parts, _escaped(text[at:])])


def visible_text(text: str) -> str:
    """Return what readers see of a text: of a mention its name. LinkedIn counts this, not the markup."""
    return _TOKEN.sub(lambda match: match["name"] or match[0], text)


def broken_mentions(text: str) -> Iterator[str]:
    """Yield what is meant as a mention and is none, so that readers would see its markup."""
    for match in _MEANT.finditer(text):
        if not _TOKEN.fullmatch(match[0]):
            yield match[0]


def mentions(text: str) -> bool:
    """Whether a text has the markup of a mention, good or broken."""
    return _MEANT.search(text) is not None


def _token(match: "regex.Match[str]") -> str:
    if match["mention"]:
        return f"@[{_escaped(match['name'])}]({match['urn']})"
    if match["tag"]:
        return rf"{{hashtag|\#|{_escaped(match['tag'])}}}"
    return _escaped(match[0])


def _escaped(text: str) -> str:
    return _RESERVED.sub(r"\\\g<0>", text)
