"""New users and new workspaces."""

import re
import unicodedata
from uuid import UUID

from msgspec import Struct

from signalpost import events
from signalpost.kit import clock, crypto, ids, problems
from signalpost.kit.db import Db


class Owner(Struct, frozen=True):
    """A new workspace, who owns it, and its default profile where `profiles` made one."""

    user_id: UUID
    workspace_id: UUID
    profile_id: UUID | None


_NEW_USER = """
insert into app_user (id, email, name, password_hash, timezone) values ($1, $2, $3, $4, $5)
on conflict (email_key) do nothing
returning id
"""


async def create_user(
    db: Db, *, email: str, password_hash: str, name: str | None = None, timezone: str = "UTC"
) -> UUID:
    """Write a user.

    Raises:
        AlreadyExists: the e-mail address, in whatever case, belongs to a user already.
    """
    user_id = await db.fetchval(_NEW_USER, ids.new_id(), email, name, password_hash, timezone)
    if user_id is None:
        raise problems.AlreadyExists("There is a user with this e-mail address already. Sign in instead.")
    found: UUID = user_id
    return found


_NEW_WORKSPACE = """
insert into workspace (id, name, slug, plan, timezone) values ($1, $2, $3, coalesce($4, 'free'), $5)
on conflict (slug) do nothing
returning id
"""
_NEW_OWNER = """
with joined as (
    insert into member (id, workspace_id, user_id, email, role, joined_at)
    select $1, $2, id, email, 'owner', now() from app_user where id = $3
)
update app_user set last_workspace_id = $2 where id = $3 returning coalesce(name, email)
"""


async def create_workspace(
    db: Db, *, user_id: UUID, name: str, timezone: str = "UTC", plan: str | None = None
) -> tuple[UUID, UUID | None]:
    """Write a workspace owned by the user; return its id and that of its default profile."""
    workspace_id = ids.new_id()
    slug = slug_of(name)
    tail = ids.encode("wsp", workspace_id)[-8:].lower()
    for candidate in (slug, f"{slug}-{tail}"):
        if await db.fetchval(_NEW_WORKSPACE, workspace_id, name, candidate, plan, timezone):
            break
    else:
        raise problems.AlreadyExists("There is a workspace of this name already. Choose another one.")
    owner = await db.fetchval(_NEW_OWNER, ids.new_id(), workspace_id, user_id)
    actor = {"type": "user", "id": ids.encode("usr", user_id), "name": owner}
    created = events.WorkspaceCreated(
        workspace_id=workspace_id, at=clock.now(), name=name, timezone=timezone, actor=actor
    )
    await events.emit(db, created)
    return workspace_id, next(iter(created.profile_ids), None)


def slug_of(name: str) -> str:
    """Return the name in letters, digits and single hyphens, at most 48 characters; `workspace` if nothing is left."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:48].strip("-") or "workspace"


async def create_owner(
    db: Db,
    *,
    email: str,
    password: str,
    workspace_name: str,
    plan: str | None = None,
    timezone: str = "UTC",
    name: str | None = None,
) -> Owner:
    """Write a user with a workspace of their own: the command line's way in, whatever SIGNALPOST_REGISTRATION says.

    Raises:
        AlreadyExists: the e-mail address is taken.
    """
    password_hash = await crypto.hash_password(password)
    user_id = await create_user(db, email=email, password_hash=password_hash, name=name, timezone=timezone)
    workspace_id, profile_id = await create_workspace(
        db, user_id=user_id, name=workspace_name, timezone=timezone, plan=plan
    )
    return Owner(user_id, workspace_id, profile_id)
