"""Lists where the numbers of facts were read. `python -m signalpost.networks.evidence` prints those that are old."""

import dataclasses
import sys
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any, Final

import msgspec
from msgspec import inspect

from signalpost.kit import clock
from signalpost.networks import CONNECTORS
from signalpost.networks.contract import Facts, View
from signalpost.networks.contract.sources import Source, Sourced

OLD_DAYS: Final = 180
_NO_NETWORKS: Final = frozenset({"sandbox"})
_HEAD: Final = f"""# Sources of the limits of networks

Generated from the facts of the connectors by `make docs`; do not edit.

Networks change without notice, and their documentation is not always right: each number has two sources, one of them
from people who saw the network accept or refuse it, where there is one. 🔴 marks a number that only one place says,
or none yet. Limits that this service sets itself need no second source. Read a number again {OLD_DAYS} days after its
newest source; `python -m signalpost.networks.evidence` lists those that are older today.
"""
_SHEETS: Final = frozenset({"text", "title", "reply_text", "thumbnail", "rate_limit", "appearance"})
_LIMITS: Final = ("min_length", "max_length", "ge", "le")
_NOTHING: Final = frozenset({0, 1})  # as a lower limit: it says only that there is something


def numbers(facts: Facts) -> Mapping[str, float]:
    """Return every number of a fact sheet by its path, such as `media.image.bytes_max`; not those nobody set.

    Of options only those that the sources name: `options.poll.options.max_length`, or `.each.choices` for how many
    values each member of a list can have.
    """
    named = {path.split(".")[1] for path in facts.sources if path.startswith("options.")}
    options = {path: limit for path, limit in option_numbers(facts).items() if path.split(".")[1] in named}
    return dict(_numbers(facts, "")) | options


def option_numbers(facts: Facts) -> Mapping[str, float]:
    """Return every number in the types of a network's options by its path, whether it has sources or not."""
    return {
        path: limit
        for name, option in facts.options.items()
        for path, limit in _of_type(inspect.type_info(option.type), f"options.{name}")
    }


def _of_type(kind: Any, path: str) -> Iterator[tuple[str, float]]:
    """Walk through a type of msgspec: its limits, and those of what it consists of."""
    if isinstance(kind, inspect.Metadata):
        yield from _of_type(kind.type, path)
        return
    for name in _LIMITS:
        limit = getattr(kind, name, None)
        if limit is not None and not (name in {"min_length", "ge"} and limit in _NOTHING):
            yield f"{path}.{name}", limit
    if isinstance(kind, inspect.LiteralType):
        yield f"{path}.choices", len(kind.values)
    if isinstance(kind, inspect.ListType):
        yield from _of_type(kind.item_type, f"{path}.each")
    for member in kind.fields if isinstance(kind, inspect.StructType) else ():
        yield from _of_type(member.type, f"{path}.{member.encode_name}")
    for part in kind.types if isinstance(kind, inspect.UnionType) else ():
        yield from _of_type(part, path)


def is_approximate(facts: Facts, view: View) -> bool:
    """Return whether a number of a view is said by one place alone, or by none."""
    paths = [path for path, _ in _numbers(view, f"appearance.{view.kind}.")]
    return any(path not in facts.sources or not facts.sources[path].is_confirmed for path in paths)


def _numbers(sheet: Any, prefix: str) -> Iterator[tuple[str, float]]:
    for member in msgspec.structs.fields(sheet) if isinstance(sheet, msgspec.Struct) else dataclasses.fields(sheet):
        value, path = getattr(sheet, member.name), f"{prefix}{member.name}"
        if member.name == "media" and isinstance(value, Mapping):
            for kind, rule in value.items():
                yield from _numbers(rule, f"{path}.{kind}.")
        elif member.name == "views":
            for view in value:
                yield from _numbers(view, f"{prefix}{view.kind}.")
        elif member.name in _SHEETS and (isinstance(value, msgspec.Struct) or dataclasses.is_dataclass(value)):
            yield from _numbers(value, f"{path}.")
        elif isinstance(value, int | float) and not isinstance(value, bool) and value != member.default:
            yield path, value


def sourced() -> Iterator[tuple[str, str, Sourced]]:
    """Yield network, path and number of everything that a network limits."""
    for key, connector in CONNECTORS.items():
        if key not in _NO_NETWORKS:
            yield from ((key, path, fact) for path, fact in connector.facts.sources.items())


def old(today: date) -> list[tuple[str, str, Sourced]]:
    """Return the numbers whose newest source is older than `OLD_DAYS`, the oldest first."""
    until = today - timedelta(days=OLD_DAYS)
    return sorted((entry for entry in sourced() if entry[2].newest < until), key=lambda entry: entry[2].newest)


def render() -> str:
    """Return the page as Markdown."""
    facts = list(sourced())
    single = [fact for _, _, fact in facts if not fact.is_confirmed]
    without = {key: _without(CONNECTORS[key].facts) for key in CONNECTORS if key not in _NO_NETWORKS}
    count = sum(map(len, without.values()))
    counted = (
        f"{len(facts) - len(single)} confirmed, {len(single)} with one source, {count} limits of options with none"
    )
    parts = [_HEAD, f"{len(facts) + count} numbers: {counted}.\n"]
    for key, limits in without.items():
        rows = [_row(path, fact) for network, path, fact in facts if network == key]
        rows += [f"| 🔴 | `{path}` | {limit:,} | none yet | |" for path, limit in limits.items()]
        parts.append(
            f"## {CONNECTORS[key].facts.name}\n\n| | Fact | Value | Sources | Read again by |\n|---|---|---|---|---|"
        )
        parts += [*rows, ""]
    return "\n".join(parts)


def _without(facts: Facts) -> Mapping[str, float]:
    """Return the limits of options that have no source yet, by their paths."""
    return {path: limit for path, limit in option_numbers(facts).items() if path not in facts.sources}


def _row(path: str, fact: Sourced) -> str:
    mark = "" if fact.is_confirmed else "🔴"
    due = fact.newest + timedelta(days=OLD_DAYS)
    return f"| {mark} | `{path}` | {fact.value:,} | {'; '.join(map(_place, fact.sources))} | {due} |"


def _place(source: Source) -> str:
    where = (
        f"[{source.kind}]({source.where})" if source.where.startswith("https://") else f"{source.kind}: {source.where}"
    )
    return f"{where}, {source.on}"


if __name__ == "__main__":
    for key, path, fact in old(clock.now().date()):
        sys.stdout.write(f"{key} {path} = {fact.value:,}: newest source of {fact.newest}\n")
