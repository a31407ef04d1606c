"""What a client wants of a webhook: checked, and laid over what there is."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from msgspec import UNSET, UnsetType

from signalpost.context import AppContext
from signalpost.events import PUBLIC_EVENTS
from signalpost.kit import ids, problems
from signalpost.kit.db import Db
from signalpost.kit.http import UnsafeUrl
from signalpost.kit.problems import Issue
from signalpost.profiles import queries as profiles
from signalpost.web.caller import Caller
from signalpost.webhooks.schemas import WebhookUpdate

ALL_EVENTS = list(PUBLIC_EVENTS)


@dataclass(frozen=True, slots=True)
class Scope:
    """What a webhook hears, as wished: None where nothing was said of it."""

    events: list[str] | None
    profile_ids: list[UUID] | UnsetType | None


async def checked(db: Db, caller: Caller, data: WebhookUpdate) -> Scope:
    """Read events and profiles of a data. No profiles means all: to a limited caller, all of its own.

    Raises:
        ValidationFailed: with every unknown event and profile.
    """
    findings = list(_unknown_events(data.events or ()))
    profile_ids: list[UUID] | UnsetType | None = UNSET
    if isinstance(data.profile_ids, list):
        given = [ids.decode("prof", text) for text in data.profile_ids]
        found = await profiles.by_ids(db, caller, [one for one in given if one is not None])
        findings += [
            Issue(f"/profileIds/{index}", "not_found", "There is no such profile here.")
            for index, one in enumerate(given)
            if one not in found
        ]
        profile_ids = list(found)
    elif data.profile_ids is None:
        profile_ids = caller.sees_profiles
    if findings:
        raise problems.ValidationFailed(errors=findings)
    events = None if isinstance(data.events, UnsetType) else _in_order(data.events or ALL_EVENTS)
    return Scope(events, profile_ids)


async def check_address(context: AppContext, url: str) -> None:
    """Resolve and judge an address before it is kept; every send judges again. No transaction may be open.

    Raises:
        UnsafeAddress: it must not be reached from here.
    """
    try:
        await context.http.check_url(url, trusted=context.settings.allow_private_webhooks)
    except UnsafeUrl as refusal:
        raise problems.UnsafeAddress(
            f"The webhook's address is refused: {refusal.detail}.",
            errors=[Issue("/url", "unsafe_url", f"{refusal.detail[:1].upper()}{refusal.detail[1:]}.")],
        ) from None


def _unknown_events(names: Iterable[str]) -> Iterable[Issue]:
    for index, name in enumerate(names):
        if name not in PUBLIC_EVENTS:
            message = f"There is no such event. Known are {', '.join(ALL_EVENTS)}."
            yield Issue(f"/events/{index}", "not_allowed", message, {"known": ALL_EVENTS})


def _in_order(names: Iterable[str]) -> list[str]:
    wanted = set(names)
    return [name for name in PUBLIC_EVENTS if name in wanted]
