"""The connections between rooms: hooks, subscribers, routes, and the sources and jobs that the engine runs."""

from datetime import datetime
from typing import Any

from signalpost import events
from signalpost.accounts import actions as account_actions
from signalpost.accounts import notices as account_notices
from signalpost.accounts import routes as account_routes
from signalpost.accounts import secrets as account_secrets
from signalpost.accounts import subscriber as accounts
from signalpost.accounts import work as account_work
from signalpost.accounts.actions import network_apps
from signalpost.admin import routes as admin_routes
from signalpost.analytics import routes as analytics_routes
from signalpost.analytics import work as analytics_work
from signalpost.analytics.actions import timing
from signalpost.api_keys import routes as api_key_routes
from signalpost.audit import routes as audit_routes
from signalpost.audit import work as audit_work
from signalpost.billing import routes as billing_routes
from signalpost.billing import work as billing_work
from signalpost.captions import routes as caption_routes
from signalpost.console import connect as connect_pages
from signalpost.console import status_page
from signalpost.context import AppContext, Hooks
from signalpost.engine import jobs
from signalpost.engine.contract import Source
from signalpost.engine.engine import Engine
from signalpost.flags import routes as flag_routes
from signalpost.health import routes as health_routes
from signalpost.identity import routes as identity_routes
from signalpost.identity import work as identity_work
from signalpost.identity.actions import second_factor
from signalpost.identity.queries import tenant_sql
from signalpost.invites import actions as invite_actions
from signalpost.invites import routes as invite_routes
from signalpost.kit.crypto import SealedColumn
from signalpost.kit.db import Db
from signalpost.mail import actions as mail_actions
from signalpost.mail import work as mail_work
from signalpost.media import queries as media_queries
from signalpost.media import routes as media_routes
from signalpost.media import work as media_work
from signalpost.messenger import queries as messenger_queries
from signalpost.messenger import routes as messenger_routes
from signalpost.messenger import subscriber as messenger
from signalpost.messenger import work as messenger_work
from signalpost.messenger.actions import send as replies
from signalpost.oidc import routes as oidc_routes
from signalpost.plans import routes as plan_routes
from signalpost.plans import work as plan_work
from signalpost.posts import queries as post_queries
from signalpost.posts import routes as post_routes
from signalpost.posts import subscriber as posts
from signalpost.posts import work as post_work
from signalpost.posts.actions import recovery
from signalpost.profiles import actions as profile_actions
from signalpost.profiles import queries as profile_queries
from signalpost.profiles import routes as profile_routes
from signalpost.profiles import subscriber as profiles
from signalpost.publishing import routes as publishing_routes
from signalpost.publishing import subscriber as publishing
from signalpost.publishing import work as publishing_work
from signalpost.request_log import routes as request_log_routes
from signalpost.request_log import work as request_log_work
from signalpost.sandbox_clock import routes as sandbox_clock_routes
from signalpost.sandbox_clock import work as sandbox_clock_work
from signalpost.scheduling import routes as scheduling_routes
from signalpost.status import routes as status_routes
from signalpost.status import work as status_work
from signalpost.stream import routes as stream_routes
from signalpost.support import routes as support_routes
from signalpost.support import work as support_work
from signalpost.team import routes as team_routes
from signalpost.team import subscriber as team
from signalpost.team import work as team_work
from signalpost.web import idempotency
from signalpost.web.routing import Endpoint, Routes
from signalpost.webhooks import notices, signing
from signalpost.webhooks import routes as webhook_routes
from signalpost.webhooks import subscriber as webhooks
from signalpost.webhooks import work as webhook_work
from signalpost.webhooks.actions.deliveries import LISTENING
from signalpost.workspaces import routes as workspace_routes
from signalpost.workspaces import work as workspace_work

ROUTES: tuple[Routes, ...] = (
    identity_routes.routes,
    api_key_routes.routes,
    oidc_routes.routes,
    workspace_routes.routes,
    team_routes.routes,
    audit_routes.routes,
    request_log_routes.routes,
    stream_routes.routes,
    plan_routes.routes,
    flag_routes.routes,
    profile_routes.routes,
    account_routes.routes,
    invite_routes.routes,
    media_routes.routes,
    scheduling_routes.routes,
    post_routes.routes,
    caption_routes.routes,
    publishing_routes.routes,
    sandbox_clock_routes.routes,
    webhook_routes.routes,
    analytics_routes.routes,
    billing_routes.routes,
    messenger_routes.routes,
    status_routes.routes,
    support_routes.routes,
    admin_routes.routes,
    health_routes.routes,
)
"""Every operation of the service, in the order of the reference."""

SEALED: tuple[SealedColumn, ...] = (
    *signing.SEALED,
    notices.SUBSCRIBERS_SEALED,
    account_secrets.SEALED,
    network_apps.SEALED,
    second_factor.SEALED,
    mail_actions.SEALED,
    *messenger_queries.SEALED,
)
"""What is stored for longer than a day and can be opened only with the master key."""

JOBS = (
    mail_work.jobs,
    audit_work.jobs,
    request_log_work.jobs,
    plan_work.jobs,
    identity_work.jobs,
    team_work.jobs,
    idempotency.jobs,
    media_work.jobs,
    account_work.jobs,
    account_notices.jobs,
    post_work.jobs,
    publishing_work.jobs,
    sandbox_clock_work.jobs,
    webhook_work.jobs,
    status_work.jobs,
    support_work.jobs,
    analytics_work.jobs,
    billing_work.jobs,
    messenger_work.jobs,
    workspace_work.jobs,
)


def hooks() -> Hooks:
    """Return the answers of higher rooms to the questions of lower ones."""
    return Hooks(
        create_default_profile=profile_actions.create_default,
        profile_exists=profile_queries.profile_exists,
        media_exists=media_queries.media_exists,
        count_media_uses=post_queries.media_uses,
        trash_profile_posts=posts.trash_profile_posts,
        disconnect_profile_accounts=account_actions.disconnect_profile,
        fail_waiting_targets=posts.fail_waiting_targets,
        require_open_invite=invite_actions.require_open_invite,
        record_invited_account=invite_actions.record_invited_account,
        render_page=connect_pages.render_page,
        prepare_webhook=notices.prepare_webhook,
        send_status_notice=notices.send_status_notice,
        publish_status_page=status_page.publish,
        best_hours=timing.best_hours,
    )


def subscribe(context: AppContext) -> None:
    """Subscribe each room to the events that it acts upon; within an event, in this order."""
    for on_plan_changed in (
        team.on_plan_changed,
        profiles.on_plan_changed,
        accounts.on_plan_changed,
        webhooks.on_plan_changed,
        posts.on_plan_changed,  # last: it looks at what the others decided
    ):
        context.subscribe(events.PlanChanged, on_plan_changed)
    context.subscribe(events.AccountReady, posts.on_account_ready)
    context.subscribe(events.PostSettled, posts.on_posts_settled)
    context.subscribe(events.PostSettled, messenger.on_posts_settled)
    context.subscribe(events.RemovalRequested, publishing.on_removal_requested)
    for kind in events.PUBLIC_EVENTS.values():
        context.subscribe(kind, webhooks.on_events, when=LISTENING)


def engine(context: AppContext) -> Engine:
    """Return the engine with all that it runs."""
    return Engine(
        context.database, sources(context), tenant_sql=tenant_sql, after_failover=_after_failover,
        position_folder=context.settings.data_dir / "engine",
    )  # fmt: skip


async def _after_failover(db: Db, since: datetime) -> int:
    """Have looked up what the old primary's workers may have sent since a time and the database does not know of."""
    await replies.doubt_what_waits(db, since)
    return await recovery.look_up_what_is_due(db, since)


def sources(context: AppContext) -> list[Source[Any, Any]]:
    """Return what the engine runs."""
    return [publishing_work.TargetSource(context), webhook_work.DeliverySource(context), _jobs(context)]


async def prepare(context: AppContext) -> None:
    """Write the rows that the engine needs: periodic jobs, rate buckets. Safe in every process at every start."""
    async with context.database.transaction() as db:
        await _jobs(context).ensure_periodic(db)
        await publishing_work.declare_buckets(context, db)


def _jobs(context: AppContext) -> jobs.Jobs:
    registry = jobs.Jobs()
    for room_jobs in JOBS:
        for job in room_jobs(context):
            registry.register(*job)
    return registry


def endpoints() -> list[Endpoint]:
    """Return every operation of the service, in the order of the reference."""
    return [endpoint for routes in ROUTES for endpoint in routes]
