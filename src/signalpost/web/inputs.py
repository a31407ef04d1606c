"""What a route asks for by type: one of the caller's rows, a path segment, the expected version.

A path parameter of a typed id (`delivery_id: DeliveryId`) needs no marker.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar
from uuid import UUID

from msgspec import Struct

from signalpost.context import AppContext
from signalpost.kit import ids, problems
from signalpost.kit.db import Db
from signalpost.kit.ids import Id
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId

Row = TypeVar("Row")


class Mine(Struct, Generic[Row], frozen=True):
    """`Annotated[Row, Mine(PostId, find)]`: the row named in the path if the caller may see it, else 404.

    `find(db, caller, id)` returns the row or None; it filters by workspace, by the profiles of the caller and by mode.
    `param` is the path parameter, by default the only one of the route.
    """

    id: type[Id]
    find: Callable[[Db, Caller, UUID], Awaitable[Row | None]]
    param: str | None = None
    why_absent: Callable[[Db, Caller, UUID], Awaitable[str | None]] | None = None
    """Says, of a row that `find` did not return, what the caller may know of it, such as that it is in the trash."""


class Segment(Struct, frozen=True):
    """`Annotated[str, Segment("platform", "The network.", "bluesky")]`: text in the path, at most 200 characters."""

    param: str
    description: str
    example: str


class Before(Struct, frozen=True):
    """`Annotated[Result | None, Before(needed, run)]`: the result of `run`, which runs before the transaction opens.

    For a body that needs a call to another server first. `needed(data)` is cheap and says whether this one does; if
    not, the argument is None. A repeated request whose Idempotency-Key has a stored response does not run it again.
    """

    needed: Callable[[Any], bool]
    run: Callable[[AppContext, Any, Any], Awaitable[Any]]
    """(context, caller, data); the caller is a `Caller`, on a public route None."""


class IfMatch(frozenset[int]):
    """The versions in `If-Match`; none if the header is absent. Compare with `.allows(version)`."""

    def allows(self, version: int) -> bool:
        """Whether the caller read the row at this version, or does not mind."""
        return not self or version in self

    def require(self, version: int) -> None:
        """Ensure that the caller read the row, which has this version now, at this version, or does not mind.

        Raises:
            VersionConflict: it was changed since.
        """
        if not self.allows(version):
            raise problems.VersionConflict(f"It has version {version} now. Read it again.")


ANY_VERSION = IfMatch()


def deleted_meanwhile(kind: type[Id], row_id: UUID) -> problems.NotFound:
    """Return the problem of a row that was there when the request began."""
    return problems.NotFound(f"The {kind.noun} {ids.encode(kind.prefix, row_id)} was deleted meanwhile.")


async def require_profile(context: AppContext, db: Db, caller: Caller, profile_id: UUID | None) -> None:
    """Ensure that the caller sees the profile by which a list is filtered; None: no filter.

    Call it when the list came back empty: a row of a profile proves that there is one.

    Raises:
        NotFound: the profile is unknown or belongs to someone else.
    """
    if profile_id is None:
        return
    if caller.may_see_profile(profile_id) and await context.hooks.profile_exists(db, caller.workspace_id, profile_id):
        return
    raise problems.NotFound(errors=[ProfileId.not_found("profileId")])
