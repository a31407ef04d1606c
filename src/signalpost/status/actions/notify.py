"""Tell subscribers what is new: a job for each piece of news, and a job for each webhook that receives it."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost.engine import jobs
from signalpost.kit.db import Db
from signalpost.status import views
from signalpost.status.queries import ComponentRow
from signalpost.status.schemas import Incident

MAIL_QUEUE: Final = "status.mail"
"""Mails to many people do not delay a new password."""
JOB: Final = "status.notify"
INCIDENT: Final = "status.incident"
COMPONENT: Final = "status.component"


class News(Struct, kw_only=True):
    """What to tell whom. Webhooks get `data` as it was at that time; mails name only incidents."""

    type: str
    data: dict[str, Any]
    component_ids: list[UUID]
    after: UUID | None = None
    """Subscribers up to this one have it."""


async def incident(db: Db, news: Incident, component_ids: Sequence[UUID]) -> None:
    """Tell of a new incident, or of an update."""
    await send(db, News(type=INCIDENT, data=msgspec.to_builtins(news), component_ids=list(component_ids)))


async def components(db: Db, changed: Sequence[ComponentRow]) -> None:
    """Tell webhooks of the new status of components."""
    for row in changed:
        data = msgspec.to_builtins(views.component(row))
        del data["uptime90d"]  # not read here
        await send(db, News(type=COMPONENT, data=data, component_ids=[row.id]))


async def send(db: Db, news: News) -> None:
    """Write the job that tells the next subscribers."""
    await jobs.enqueue(db, JOB, msgspec.to_builtins(news))
