"""The rooms of the service, and what they are together: operations, hooks, subscriptions, what the engine runs."""

import dataclasses
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

import signalpost.accounts.room
import signalpost.admin.room
import signalpost.analytics.room
import signalpost.api_keys.room
import signalpost.approval_links.room
import signalpost.apps.room
import signalpost.audit.room
import signalpost.billing.room
import signalpost.calendar_links.room
import signalpost.captions.room
import signalpost.comments.room
import signalpost.console.room
import signalpost.discussion.room
import signalpost.feeds.room
import signalpost.flags.room
import signalpost.health.room
import signalpost.identity.room
import signalpost.invites.room
import signalpost.link_pages.room
import signalpost.mail.room
import signalpost.mcp.room
import signalpost.media.room
import signalpost.messenger.room
import signalpost.oidc.room
import signalpost.plans.room
import signalpost.posts.room
import signalpost.profiles.room
import signalpost.publishing.room
import signalpost.push.room
import signalpost.report_links.room
import signalpost.request_log.room
import signalpost.sandbox_clock.room
import signalpost.scheduling.room
import signalpost.snippets.room
import signalpost.status.room
import signalpost.stream.room
import signalpost.support.room
import signalpost.team.room
import signalpost.web.room
import signalpost.webhooks.room
import signalpost.workspaces.room
from signalpost.context import AppContext, Hooks
from signalpost.engine import jobs
from signalpost.engine.contract import Source
from signalpost.engine.engine import Engine
from signalpost.identity.queries import tenant_sql
from signalpost.kit.db import Db
from signalpost.kit.settings_loader import BadSettings
from signalpost.room import Room
from signalpost.settings import Settings
from signalpost.web.routing import Endpoint

ROOMS: Final[tuple[Room, ...]] = (
    signalpost.identity.room.ROOM,
    signalpost.push.room.ROOM,
    signalpost.api_keys.room.ROOM,
    signalpost.oidc.room.ROOM,
    signalpost.workspaces.room.ROOM,
    signalpost.team.room.ROOM,
    signalpost.audit.room.ROOM,
    signalpost.request_log.room.ROOM,
    signalpost.stream.room.ROOM,
    signalpost.plans.room.ROOM,
    signalpost.flags.room.ROOM,
    signalpost.profiles.room.ROOM,
    signalpost.accounts.room.ROOM,
    signalpost.invites.room.ROOM,
    signalpost.media.room.ROOM,
    signalpost.scheduling.room.ROOM,
    signalpost.posts.room.ROOM,
    signalpost.discussion.room.ROOM,
    signalpost.approval_links.room.ROOM,
    signalpost.calendar_links.room.ROOM,
    signalpost.report_links.room.ROOM,
    signalpost.link_pages.room.ROOM,
    signalpost.snippets.room.ROOM,
    signalpost.feeds.room.ROOM,
    signalpost.comments.room.ROOM,
    signalpost.apps.room.ROOM,
    signalpost.captions.room.ROOM,
    signalpost.publishing.room.ROOM,
    signalpost.sandbox_clock.room.ROOM,
    signalpost.webhooks.room.ROOM,
    signalpost.analytics.room.ROOM,
    signalpost.billing.room.ROOM,
    signalpost.messenger.room.ROOM,
    signalpost.status.room.ROOM,
    signalpost.support.room.ROOM,
    signalpost.admin.room.ROOM,
    signalpost.health.room.ROOM,
    signalpost.console.room.ROOM,
    signalpost.mcp.room.ROOM,
    signalpost.web.room.ROOM,
    signalpost.mail.room.ROOM,
    Room(name="engine", tables=("engine_hold", "engine_timeline", "job", "lane", "rate_bucket", "worker")),
    Room(name="main", tables=("instance",)),
    Room(name="migrations", tables=("schema_migration",)),
)
"""Every room, in the order of the reference. They subscribe in it too: `posts` after those whose changes it reads."""

EXTENSIONS: Final = frozenset(room.name for room in ROOMS if room.kind == "extension")
SEALED: Final = tuple(column for room in ROOMS for column in room.sealed)
"""What is stored for longer than a day and can be opened only with the master key, by rooms that are off too."""


def rooms(settings: Settings) -> tuple[Room, ...]:
    """Return the rooms that are on.

    Raises:
        BadSettings: SIGNALPOST_EXTENSIONS_OFF names something else than an extension.
    """
    if unknown := sorted({*settings.extensions_off} - EXTENSIONS):
        raise BadSettings([
            f"SIGNALPOST_EXTENSIONS_OFF: {unknown[0]!r} is no extension; these are: {', '.join(sorted(EXTENSIONS))}"
        ])  # fmt: skip
    return tuple(room for room in ROOMS if room.name not in settings.extensions_off)


def hooks(of: Sequence[Room] = ROOMS) -> Hooks:
    """Return the answers of higher rooms to the questions of lower ones."""
    open_questions = Hooks()
    answers = {
        hook.name: answer
        for room in of
        for hook in dataclasses.fields(Hooks)
        if (answer := getattr(room.hooks, hook.name)) is not getattr(open_questions, hook.name)
    }
    return Hooks(**answers)


def subscribe(context: AppContext) -> None:
    """Subscribe each room to the events that it acts upon; within an event, in the order of the rooms."""
    for room in rooms(context.settings):
        room.subscribe(context)


def engine(context: AppContext) -> Engine:
    """Return the engine with all that it runs."""
    return Engine(
        context.database, sources(context), tenant_sql=tenant_sql,
        after_failover=partial(_after_failover, rooms(context.settings)),
        position_folder=context.settings.data_dir / "engine",
    )  # fmt: skip


async def _after_failover(on: Sequence[Room], db: Db, since: datetime) -> int:
    """Have looked up what the old primary's workers may have sent since a time and the database does not know of."""
    return sum([await room.after_failover(db, since) or 0 for room in on if room.after_failover])


def sources(context: AppContext) -> list[Source[Any, Any]]:
    """Return what the engine runs. A job that an extension left behind when it was switched off ends as any other."""
    others = (source(context) for room in rooms(context.settings) for source in room.sources)
    return [*others, job_registry(context)]


async def prepare(context: AppContext) -> None:
    """Write the rows that the engine needs: periodic jobs, rate buckets. Safe in every process at every start."""
    on = rooms(context.settings)
    async with context.database.transaction() as db:
        await job_registry(context, on).ensure_periodic(db)
        for room in on:
            if room.prepare:
                await room.prepare(context, db)


def job_registry(context: AppContext, of: Sequence[Room] = ROOMS) -> jobs.Jobs:
    """Return the source of all jobs of these rooms."""
    registry = jobs.Jobs()
    for kind in job_kinds(context, of):
        registry.register(*kind)
    return registry


def job_kinds(context: AppContext, of: Sequence[Room] = ROOMS) -> list[jobs.JobKind]:
    """Return every kind of job of these rooms."""
    return [kind for room in of for room_jobs in room.jobs for kind in room_jobs(context)]


def endpoints(of: Sequence[Room] = ROOMS) -> list[Endpoint]:
    """Return every operation of the service, in the order of the reference."""
    return [endpoint for room in of for endpoint in room.routes]
