"""Writing a row of history, in the transaction of the change."""

from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.audit.documents import Change
from signalpost.events import Actor
from signalpost.kit import clock, ids, log
from signalpost.kit.db import Db

INSTALLATION: Final = UUID(int=0)
"""The workspace of what concerns no workspace: the history of the installation."""
COMMAND_LINE: Final = "command line"

_INSERT: Final = """
insert into audit (id, workspace_id, at, action, actor, subject, changes, request_id, address)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
"""


class Entry(Struct, frozen=True, kw_only=True):
    """What happened. `subject`: the public id of what was changed. The request adds its id and the client's address."""

    workspace_id: UUID
    action: str
    actor: Actor
    subject: str | None = None
    changes: list[Change] | None = None


async def record(db: Db, entry: Entry) -> None:
    """Write a row; it is committed with the change or not at all."""
    await db.execute(
        _INSERT, ids.new_id(), entry.workspace_id, clock.actual(), entry.action, entry.actor, entry.subject,
        entry.changes, log.request_id.get(), log.client_address.get(),
    )  # fmt: skip


def user(user_id: UUID, name: str | None) -> Actor:
    """Return a user as the author of a change."""
    return Actor(type="user", id=ids.encode("usr", user_id), name=name)


async def command(db: Db, name: str, *, workspace_id: UUID = INSTALLATION, subject: str | None = None) -> None:
    """Write that an operator ran a command, such as "plans set"."""
    actor = Actor(type="system", id=None, name=COMMAND_LINE)
    await record(db, Entry(workspace_id=workspace_id, action=name, actor=actor, subject=subject))
