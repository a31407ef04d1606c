"""The pages, boards, organizations and channels of grants that a profile has: list them, and connect another one."""

import asyncio
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from signalpost.accounts import queries, token_store, views
from signalpost.accounts.actions.choices import candidates, choose, list_destinations, require_destinations
from signalpost.accounts.actions.connect_request import ConnectRequest, find_unknown_ids
from signalpost.accounts.actions.upsert import upsert_account
from signalpost.accounts.errors import PlatformTimeout
from signalpost.accounts.platforms import canonical_slug, require_connector, require_live
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.schemas import DestinationPage, PageSwitch, PlatformAccount
from signalpost.accounts.secrets import NoCredentials, grant_secrets
from signalpost.context import AppContext
from signalpost.kit import problems
from signalpost.kit.problems import InvalidState
from signalpost.networks.contract import Connector, Destination, Identity
from signalpost.web.caller import Caller
from signalpost.web.inputs import require_profile

GRANTS_AT_ONCE: Final = 8
ASK_SECONDS_MAX: Final = 25.0
"""For all grants together."""


async def list_pages(
    context: AppContext, caller: Caller, platform: str, profile_id: UUID | None
) -> list[DestinationPage]:
    """Ask the network what the grants of a profile, or of all profiles, can post to; none without a grant.

    Raises:
        NotFound: the caller sees no such profile.
        PlatformNotConfigured: the platform cannot be connected here, or has nothing to choose from.
        InvalidState: every grant is dead.
        PlatformError, PlatformTimeout: the network gave no usable response.
    """
    platform = canonical_slug(platform)
    require_live(caller, platform)
    async with context.database.connection() as db:
        await require_profile(context, db, caller, profile_id)
        grants = await queries.with_grants(db, caller, platform, profile_id)
        accounts = await queries.of_platform(db, caller.workspace_id, platform, profile_id, sees=caller.sees_profiles)
    if not grants:
        return []
    connector = require_connector(caller, platform)
    require_destinations(connector)
    by_id: dict[str, Destination] = {}
    for _, destinations in await _ask_all(context, connector, grants):
        by_id |= {entry.identity.remote_id: entry for entry in destinations if entry.identity.remote_id not in by_id}
    return candidates([*by_id.values()], accounts)


async def switch_page(context: AppContext, caller: Caller, platform: str, data: PageSwitch) -> PlatformAccount:
    """Connect one more page of a grant: of an open choice, of the account that is named, or of any of the profile.

    Raises:
        ValidationFailed: there is no such profile or account, or no grant covers the page.
        OauthStateInvalid: the choice is over, or another profile's.
        and what `list_pages` and `upsert_account` raise.
    """
    platform = canonical_slug(platform)
    require_live(caller, platform)
    async with context.database.connection() as db:
        unknown = await find_unknown_ids(
            db, caller, platform, profile_id=data.profile_id, account_id=data.account_id, pointer="/"
        )
        if unknown:
            raise problems.ValidationFailed(errors=unknown)
        grants = await queries.with_grants(db, caller, platform, data.profile_id)
        named = None if data.account_id is None else await queries.find_mine(db, caller, data.account_id)
    if data.selection_token is not None:
        of = (caller.workspace_id, UUID(int=data.profile_id.int), platform)
        chosen, _ = await choose(context, data.selection_token, data.page_id, only=of)
        return chosen
    if named is not None:
        grants = [named] if named.grant_remote_id is not None else []
    if grants:
        connector = require_connector(caller, platform)
        require_destinations(connector)
        for grant, destinations in await _ask_all(context, connector, grants):
            entry = next((entry for entry in destinations if entry.identity.remote_id == data.page_id), None)
            if entry is not None:
                return await _connect(context, caller, connector, data, entry, grant)
    raise problems.invalid(
        "/pageId", "not_found", "No grant of this profile covers this page. Connect the platform again and select it."
    )


async def _ask_all(
    context: AppContext, connector: Connector, accounts: Sequence[AccountRow]
) -> list[tuple[Identity, list[Destination]]]:
    """Ask the network about several grants, some at a time, within one deadline. A dead one does not hide the others.

    Raises:
        PlatformTimeout: they have not all been answered in time.
        InvalidState, ValidationFailed: every grant is dead.
        Problem: as `_ask`.
    """
    places = asyncio.Semaphore(GRANTS_AT_ONCE)

    async def ask(account: AccountRow) -> tuple[Identity, list[Destination]] | problems.Problem:
        async with places:
            try:
                return await _ask(context, connector, account)
            except (InvalidState, problems.ValidationFailed) as dead:
                return dead

    try:
        async with asyncio.timeout(ASK_SECONDS_MAX):
            answers = await asyncio.gather(*[ask(account) for account in accounts])
    except TimeoutError:
        platform = {"slug": connector.facts.key}
        raise PlatformTimeout(f"{connector.facts.name} did not respond in time.", platform=platform) from None
    alive = [answer for answer in answers if not isinstance(answer, problems.Problem)]
    dead = [answer for answer in answers if isinstance(answer, problems.Problem)]
    if dead and not alive:
        raise dead[0]
    return alive


async def _ask(context: AppContext, connector: Connector, account: AccountRow) -> tuple[Identity, list[Destination]]:
    """Return the grant of an account as it is stored, and what it can post to now."""
    store = token_store.TokenStore(context, account)
    try:
        await store.read()
    except NoCredentials as error:
        raise InvalidState(f"{error}. Connect the account again.") from None
    session = store.session(of_grant=True)
    destinations = await list_destinations(connector, session)
    grant = Identity(
        remote_id=account.grant_remote_id or account.remote_id,
        username=account.username,
        display_name=account.display_name,
        secrets=grant_secrets(session.secrets),
        base_url=account.base_url,
        scopes=tuple(account.scopes),
        token_expires_at=account.token_expires_at,
        refreshable=account.refreshable,
    )
    return grant, destinations


async def _connect(
    context: AppContext, caller: Caller, connector: Connector, data: PageSwitch, entry: Destination, grant: Identity
) -> PlatformAccount:
    request = ConnectRequest.of(caller, connector, profile_id=data.profile_id, account_id=None)
    async with context.database.transaction() as db:
        row = await upsert_account(context, db, request, entry.identity, grant=grant)
        posts_today = await queries.posts_today(db, [row.id])
    return views.account(row, posts_today=posts_today.get(row.id, 0))
