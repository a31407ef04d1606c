"""What the invited person does with an invitation. Its token stands for the right to; nobody has to be signed in."""

from uuid import UUID

from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.events import Actor
from signalpost.identity import members, passwords, queries, tokens
from signalpost.identity import views as identity_views
from signalpost.identity.actions import sign_in, sign_up
from signalpost.identity.authenticate import authenticator
from signalpost.identity.errors import InviteExpired, InviteRevoked, InviteUsed, RegistrationClosed
from signalpost.identity.members import InviteRow, MemberRow
from signalpost.kit import ids, problems
from signalpost.kit.db import Db
from signalpost.team import actions, views
from signalpost.team.schemas import AcceptedInvite, InviteAccept
from signalpost.web.caller import Caller

PASSWORD_CHARACTERS_MIN = 10


async def find_open(context: AppContext, db: Db, token: str) -> tuple[InviteRow, bool]:
    """Return the invitation of a token, and whether the token was mailed, which proves the mailbox.

    Raises:
        NotFound: the token is not one of ours, or the invitation ended long ago.
        InviteUsed, InviteExpired, InviteRevoked: the invitation has ended.
    """
    member_id, mailed = tokens.read_invite_token(context.keys, token)
    row = await members.find_invite(db, member_id) if member_id else None
    if row is None:
        raise problems.NotFound(
            "No invitation has this link.", remediation="Check that the whole link was copied, or ask for another."
        )
    if row.status in ("active", "suspended"):
        raise InviteUsed("This invitation was accepted.")
    if row.status == "expired":
        raise InviteExpired("This invitation has expired.")
    if row.status != "invited" or row.workspace_deleted:
        raise InviteRevoked("This invitation was taken back or declined.")
    return row, mailed


async def accept(
    context: AppContext,
    token: str,
    data: InviteAccept,
    *,
    bearer: str | None,
    address: str,
    locale: str | None = None,
) -> AcceptedInvite:
    """Join the workspace: as the user of the bearer, else as the one with the invited address, or as a new one.

    `locale`: in which language the invitation was shown, which is that of a new user.

    Raises:
        NotFound, InviteUsed, InviteExpired, InviteRevoked: see `find_open`.
        Forbidden: the bearer is an API key, or of a user with another address.
        InvalidCredentials, SecondFactorRequired, LoginThrottled: password or code of the user with this address is
            wrong.
        ValidationFailed: the password of a new user is missing or too short.
        RegistrationClosed: this instance takes no new users.
        AlreadyExists: the user is a member of the workspace by now.
    """
    async with context.database.connection() as db:
        invite, _ = await find_open(context, db, token)
    caller = await _signed_in(context, invite, bearer, address) if bearer else None
    proved = None if caller else await sign_in.find_user(context, invite.email, data.password, data.code, address)
    user_id = caller.user_id if caller else proved[0] if proved else None
    password_hash = None if user_id else await _new_password(context, data)
    async with context.database.transaction() as db:
        await members.lock(db, invite.workspace_id)
        invite, mailed = await find_open(context, db, token)
        if proved is not None:
            await sign_in.require_unchanged(context, db, *proved)
        if user_id is None:
            user_id = await sign_up.create_user(
                db, email=invite.email, password_hash=password_hash, name=data.name, locale=locale
            )
        return await _join(context, db, invite, user_id, mailed=mailed, sign_in_from=None if caller else address)


async def _join(
    context: AppContext, db: Db, invite: InviteRow, user_id: UUID, *, mailed: bool, sign_in_from: str | None
) -> AcceptedInvite:
    row = await join(context, db, invite, user_id, mailed=mailed)
    workspace = await queries.find_workspace_of(db, user_id, invite.workspace_id)
    assert workspace is not None  # noqa: S101 - joined above
    session = None
    if sign_in_from is not None:
        session = await sign_in.open_session(db, context.keys, user_id, invite.workspace_id, invite.role, sign_in_from)
    return AcceptedInvite(
        member=views.member(None, row),
        workspace=identity_views.workspace_summary(context.settings, workspace),
        access_token=session.access_token if session else None,
        refresh_token=session.refresh_token if session else None,
        expires_in=session.expires_in if session else None,
    )


async def join(context: AppContext, db: Db, invite: InviteRow, user_id: UUID, *, mailed: bool) -> MemberRow:
    """Make an open invitation a membership of this user; the caller has the lock of the team.

    Raises:
        AlreadyExists: the user is a member of the workspace already.
    """
    if await members.find_of_user(db, invite.workspace_id, user_id):
        raise problems.AlreadyExists("You are a member of this workspace already.")
    await members.join(context, db, invite.id, user_id, email_verified=mailed)
    await actions.fit(context, db, invite.workspace_id)  # the plan may be smaller than when the invitation was sent
    row = await members.find_of_user(db, invite.workspace_id, user_id)
    assert row is not None  # noqa: S101 - joined above
    await _record(db, invite, "accept_team_invite", audit.user(user_id, row.name or row.email))
    return row


async def decline(context: AppContext, db: Db, token: str) -> None:
    """End the invitation.

    Raises:
        NotFound, InviteUsed, InviteExpired, InviteRevoked: see `find_open`.
    """
    invite, _ = await find_open(context, db, token)
    await members.lock(db, invite.workspace_id)
    invite, _ = await find_open(context, db, token)
    await members.decline(db, invite)
    await _record(db, invite, "decline_team_invite", Actor(type="system", id=None, name=invite.email))


async def _signed_in(context: AppContext, invite: InviteRow, bearer: str, address: str) -> Caller:
    caller = await authenticator(context)(bearer, None, address)
    if caller.auth != "session":
        raise problems.Forbidden(
            "An API key cannot accept an invitation.", remediation="Send an access token of `POST /auth/login`."
        )
    async with context.database.connection() as db:
        user = await queries.read_user(db, caller.user_id)
    if user.email.lower() != invite.email.lower():
        raise problems.Forbidden(
            "The invitation is for another e-mail address than yours.",
            remediation="Sign in with the invited address, or ask for an invitation to yours.",
        )
    return caller


async def _new_password(context: AppContext, data: InviteAccept) -> str:
    if context.settings.registration == "closed":
        raise RegistrationClosed("This instance registers nobody: SIGNALPOST_REGISTRATION is closed.")
    if data.password is None:
        raise problems.invalid("/password", "required", "Choose a password, or send an access token.")
    if len(data.password) < PASSWORD_CHARACTERS_MIN:
        raise problems.invalid(
            "/password", "too_short", f"Must have at least {PASSWORD_CHARACTERS_MIN} characters.",
            min=PASSWORD_CHARACTERS_MIN,
        )  # fmt: skip
    return await passwords.hash_new(data.password)


async def _record(db: Db, invite: InviteRow, action: str, actor: Actor) -> None:
    entry = audit.Entry(
        workspace_id=invite.workspace_id, action=action, actor=actor, subject=ids.encode("mem", invite.id)
    )
    await audit.record(db, entry)
