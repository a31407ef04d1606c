"""The question to a person who is known to the provider, and not yet enough to us."""

from typing import Final, Literal
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from msgspec import Struct

from signalpost.context import AppContext
from signalpost.identity import members
from signalpost.identity import queries as identity_queries
from signalpost.identity.actions import second_factor, sign_in, sign_up
from signalpost.identity.errors import RegistrationClosed, password_help
from signalpost.identity.members import InviteRow
from signalpost.kit.db import Db
from signalpost.oidc import flow
from signalpost.oidc.errors import SignInRefused
from signalpost.oidc.flow import Grant, Pending, Person, SignedIn
from signalpost.team import invites

_STALE: Final = "This sign-in took more than ten minutes, or was begun in another browser."
_FORGET_FORMER: Final = "delete from user_identity where issuer = $1 and user_id = $2"
"""Of a person whom the provider has created again."""
_LINK: Final = """
insert into user_identity (issuer, subject, user_id, email) values ($1, $2, $3, $4)
on conflict (issuer, subject) do nothing
returning true
"""


class Question(Struct, frozen=True):
    """What to ask: the code of a second factor; the password of the user with this address; whether to join."""

    kind: Literal["code", "password", "join"]
    cookie: str
    email: str
    invite: InviteRow | None = None
    needs_code: bool = False


async def ask(context: AppContext, pending: Pending) -> Question | None:
    """Return what to ask this person; None if they may become a user at once.

    Raises:
        SignInRefused: nobody invited them.
        RegistrationClosed: this instance takes no new users.
    """
    cookie, email = flow.seal(context.keys, pending), pending.person.email
    if pending.user_id is not None:
        return Question("code", cookie, email)
    async with context.database.connection() as db:
        existing = await identity_queries.find_password(db, email, "")
        invite = await members.find_open_invite(db, email) if existing is None else None
    if existing is not None:
        if existing.password_hash is None:
            raise SignInRefused(
                f"The user {email} has no password with which to confirm this. {password_help(context.settings)}"
            )
        return Question("password", cookie, email, needs_code=existing.totp_enabled)
    if invite is not None:
        if context.settings.registration == "closed":
            raise RegistrationClosed("This instance registers nobody: SIGNALPOST_REGISTRATION is closed.")
        return Question("join", cookie, email, invite=invite)
    if context.settings.oidc_new_users != "allowed":
        raise SignInRefused(f"Nobody with the address {email} is a user here. Ask for an invitation to a workspace.")
    return None


async def question(context: AppContext, cookie: str | None) -> Question:
    """Return what to ask the person with this cookie.

    Raises:
        SignInRefused: the question is too old, or nobody may answer it any more.
    """
    return (await _reopen(context, cookie))[1]


async def answer(context: AppContext, cookie: str | None, *, password: str, code: str, address: str) -> SignedIn:
    """Finish the sign-in with what the person entered; return who signed in.

    Raises:
        SignInRefused: see `question`.
        InvalidCredentials, SecondFactorRequired, LoginThrottled: password or code is wrong.
    """
    pending, open_question = await _reopen(context, cookie)
    person, user_id = pending.person, pending.user_id
    if user_id is not None:
        await second_factor.check_code(context, user_id, code)
    elif open_question.invite is not None:
        user_id = await _join(context, open_question.invite, person)
    else:
        row, stored = await sign_in.check_credentials(context, person.email, password, code or None, address)
        user_id = row.user_id
        async with context.database.transaction() as db:
            await sign_in.require_unchanged(context, db, user_id, stored)
            await _link(context, db, person, user_id)
    return SignedIn(user_id, pending.client)


async def _reopen(context: AppContext, cookie: str | None) -> tuple[Pending, Question]:
    pending = flow.unseal(context.keys, Pending, cookie)
    open_question = await ask(context, pending) if pending else None
    if pending is None or open_question is None:
        raise SignInRefused(_STALE)
    return pending, open_question


def return_url(context: AppContext, signed_in: SignedIn) -> str:
    """Return where the browser goes: to whoever began, with a code that only they can redeem."""
    client = signed_in.client
    grant = Grant(signed_in.user_id, client.code_challenge, flow.expires_in(flow.CODE_SECONDS))
    parameters = {"code": flow.CODE_PREFIX + flow.seal(context.keys, grant)}
    if client.state is not None:
        parameters["state"] = client.state
    separator = "&" if urlsplit(client.redirect_url).query else "?"
    return f"{client.redirect_url}{separator}{urlencode(parameters)}"


async def create_with_workspace(context: AppContext, person: Person) -> UUID:
    """Make a user with a workspace of their own."""
    async with context.database.transaction() as db:
        user_id = await _create(db, person)
        name = f"{person.name or person.email.partition('@')[0]}'s workspace"[:100]
        await sign_up.create_workspace(context, db, user_id=user_id, name=name)
        await _link(context, db, person, user_id)
    return user_id


async def _join(context: AppContext, invite: InviteRow, person: Person) -> UUID:
    async with context.database.transaction() as db:
        await members.lock(db, invite.workspace_id)
        open_now = await members.find_open_invite(db, person.email)
        if open_now is None or open_now.id != invite.id:
            raise SignInRefused("The invitation has ended meanwhile. Ask for another one.")
        user_id = await _create(db, person)
        await invites.join(context, db, open_now, user_id, mailed=True)
        await _link(context, db, person, user_id)
    return user_id


async def _create(db: Db, person: Person) -> UUID:
    user_id = await sign_up.create_user(db, email=person.email, password_hash=None, name=person.name)
    await members.verify_email(db, user_id)
    return user_id


async def _link(context: AppContext, db: Db, person: Person, user_id: UUID) -> None:
    issuer = context.settings.oidc_issuer or ""
    await db.execute(_FORGET_FORMER, issuer, user_id)
    if not await db.fetchval(_LINK, issuer, person.subject, user_id, person.email):
        raise SignInRefused("The OpenID provider's user belongs to another user here.")
    await members.verify_email(db, user_id)
    await sign_in.record_in_workspaces(db, user_id, "link_oidc")
