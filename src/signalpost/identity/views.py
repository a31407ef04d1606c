"""Reads that put several rows into one answer."""

from signalpost.identity import queries, roles
from signalpost.identity.queries import KeyRow
from signalpost.identity.schemas import Authentication, Me
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.settings import Settings
from signalpost.web.caller import Caller
from signalpost.web.paging import Page


async def me(db: Db, caller: Caller, settings: Settings) -> Me:
    """Return who is calling."""
    user = await queries.read_user(db, caller.user_id)
    workspace = await queries.find_my_workspace(db, caller, caller.workspace_id)
    if workspace is None:  # left or deleted within this very second
        raise problems.Unauthenticated
    visible = caller.sees_profiles
    return Me(
        user.shown(),
        workspace.summary(settings),
        caller.role,
        None if visible is None else [ids.encode("prof", profile_id) for profile_id in sorted(visible)],
        Authentication(
            caller.auth,
            ids.encode("key", caller.key_id) if caller.key_id else None,
            caller.mode,
            sorted(caller.scopes),
            clock.wire_or_none(await queries.credential_ends(db, caller)),
        ),
    )


async def keys(db: Db, caller: Caller, page: Page) -> list[KeyRow]:
    """Return the API keys the caller may see.

    Raises:
        Forbidden: the role has none.
    """
    if not roles.may_have_api_keys(caller.role):
        raise problems.Forbidden(f"The role {caller.role} has no API keys.")
    return await queries.keys_page(db, caller, page)
