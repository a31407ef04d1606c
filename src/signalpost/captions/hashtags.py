"""Takes the hashtags that stand apart out of a text, and limits their number."""

from collections.abc import Iterable, Sequence

from msgspec import Struct, structs

from signalpost.captions.units import Unit


class Tagged(Struct, frozen=True):
    """A text without the hashtags that stood apart.

    `separator`: what stood before them, if that was the end of the text. `moved`: they stood elsewhere. `dropped`: how
    many were too many or repeated; inside a sentence the word stays, without its mark.
    """

    units: list[Unit]
    tags: list[str]
    separator: str
    moved: bool
    dropped: int


def separate(units: Sequence[Unit], tags_max: int | None) -> Tagged:
    """Take lines of nothing but hashtags, and those at the end of the text, out of it."""
    end = _end_of_text(units)
    lines = _lines(units[:end])
    apart = [unit for line in lines if _is_apart(line) for unit in line]
    moved = bool(apart)
    body: list[Unit] = []
    gap = ""  # the widest before a line that was taken out
    for line in lines:
        gap = max(gap, line[0].before, key=len)
        if not _is_apart(line):
            body += [structs.replace(line[0], before=gap if body else ""), *line[1:]]
            gap = ""
    tags = [unit.text for unit in (*apart, *units[end:])]
    separator = "\n\n" if moved or end == len(units) else units[end].before or " "
    body, seen, dropped = _limit_inside(body, tags_max)
    distinct = [tag for tag in _distinct(tags) if key(tag) not in seen]
    limited = distinct if tags_max is None else distinct[: max(0, tags_max - len(seen))]
    return Tagged(body, limited, separator, moved, dropped + len(tags) - len(limited))


def key(tag: str) -> str:
    """Return by what hashtags are compared."""
    return tag.lstrip("#\uff03").casefold()


def _end_of_text(units: Sequence[Unit]) -> int:
    """Return where the hashtags at the end begin. A single one may be the last word of a sentence: `I love #coffee`."""
    end = len(units)
    while end > 0 and units[end - 1].is_tag:
        end -= 1
    if end == len(units) - 1 and end > 0 and "\n" not in units[end].before and not units[end - 1].ends_sentence:
        return len(units)
    return end


def _lines(units: Sequence[Unit]) -> list[list[Unit]]:
    lines: list[list[Unit]] = []
    for unit in units:
        if not lines or "\n" in unit.before:
            lines.append([])
        lines[-1].append(unit)
    return lines


def _is_apart(line: Sequence[Unit]) -> bool:
    return all(unit.is_tag for unit in line)


def _distinct(tags: Iterable[str]) -> list[str]:
    return list({key(tag): tag for tag in reversed(list(tags))}.values())[::-1]


def _limit_inside(units: Sequence[Unit], tags_max: int | None) -> tuple[list[Unit], set[str], int]:
    """Return the units, in which hashtags beyond the limit are plain words, the others, and how many those were."""
    seen: set[str] = set()
    limited: list[Unit] = []
    dropped = 0
    for unit in units:
        remaining: list[str] = []
        pieces: list[str] = []
        at = 0  # the end of what `pieces` say
        for tag in unit.tags:
            if key(tag) in seen or tags_max is None or len(seen) < tags_max:
                seen.add(key(tag))
                remaining.append(tag)
            else:
                place = unit.text.index(tag, at)
                pieces += (unit.text[at:place], tag[1:])
                at = place + len(tag)
                dropped += 1
        if pieces:
            limited.append(structs.replace(unit, text="".join([*pieces, unit.text[at:]]), tags=tuple(remaining)))
        else:
            limited.append(unit)
    return limited, seen, dropped
