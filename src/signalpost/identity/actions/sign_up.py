"""New users and new workspaces."""

from collections.abc import Sequence
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost import mail
from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.identity import passwords, people, queries, views
from signalpost.identity.actions.sign_in import open_session, record_in_workspaces
from signalpost.identity.actions.workspaces import may_redirect_to
from signalpost.identity.errors import FreeWorkspacesReached, RegistrationClosed
from signalpost.identity.schemas import Registration, UserRegister
from signalpost.kit import ids, problems, zones
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.kit.slugs import slugify
from signalpost.web import validation

"""How many workspaces one user may own."""


class NewWorkspace(Struct, frozen=True, kw_only=True):
    """A new workspace, its owner, and its default profile."""

    user_id: UUID
    workspace_id: UUID
    profile_id: UUID


async def register(context: AppContext, data: UserRegister, address: str, *, locale: str | None = None) -> Registration:
    """Create a user, their workspace and a session. `locale`: in which language the form was shown.

    Raises:
        RegistrationClosed: SIGNALPOST_REGISTRATION is not `open`; nothing else is checked.
        AlreadyExists: the e-mail address is taken.
    """
    if context.settings.registration != "open":
        raise RegistrationClosed(
            f"This instance registers nobody by itself: SIGNALPOST_REGISTRATION is {context.settings.registration}."
        )
    if data.timezone is not None:
        validate_time_zone(data.timezone)
    password_hash = await passwords.hash_new(data.password)
    workspace_name = data.workspace_name or f"{data.name or data.email.partition('@')[0]}'s workspace"[:100]
    async with context.database.transaction() as db:
        user_id = await create_user(
            db,
            email=data.email,
            password_hash=password_hash,
            name=data.name,
            timezone=data.timezone,
            locale=locale,
        )
        workspace_id, profile_id = await create_workspace(
            context, db, user_id=user_id, name=workspace_name, timezone=data.timezone
        )
        session = await open_session(db, context.keys, user_id, workspace_id, "owner", address)
        await record_in_workspaces(db, user_id, "register")
        user = await queries.read_user(db, user_id)
        [workspace] = await queries.workspaces_of(db, user_id)
        if context.settings.smtp_url:
            values = {"workspace": workspace_name, "email": data.email, "link": context.fixed_url}
            message = mail.Message(to=data.email, template="welcome", values=values)
            await mail.enqueue(db, message)
    return Registration(
        user=views.user(user),
        workspace=views.workspace_summary(context.settings, workspace),
        profile_id=ids.encode("prof", profile_id),
        access_token=session.access_token,
        refresh_token=session.refresh_token,
        expires_in=session.expires_in,
    )


_INSERT_USER = """
insert into app_user (id, email, name, password_hash, timezone, locale) values ($1, $2, $3, $4, $5, coalesce($6, 'en'))
on conflict (email_key) do nothing
returning id
"""


async def create_user(
    db: Db,
    *,
    email: str,
    password_hash: str | None,
    name: str | None = None,
    timezone: str | None = None,
    locale: str | None = None,
) -> UUID:
    """Write a user; without a password hash, nobody can sign in as this user.

    Raises:
        AlreadyExists: the e-mail address, in any case, belongs to a user already.
    """
    values = (ids.new_id(), email, name, password_hash, timezone or "UTC", locale)
    user_id: UUID | None = await db.fetchval(_INSERT_USER, *values)
    if user_id is None:
        raise problems.AlreadyExists(
            "A user with this e-mail address already exists.",
            errors=[Issue("/email", "not_unique", "A user with this e-mail address already exists.")],
            remediation="Sign in with `POST /auth/login`, or register with another address.",
        )
    return user_id


_INSERT_WORKSPACE = """
insert into workspace (id, name, slug, plan, timezone, zone_chosen, redirect_urls)
values ($1, $2, $3, coalesce($4, 'free'), coalesce($5, 'UTC'), $5 is not null, $6)
on conflict (slug) do nothing
returning true
"""
_INSERT_OWNER = """
with joined as (
    insert into member (id, workspace_id, user_id, email, role, joined_at)
    select $1, $2, id, email, 'owner', now() from app_user where id = $3
)
update app_user set last_workspace_id = $2 where id = $3
"""


async def create_workspace(
    context: AppContext, db: Db, *, user_id: UUID, name: str, timezone: str | None = None, plan: str | None = None
) -> tuple[UUID, UUID]:
    """Write a workspace owned by the user; return its id and that of its default profile.

    Without a time zone it has UTC, which counts as chosen by nobody.
    """
    workspace_id = ids.new_id()
    await write_workspace(db, workspace_id, user_id=user_id, name=name, timezone=timezone, plan=plan)
    return workspace_id, await context.hooks.create_default_profile(db, workspace_id, name=name, timezone=timezone)


async def write_workspace(
    db: Db,
    workspace_id: UUID,
    *,
    user_id: UUID,
    name: str,
    timezone: str | None = None,
    plan: str | None = None,
    redirect_urls: Sequence[str] = (),
) -> None:
    """Write a workspace owned by the user, without a profile."""
    slug = slugify(name, length_max=48, default="workspace")
    urls = [url for url in redirect_urls if may_redirect_to(url)]
    if not await db.fetchval(_INSERT_WORKSPACE, workspace_id, name, slug, plan, timezone, urls):
        unique = f"{slug}-{workspace_id.hex[-12:]}"  # the random end of the id
        await db.execute(_INSERT_WORKSPACE, workspace_id, name, unique, plan, timezone, urls)
    await people.require_person(db, user_id)
    await db.execute(_INSERT_OWNER, ids.new_id(), workspace_id, user_id)
    entry = audit.Entry(
        workspace_id=workspace_id,
        action="create_workspace",
        actor=audit.user(user_id, None),
        subject=ids.encode("wsp", workspace_id),
    )
    await audit.record(db, entry)


async def require_free_place(context: AppContext, db: Db, user_id: UUID) -> None:
    """Ensure that a user may own one more workspace with the free plan.

    Raises:
        FreeWorkspacesReached: no; only where plans are sold.
    """
    most = context.settings.free_workspaces_per_owner
    if context.settings.billing_enabled and (count := await queries.count_free_owned(db, user_id)) >= most:
        raise FreeWorkspacesReached(
            f"One user can own {most} workspaces with the plan free here, and has {count}.", limit=most, used=count
        )


async def create_owner(
    context: AppContext,
    db: Db,
    *,
    email: str,
    password: str,
    workspace_name: str,
    plan: str | None = None,
    timezone: str | None = None,
    name: str | None = None,
) -> NewWorkspace:
    """Write a user with a workspace of their own: for the command line, whatever SIGNALPOST_REGISTRATION says.

    Raises:
        ValidationFailed: the e-mail address, password, name or time zone is invalid.
        AlreadyExists: the e-mail address is taken.
    """
    validate_owner(email, password, workspace_name, timezone)
    password_hash = await passwords.hash_new(password)
    user_id = await create_user(db, email=email, password_hash=password_hash, name=name, timezone=timezone)
    workspace_id, profile_id = await create_workspace(
        context, db, user_id=user_id, name=workspace_name, timezone=timezone, plan=plan
    )
    return NewWorkspace(user_id=user_id, workspace_id=workspace_id, profile_id=profile_id)


_REGISTER = msgspec.json.Decoder(UserRegister)


def validate_owner(email: str, password: str, workspace_name: str, timezone: str | None = None) -> None:
    """Apply the rules of the API to what comes from elsewhere.

    Raises:
        ValidationFailed: with all issues.
    """
    try:
        body = msgspec.json.encode(
            {"email": email, "password": password, "workspaceName": workspace_name, "timezone": timezone}
        )
    except UnicodeEncodeError:
        raise problems.invalid("", "format", "Not valid Unicode text: a character is broken.") from None
    validation.decode_body(_REGISTER, body)
    if timezone is not None:
        validate_time_zone(timezone)


def validate_time_zone(name: str) -> None:
    """Verify that it is an IANA time zone.

    Raises:
        ValidationFailed: it is not.
    """
    if zones.zone(name) is None:
        raise problems.ValidationFailed(errors=[zones.unknown("/timezone", name)])
