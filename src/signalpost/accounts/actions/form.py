"""A flow at a platform that takes credentials: the person fills in its form on our start page."""

from collections.abc import Mapping

from signalpost import networks
from signalpost.accounts.actions.connect import require_complete, sign_in
from signalpost.accounts.actions.oauth_flows import find_flow, redirect_url_of
from signalpost.accounts.actions.start import require_starter
from signalpost.accounts.actions.store import store_account
from signalpost.accounts.errors import OVER, OauthStateInvalid
from signalpost.accounts.platforms import entry_server, oauth_of
from signalpost.accounts.schemas import PlatformAccount
from signalpost.context import AppContext
from signalpost.kit.tenant import across_workspaces


async def connect_by_form(context: AppContext, state: str, fields: Mapping[str, str]) -> tuple[PlatformAccount, str]:
    """Sign in with the values of the form and store the account; the flow is used up when that worked.

    Returns:
        The account, and the `redirectUrl` of the flow; empty if it has none.

    Raises:
        OauthStateInvalid: there is no such flow, it is over, or it leads to the platform.
        Problem: as `sign_in`, `require_starter` and `upsert_account`.
    """
    with across_workspaces():  # the state tells the workspace
        async with context.database.connection() as db:
            flow = await find_flow(db, state)
            connector = networks.get(flow.platform) if flow is not None else None
            if flow is None or connector is None or connector.connect is None or oauth_of(context, connector):
                raise OauthStateInvalid(OVER)
            await require_starter(context, db, flow)
    server = entry_server(context, connector, context.http.accounts)
    require_complete(connector, fields, server)
    identity = await sign_in(connector, server, fields)
    account = await store_account(context, flow, identity, use_state=state)
    async with context.database.connection() as db:
        return account, await redirect_url_of(db, flow) or ""
