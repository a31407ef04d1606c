"""What a person chooses from after they agreed at a network: pages, boards, organizations, channels of one grant.

Until the choice nothing is an account. The grant and what it offers wait, sealed, in a flow of their own whose state is
the selection token; it works once, within ten minutes.
"""

from collections.abc import Sequence
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost.accounts import queries, views
from signalpost.accounts.actions.connect_request import ConnectRequest, no_response_problem, refused_problem
from signalpost.accounts.actions.oauth_flows import (
    FlowSecrets,
    OAuthFlow,
    find_flow,
    insert_flow,
    open_choices,
    redirect_url_of,
)
from signalpost.accounts.actions.start import require_starter
from signalpost.accounts.actions.store import store_account
from signalpost.accounts.errors import OVER, UNREADABLE, OauthStateInvalid, PlatformNotConfigured
from signalpost.accounts.platforms import operator_app, server_of
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.schemas import DestinationPage, PlatformAccount
from signalpost.context import AppContext
from signalpost.kit import clock, foreign, problems
from signalpost.kit.crypto import Undecipherable
from signalpost.kit.http import HttpFailure
from signalpost.kit.tenant import across_workspaces
from signalpost.networks.contract import ApiError, BadCredentials, Connector, Destination, Identity, NetworkSession

DESTINATIONS_MAX = 500


class Choices(Struct, frozen=True):
    """What a grant offers, as it waits for the choice."""

    grant: Identity
    destinations: list[Destination]

    def find(self, page_id: str) -> Destination | None:
        """Return the destination with this id."""
        return next((entry for entry in self.destinations if entry.identity.remote_id == page_id), None)


async def choices_of(context: AppContext, connector: Connector, flow: OAuthFlow, grant: Identity) -> Choices:
    """Ask the network what a new grant can post to, with no transaction open.

    Raises:
        ValidationFailed: nothing.
        PlatformError, PlatformTimeout: the network gave no usable response.
    """
    server = server_of(context, connector, grant.base_url or flow.base_url or None, context.http.accounts)
    session = NetworkSession(
        server=server,
        pages=context.http.pages,
        secrets=dict(grant.secrets),
        remote_id=grant.remote_id,
        username=grant.username,
        facts=grant.facts,
        save_tokens=_keep_nothing,
        now=clock.now,
        app=operator_app(context, connector),
    )
    destinations = await list_destinations(connector, session)
    if not destinations:
        raise problems.invalid(
            "code",
            "not_allowed",
            f"{connector.facts.name} shows nothing that this person may post to. Agree again and select at least one.",
        )
    return Choices(grant, destinations)


async def list_destinations(connector: Connector, session: NetworkSession) -> list[Destination]:
    """Return what the grant of the session can post to.

    Raises:
        ValidationFailed, PlatformError, PlatformTimeout, HostNotFound: the network refuses, or gave no usable response.
    """
    assert connector.destinations is not None  # noqa: S101 - checked by the callers
    try:
        return [*await connector.destinations(session)][:DESTINATIONS_MAX]
    except BadCredentials as error:
        raise problems.invalid("code", "not_allowed", str(error)) from None
    except ApiError as error:
        raise refused_problem(connector, error) from None
    except HttpFailure as failure:
        raise no_response_problem(connector, failure, chosen=False) from None


async def chosen_already(context: AppContext, flow: OAuthFlow, choices: Choices) -> Destination | None:
    """Return what need not be asked: the account to connect again, or the only thing there is.

    Raises:
        ValidationFailed: the account to connect again is not among them.
    """
    if flow.account_id is not None:
        async with context.database.connection() as db:
            account = await queries.by_id(db, flow.account_id)
        entry = None if account is None else choices.find(account.remote_id)
        if entry is None:
            raise problems.invalid(
                "/accountId", "not_allowed", "This grant does not cover the account to connect again."
            )
        return entry
    return choices.destinations[0] if len(choices.destinations) == 1 else None


async def offer(context: AppContext, flow: OAuthFlow, choices: Choices) -> str:
    """Keep the choices until one is made; return the selection token."""
    secrets = FlowSecrets.new(context.keys.cell)
    request = ConnectRequest(
        workspace_id=flow.workspace_id,
        profile_id=flow.profile_id,
        platform=flow.platform,
        via=flow.started_by.via,
        mode=flow.started_by.mode,
        role="editor",
        account_id=flow.account_id,
    )
    await insert_flow(
        context,
        request,
        secrets,
        base_url=flow.base_url,
        authorize_url="",
        redirect_url=flow.redirect_url,
        started_by=flow.started_by,
        choices=msgspec.json.encode(choices).decode(),
    )
    return secrets.state


async def read_choices(context: AppContext, token: str) -> tuple[OAuthFlow, Choices]:
    """Return an open choice. The request then counts as its workspace's.

    Raises:
        OauthStateInvalid: there is none with this token, or it is over.
        Problem: as `require_starter`.
    """
    with across_workspaces():  # the token tells the workspace
        async with context.database.connection() as db:
            flow = await find_flow(db, token)
            if flow is None or flow.choices is None:
                raise OauthStateInvalid(OVER)
            await require_starter(context, db, flow)
    try:
        return flow, msgspec.json.decode(open_choices(context, flow, token), type=Choices)
    except Undecipherable:
        raise OauthStateInvalid(UNREADABLE) from None


async def choose(
    context: AppContext, token: str, page_id: str, *, only: tuple[UUID, UUID, str] | None = None
) -> tuple[PlatformAccount, str]:
    """Connect what was chosen, and use the choice up.

    Args:
        context: of the process.
        token: of the choice.
        page_id: what was chosen.
        only: workspace, profile and platform that the choice must be of; None: whoever has the token may choose.

    Returns:
        The account, and the `redirectUrl` of the flow; empty if it has none.

    Raises:
        ValidationFailed: it is not among the choices.
        OauthStateInvalid, Problem: as `read_choices` and `store_account`.
    """
    flow, choices = await read_choices(context, token)
    if only is not None and only != (flow.workspace_id, flow.profile_id, flow.platform):
        raise OauthStateInvalid(OVER)
    entry = choices.find(foreign.line(page_id))
    if entry is None:
        raise problems.invalid("/pageId", "not_allowed", "This is not one of the pages to choose from.")
    account = await store_account(context, flow, entry.identity, grant=choices.grant, use_state=token)
    async with context.database.connection() as db:
        return account, await redirect_url_of(db, flow) or ""


def candidates(choices: Sequence[Destination], accounts: Sequence[AccountRow]) -> list[DestinationPage]:
    """Return destinations as the API shows them, with the accounts of the profile that they are already."""
    by_remote_id = {account.remote_id: account for account in accounts}
    return [views.destination(entry, by_remote_id.get(entry.identity.remote_id)) for entry in choices]


def require_destinations(connector: Connector) -> None:
    """Ensure that a network's grants have several places to post to.

    Raises:
        PlatformNotConfigured: they have not.
    """
    if connector.destinations is None:
        raise PlatformNotConfigured(f"{connector.facts.name} has no pages to choose from.")


async def _keep_nothing(_secrets: object, _expires_at: object) -> None:
    """A grant that is not stored yet is a moment old: its tokens need no renewal."""
