"""The end: the provider sends the browser back, and whoever began the sign-in gets a session."""

from typing import Any, Final
from uuid import UUID

import msgspec

from signalpost.context import AppContext
from signalpost.identity import queries as identity_queries
from signalpost.identity.actions import one_time, sign_in
from signalpost.identity.errors import InvalidCredentials
from signalpost.identity.schemas import Email, Login
from signalpost.kit import cells, crypto, log
from signalpost.kit.db import Db
from signalpost.kit.tenant import across_workspaces
from signalpost.oidc import flow, id_token, provider
from signalpost.oidc.actions.answer import Question, ask, create_with_workspace
from signalpost.oidc.actions.start import callback_url, is_on
from signalpost.oidc.errors import SignInNotConfigured, SignInRefused
from signalpost.oidc.flow import Client, Flow, Grant, Pending, Person, SignedIn
from signalpost.oidc.provider import Metadata, Provider
from signalpost.oidc.schemas import SignInRedeem

_STALE: Final = "This sign-in was begun in another browser, more than ten minutes ago, or is over already."
_NAME_MAX: Final = 100
_USE_IDENTITY: Final = """
update user_identity set last_used_at = now() where issuer = $1 and subject = $2 returning user_id
"""
_logger = log.get("oidc")


async def finish(context: AppContext, query: dict[str, str], cookie: str | None) -> SignedIn | Question:
    """Look at what the provider says; return who signed in, or what to ask the person first.

    Raises:
        SignInRefused: the answer belongs to no sign-in of this browser, is not the provider's, or is of nobody who may
            sign in here.
        ProviderUnavailable: the provider cannot be reached.
    """
    if not is_on(context.settings):
        raise SignInNotConfigured("This instance has no OpenID provider.")
    begun = flow.unseal(context.keys, Flow, cookie)
    if begun is None or not crypto.equal(begun.state, query.get("state", "")):
        raise SignInRefused(_STALE)
    metadata = await context.state(Provider).metadata(context)
    _check_sender(context, metadata, query)
    with across_workspaces():  # what was used is of the installation
        async with context.database.transaction() as db:
            if not await one_time.use_once(db, begun.state, lifetime_seconds=flow.LIFETIME_SECONDS):
                raise SignInRefused(_STALE)
    if "error" in query:
        _logger.info("oidc.denied", error=query["error"][:100])
        raise SignInRefused("You did not sign in: the OpenID provider says that this was cancelled or is not allowed.")
    issued = await provider.redeem(
        context, metadata, code=query.get("code", ""), verifier=begun.verifier, redirect_url=callback_url(context)
    )
    claims = await id_token.verify(context, issued.id_token, nonce=begun.nonce)
    if "email" not in claims:
        info = await provider.userinfo(context, metadata, issued.access_token)
        claims = info | claims if info.get("sub") == claims["sub"] else claims
    return await _resolve(context, claims, begun.client)


def _check_sender(context: AppContext, metadata: Metadata, query: dict[str, str]) -> None:
    """Refuse the answer of another provider, which would get the code of this one (RFC 9207)."""
    issuer = query.get("iss")
    if issuer is None and not metadata.authorization_response_iss_parameter_supported:
        return
    if issuer != context.settings.oidc_issuer:
        raise SignInRefused("This answer is that of another OpenID provider.")


async def _resolve(context: AppContext, claims: dict[str, Any], client: Client) -> SignedIn | Question:
    issuer = context.settings.oidc_issuer or ""
    person = _person(claims)
    with across_workspaces():  # the user may be a member of any
        async with context.database.transaction() as db:
            user_id: UUID | None = await db.fetchval(_USE_IDENTITY, issuer, claims["sub"])
            if user_id is not None:
                _require_allowed(context, person)
                user = await identity_queries.read_user(db, user_id)
                if not user.totp_enabled or context.settings.oidc_second_factor:
                    return SignedIn(user_id, client)
                email = person.email if person else user.email
                person = Person(subject=claims["sub"], email=email, name=user.name)
        if person is None:
            raise SignInRefused(
                "The OpenID provider does not say that your e-mail address is verified, so it proves nothing."
            )
        _require_allowed(context, person)
        pending = Pending(person, user_id, client, flow.expires_in(flow.LIFETIME_SECONDS))
        question = await ask(context, pending)
        if question is not None:
            return question
        return SignedIn(await create_with_workspace(context, person), client)


def _person(claims: dict[str, Any]) -> Person | None:
    """Return who this is, if the provider vouches for the mailbox: with `true`, and with nothing that looks like it."""
    if claims.get("email_verified") is not True:
        return None
    try:
        email = msgspec.convert(claims.get("email"), Email)
    except msgspec.ValidationError:
        return None
    name = claims.get("name")
    display_name = " ".join(name.split())[:_NAME_MAX] if isinstance(name, str) and name.isprintable() else ""
    return Person(subject=claims["sub"], email=email, name=display_name or None)


def _require_allowed(context: AppContext, person: Person | None) -> None:
    domains = [domain.lower() for domain in context.settings.oidc_allowed_domains]
    if domains and (person is None or person.email.rpartition("@")[2].lower() not in domains):
        raise SignInRefused(
            "Only people with an e-mail address of certain domains can sign in here, and you have none."
        )


async def redeem(context: AppContext, data: SignInRedeem, address: str) -> Login:
    """Open a session for the user of a code.

    Raises:
        InvalidCredentials: the code is not ours, is too old, was used before, or belongs to another verifier.
        Forbidden: the user is not an active member of any workspace.
    """
    grant, code = None, cells.without_name(data.code.removeprefix(flow.CODE_PREFIX))
    if data.code.startswith(flow.CODE_PREFIX):
        grant = flow.unseal(context.keys, Grant, code)
    if grant is None or not crypto.equal(grant.code_challenge, flow.challenge_of(data.code_verifier)):
        raise _not_redeemable()
    async with context.database.transaction() as db:
        if not await one_time.use_once(db, code, lifetime_seconds=flow.CODE_SECONDS):
            raise _not_redeemable()
        return await _open_session(context, db, grant.user_id, address)


async def open_session(context: AppContext, user_id: UUID, address: str) -> Login:
    """Open a session for the browser in which the user signed in.

    Raises:
        Forbidden: the user is not an active member of any workspace.
    """
    async with context.database.transaction() as db:
        return await _open_session(context, db, user_id, address)


async def _open_session(context: AppContext, db: Db, user_id: UUID, address: str) -> Login:
    trusted = context.settings.oidc_second_factor
    return await sign_in.sign_in(context, db, user_id, address, "login_oidc", second_factor=trusted)


def _not_redeemable() -> InvalidCredentials:
    return InvalidCredentials(
        "This code is unknown, was used before, is older than a minute, or belongs to another verifier.",
        remediation="Begin again: `GET /auth/options` says where.",
    )
