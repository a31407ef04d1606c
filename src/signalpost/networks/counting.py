"""Counts the length of a text as a network does."""

from functools import lru_cache

import regex

from signalpost.kit.unicode import nfc
from signalpost.networks.contract import Facts, TextRule, TextUnit

LONG_MIN = 500
LONG_KEPT_MAX = 128
_WHOLE_MAX = 2_100
"""Longer than any address or mention that is counted as a whole; what is counted so is not looked for beyond."""

# Every cluster of several characters contains one of these.
_JOINING = regex.compile(
    r"[\r\u200d\p{Regional_Indicator}\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=Prepend}\p{GCB=L}\p{GCB=V}\p{GCB=T}]"
)
# At each flag, `\X` alone would count all flags before it again.
_GRAPHEME = regex.compile(r"\p{Regional_Indicator}{2}[\u200d\p{GCB=Extend}\p{GCB=SpacingMark}]*+|\X")
_EMOJI = regex.compile(r"[\p{Extended_Pictographic}\p{Regional_Indicator}]|[0-9#*]\ufe0f?\u20e3")
# A URL as the fediverse and X shorten it: with its scheme, a host with a dot, and no closing punctuation at its end.
_URL = regex.compile(
    r"(?<![\w@/.-])https?://[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+(?::\d+)?"
    r"(?:[/?#](?:\([^\s()]*\)|[^\s()<>\"])*(?<![.,;:!?'\"\]}]))?",
    regex.IGNORECASE,
)
# A domain without a scheme, which X makes a link of all the same; the endings are those that people write most.
_BARE_DOMAIN = regex.compile(
    r"(?<![\w@/.$#-])(?:[\p{L}\p{N}_-]++\.(?=[\p{L}\p{N}])){1,8}+"
    r"(?:com|org|net|edu|gov|info|biz|io|dev|app|co|me|tv|ai|xyz|online|shop|site|store|tech|blog|cloud)"
    r"(?![\w@-]|\.[\p{L}\p{N}])(?:/(?:[^\s()<>\"])*(?<![.,;:!?'\"\]}]))?",
    regex.IGNORECASE,
)
# @user@host.tld, of which only @user counts.
_REMOTE_MENTION = regex.compile(r"(?<![=/\w])@(\w(?:[\w.-]*\w)?)@[\w.-]*\w", regex.IGNORECASE)


def text_length(facts: Facts, text: str) -> int:
    """Return the length of a post's text in `facts.text.unit`."""
    return length(facts.text, text)


def length(rule: TextRule, text: str) -> int:
    """Return the length of `text` in the rule's unit, with URLs and mentions shortened as the rule says."""
    count = _length_of_long if len(text) > LONG_MIN else _length
    return count(rule.unit, rule.url_length, rule.mentions_count_local_part_only, text)


def _length(unit: TextUnit, url_length: int | None, local_part_only: bool, text: str) -> int:  # noqa: FBT001
    urls = 0
    if url_length is not None and "://" in text:
        text, urls = _URL.subn("x", text)  # one character each; the rest is added below
    if unit == "weighted" and "." in text:
        text, domains = _BARE_DOMAIN.subn("x", text)
        urls += domains
    if local_part_only and "@" in text:
        text = _REMOTE_MENTION.sub(r"@\1", text)
    return _units(unit, text) + urls * ((url_length or 1) - 1)


# A long text is counted once, not once for each account of the post.
_length_of_long = lru_cache(LONG_KEPT_MAX)(_length)


def overflow(rule: TextRule, text: str) -> int | None:
    """Return where in `text` begins what does not fit into the rule, in code points; None: all of it fits.

    It is a character as readers see it, or the beginning of an address or mention that no longer fits as a whole.
    """
    if length(rule, text) <= rule.max_length and _has_room(rule, text):
        return None
    size = 2 * rule.max_length + _WHOLE_MAX
    while size < len(text):  # of a very long text only its beginning is searched
        if not _fits(rule, text[:size]) and (at := _first(rule, text[:size])) <= size - _WHOLE_MAX:
            return at
        size *= 2
    return _first(rule, text)


@lru_cache(LONG_KEPT_MAX)
def _first(rule: TextRule, text: str) -> int:
    """Return the beginning of the first character that does not fit. Accounts of one network ask for the same."""
    starts = _starts(rule, text)
    low, high = 0, len(starts)  # what ends at starts[low] fits; what ends at starts[high], the text itself, does not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _fits(rule, text[: starts[middle]]) else (low, middle)
    return starts[low]


def _fits(rule: TextRule, text: str) -> bool:
    return (
        _has_room(rule, text)
        and _length(rule.unit, rule.url_length, rule.mentions_count_local_part_only, text) <= rule.max_length
    )


def _has_room(rule: TextRule, text: str) -> bool:
    return rule.bytes_max is None or len(text.encode("utf-8", "surrogatepass")) <= rule.bytes_max


def _starts(rule: TextRule, text: str) -> list[int]:
    """Return where each character begins, and each address and mention that is counted as a whole."""
    patterns = [_URL] if rule.url_length is not None else []
    patterns += [_BARE_DOMAIN] if rule.unit == "weighted" else []
    patterns += [_REMOTE_MENTION] if rule.mentions_count_local_part_only else []
    wholes = (match.span() for pattern in patterns for match in pattern.finditer(text))
    inner = {at for start, end in wholes for at in range(start + 1, end)}
    starts, at = [], 0
    for cluster in _GRAPHEME.findall(text):
        if at not in inner:
            starts.append(at)
        at += len(cluster)
    return starts


def graphemes(text: str) -> int:
    """Return how many characters a reader sees: extended grapheme clusters (UAX #29)."""
    if text.isascii():
        return len(text) - text.count("\r\n")
    if _JOINING.search(text) is None:
        return len(text)
    return len(_GRAPHEME.findall(text))


def clusters(text: str) -> list[str]:
    """Return the characters that a reader sees, in order."""
    return _GRAPHEME.findall(text)


def _units(unit: TextUnit, text: str) -> int:
    match unit:
        case "grapheme":
            return graphemes(text)
        case "utf16":
            return len(text.encode("utf-16-le", "surrogatepass")) // 2
        case "weighted":
            return _weighted(text)
        case "emoji_bytes":
            return _with_emoji_bytes(text)
        case "code_point":
            return len(text)


def _with_emoji_bytes(text: str) -> int:
    """Return the length by the rule of Threads: an emoji counts its bytes of UTF-8, any other character 1."""
    if text.isascii():
        return len(text)
    return sum(
        len(cluster.encode("utf-8", "surrogatepass")) if _EMOJI.search(cluster) else len(cluster)
        for cluster in _GRAPHEME.findall(text)
    )


def _weighted(text: str) -> int:
    """Return the length by X's rule: 1 for Latin and punctuation, 2 for other characters and for a whole emoji."""
    text = nfc(text)
    if text.isascii():
        return len(text)
    return sum(2 if _EMOJI.search(cluster) else sum(map(_weight, cluster)) for cluster in _GRAPHEME.findall(text))


@lru_cache(maxsize=4096)
def _weight(char: str) -> int:
    point = ord(char)
    light = point <= 4351 or 8192 <= point <= 8205 or 8208 <= point <= 8223 or 8242 <= point <= 8247
    return 1 if light else 2
