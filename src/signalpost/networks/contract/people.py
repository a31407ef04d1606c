"""People of a network, found by the first letters of their names, so that a post can mention them."""

from typing import Final

import msgspec
from msgspec import Struct

from signalpost.kit import foreign
from signalpost.kit.http import BadResponse

NAME_MAX: Final = 200
PEOPLE_MAX: Final = 20
"""People that a connector returns at once: as many as a person looks through while typing."""


class Person(Struct, frozen=True, kw_only=True):
    """A person whom a post can mention."""

    handle: str  # without @, as a post of this network names them: with a server, where there are several
    name: str

    def __post_init__(self) -> None:
        """Clean the values.

        Raises:
            BadResponse: it has no handle that a post could have.
        """
        if foreign.identifier(self.handle, NAME_MAX) is None or any(mark in self.handle for mark in (" ", "\u202e")):
            raise BadResponse("a person has a handle that no post can have")
        msgspec.structs.force_setattr(self, "name", foreign.line(self.name, NAME_MAX) or self.handle)
