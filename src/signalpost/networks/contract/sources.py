"""Where a number of the facts was read: at the network, and at work with real accounts."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

SourceKind = Literal["documentation", "specification", "production", "ours"]
"""The network's own pages; a file that machines read, such as an OpenAPI document or a lexicon; what people saw the
network accept or refuse, or what an integrator says of it; a limit that this service sets itself."""


@dataclass(frozen=True)
class Source:
    """One place. `on`: the day on which it was written, or read where it names none."""

    kind: SourceKind
    where: str  # an address, or the name and version of a package
    on: date


@dataclass(frozen=True)
class Sourced:
    """A number with its sources. It repeats the number, so that nobody changes one without the other."""

    value: float
    sources: tuple[Source, ...]

    @property
    def is_confirmed(self) -> bool:
        """Whether two places say so, or nobody else could."""
        return len(self.sources) > 1 or any(source.kind == "ours" for source in self.sources)

    @property
    def newest(self) -> date:
        return max(source.on for source in self.sources)


def documentation(where: str, on: str) -> Source:
    return Source("documentation", where, date.fromisoformat(on))


def specification(where: str, on: str) -> Source:
    return Source("specification", where, date.fromisoformat(on))


def production(where: str, on: str) -> Source:
    return Source("production", where, date.fromisoformat(on))


def ours(why: str, on: str) -> Source:
    return Source("ours", why, date.fromisoformat(on))
