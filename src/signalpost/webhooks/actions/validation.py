"""What must hold of a webhook before it is written: known events, visible profiles, a safe address."""

from collections.abc import Iterable, Sequence
from typing import Final
from uuid import UUID

from msgspec import UNSET, Struct, UnsetType

from signalpost.context import AppContext
from signalpost.events import PUBLIC_EVENTS
from signalpost.kit import issue_text, problems
from signalpost.kit.addresses import Address
from signalpost.kit.db import Db
from signalpost.kit.http import UnknownHost, UnsafeUrl, parse_url
from signalpost.kit.problems import Issue
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.profiles import queries as profiles
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId
from signalpost.web.inputs import Before
from signalpost.webhooks.schemas import WebhookCreate, WebhookUpdate

_PUBLIC_ADDRESS: Final = (
    "Use a public https address. For development, an operator can allow http and private addresses with"
    " SIGNALPOST_ALLOW_PRIVATE_WEBHOOKS=true."
)
ALL_EVENTS: Final = list(PUBLIC_EVENTS)
DEFAULT_EVENTS: Final = [name for name, event in PUBLIC_EVENTS.items() if not event.opt_in]


class Scope(Struct, frozen=True):
    """Which events a webhook receives; a member is UNSET if the body leaves it out."""

    events: list[str] | UnsetType
    profile_ids: list[UUID] | UnsetType | None


async def scope_of(db: Db, caller: Caller, data: WebhookUpdate) -> Scope:
    """Return the events and profiles that a body chooses. No profiles means all: for a limited caller, all of theirs.

    Raises:
        ValidationFailed: with every unknown event and profile.
    """
    issues = list(_unknown_events(data.events or ()))
    profile_ids: list[UUID] | UnsetType | None = UNSET
    if isinstance(data.profile_ids, list):
        profile_ids = await profiles.named(db, caller, data.profile_ids)
        issues += _unknown_profiles(data.profile_ids, profile_ids)
    elif data.profile_ids is None:
        profile_ids = caller.sees_profiles
    if issues:
        raise problems.ValidationFailed(errors=issues)
    return Scope(UNSET if data.events is UNSET else _in_order(data.events or DEFAULT_EVENTS), profile_ids)


async def _check_create(context: AppContext, caller: Caller, data: WebhookCreate) -> Scope:
    async with context.database.connection() as db:
        await plans.require_capacity(db, caller, limits.WEBHOOKS)  # refuse before a name is resolved
        scope = await scope_of(db, caller, data)
    if data.delivery_mode == "poll":
        _require_address(data.url)
    else:
        await check_address(context, data.url)
    return scope


async def _check_update(context: AppContext, caller: Caller, data: WebhookUpdate) -> Scope:
    async with context.database.connection() as db:
        scope = await scope_of(db, caller, data)
    if data.url is not UNSET:
        await check_address(context, data.url)
    return scope


BEFORE_CREATE: Final = Before(lambda _data: True, _check_create)
BEFORE_UPDATE: Final = Before(lambda data: data.url is not UNSET, _check_update)
"""Addresses are checked before the transaction is opened, since resolving a name can take seconds."""


async def check_address(context: AppContext, url: str, *, path: str = "/url") -> Sequence[Address]:
    """Resolve and check an address before it is stored; every attempt checks it again. `path`: where it stands.

    Returns:
        The IP addresses of its host; none, if an operator allows any and nothing was looked up.

    Raises:
        UnsafeAddress: the service must not connect to it.
        HostNotFound: its host does not resolve.
    """
    try:
        return await context.http.accounts.check_url(url, trusted=context.settings.allow_private_webhooks)
    except UnknownHost as unknown:
        message = f"The host of the address is unknown: {unknown.detail}."
        raise problems.HostNotFound(message, errors=[Issue(path, "host_not_found", message)]) from None
    except UnsafeUrl as unsafe:
        raise _unsafe(unsafe, path) from None


def _require_address(url: str) -> None:
    """Verify that this is an address. Nothing is ever sent there by the service, so it may lead anywhere.

    Raises:
        UnsafeAddress: it is malformed.
    """
    try:
        parse_url(url)
    except UnsafeUrl as unsafe:
        raise _unsafe(unsafe, "/url") from None


def _unsafe(unsafe: UnsafeUrl, path: str) -> problems.UnsafeAddress:
    return problems.UnsafeAddress(
        f"This address cannot be used for a webhook: {unsafe.detail}.",
        errors=[Issue(path, "unsafe_url", f"This address cannot be used: {unsafe.detail}.")],
        remediation=_PUBLIC_ADDRESS,
    )


def _unknown_events(names: Iterable[str]) -> Iterable[Issue]:
    for index, name in enumerate(names):
        if name not in PUBLIC_EVENTS:
            yield issue_text.not_allowed(f"/events/{index}", name, ALL_EVENTS)


def _unknown_profiles(profile_ids: Sequence[UUID], visible: Iterable[UUID]) -> Iterable[Issue]:
    visible_ids = set(visible)
    for index, profile_id in enumerate(profile_ids):
        if profile_id not in visible_ids:
            yield ProfileId.not_found(f"/profileIds/{index}")


def _in_order(names: Iterable[str]) -> list[str]:
    """Return the names without duplicates, in the order of the reference."""
    chosen = set(names)
    return [name for name in PUBLIC_EVENTS if name in chosen]
