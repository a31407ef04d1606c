"""Who hears which event, which routes are served, which sources the engine runs."""

import importlib
import importlib.util
from collections.abc import Mapping
from typing import Any

from signalpost import events
from signalpost.accounts import subscriber as accounts
from signalpost.accounts import work as account_work
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.contract import Lease, Source
from signalpost.events import subscribe
from signalpost.identity import work as identity_work
from signalpost.identity.actions import passwords as identity_passwords
from signalpost.mail import work as mail_work
from signalpost.media import usage as media_usage
from signalpost.media import work as media_work
from signalpost.plans import subscriber as plans
from signalpost.posts import queries as post_queries
from signalpost.posts import subscriber as posts
from signalpost.posts import work as post_work
from signalpost.profiles import subscriber as profiles
from signalpost.publishing import removal
from signalpost.publishing.work import TargetSource, declare_buckets
from signalpost.web import idempotency
from signalpost.web.routing import Endpoint
from signalpost.webhooks import subscriber as webhooks
from signalpost.webhooks import work as webhook_work

ROOMS = ("identity", "plans", "profiles", "accounts", "media", "posts", "publishing", "webhooks", "status")


def connect() -> None:
    """Say who hears which event, in this order; saying it twice changes nothing."""
    subscribe(events.WorkspaceCreated, profiles.on_workspace_created)
    media_usage.counted_by(post_queries.media_usage)
    subscribe(events.ApiKeyCreated, plans.on_api_key_created)
    subscribe(events.ProfileDeleted, posts.on_profile_deleted)
    subscribe(events.AccountWithdrawn, posts.on_account_withdrawn)
    subscribe(events.AccountReady, posts.on_account_ready)
    subscribe(events.RemovalRequested, removal.on_removal_requested)
    subscribe(events.ProfileDeleted, accounts.on_profile_deleted)  # after posts, which may refuse and count theirs
    for kind in events.PUBLIC_EVENTS.values():
        subscribe(kind, webhooks.on_event)


def sources(context: AppContext) -> list[Source[Any, Any]]:
    """Return what the engine runs."""
    return [TargetSource(context), webhook_work.DeliverySource(context), _jobs(context)]


async def prepare(context: AppContext) -> None:
    """Make sure that periodic work has its row; safe in every process at every start."""
    async with context.database.transaction() as db:
        await _jobs(context).ensure_periodic(db)
        await declare_buckets(context, db)


def _jobs(context: AppContext) -> jobs.Jobs:
    work = jobs.Jobs()
    work.register(mail_work.JOB, mail_work.sender(context.settings))
    work.register(
        identity_passwords.JOB, identity_work.password_reset(context.settings, context.keys, context.base_url)
    )
    work.register(identity_work.PURGE_JOB, identity_work.purge, every_seconds=identity_work.PURGE_SECONDS)
    work.register("web.purge", _purge_idempotency, every_seconds=3_600)
    work.register("media.sweep", media_work.sweeper(context), every_seconds=media_work.EVERY_SECONDS)
    account_work.register(work, context)
    work.register(removal.JOB, removal.remover(context))
    purge = webhook_work.purger(context)
    work.register(webhook_work.PURGE_JOB, purge, every_seconds=webhook_work.PURGE_EVERY_SECONDS)
    work.register(post_work.JOB, post_work.purge, every_seconds=post_work.EVERY_SECONDS)
    return work


async def _purge_idempotency(lease: Lease, _payload: Mapping[str, Any]) -> None:
    async with lease.transaction() as db:
        await idempotency.purge(db)


def endpoints() -> list[Endpoint]:
    """Return every operation of the service, in the order of the reference."""
    found: list[Endpoint] = []
    for room in ROOMS:
        name = f"signalpost.{room}.routes"
        if importlib.util.find_spec(f"signalpost.{room}") and importlib.util.find_spec(name):
            module: Any = importlib.import_module(name)
            found += module.routes
    return found
