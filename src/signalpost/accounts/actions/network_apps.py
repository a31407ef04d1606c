"""The app by which a network knows us: the operator's, or one that we registered at an account's own server."""

from typing import Final

import msgspec

from signalpost.accounts.errors import PlatformNotConfigured
from signalpost.accounts.platforms import app_to_register, installation, operator_app, redirect_uri
from signalpost.context import AppContext
from signalpost.kit.crypto import SealedColumn, Undecipherable
from signalpost.kit.tenant import across_workspaces
from signalpost.networks.contract import ApiError, Connector, OAuthApp, Server
from signalpost.networks.responses import members

# Mastodon deletes apps that were not used for a day, so an unused registration is trusted for only half of that.
_READ = """
select credentials from network_app a
where platform = $1 and base_url = $2 and redirect_uri = $3 and (created_at > now() - interval '12 hours' or exists (
    select from account c where c.platform = a.platform and c.base_url = a.base_url and c.status <> 'disconnected'))
"""
_UPSERT = """
insert into network_app (platform, base_url, redirect_uri, credentials) values ($1, $2, $3, $4)
on conflict (platform, base_url, redirect_uri) do update set credentials = excluded.credentials, created_at = now()
"""
_DELETE = "delete from network_app where platform = $1 and base_url = $2"


async def get_or_register_app(context: AppContext, connector: Connector, server: Server) -> OAuthApp:
    """Return the credentials of the app at this server, registering an app if there is none yet.

    Raises:
        PlatformNotConfigured: the operator has to create an app and has not done so, or our address permits none.
        ApiError, HttpFailure: the server does not register an app.
    """
    platform, callback = connector.facts.key, redirect_uri(context.fixed_url, connector, server.base_url)
    register = connector.oauth.register if connector.oauth else None
    if connector.oauth and connector.oauth.pushed:
        app = connector.oauth.pushed.client(installation(context, connector))
        if app is None:
            raise PlatformNotConfigured(
                f"{connector.facts.name} authorizes only services with a public https address (SIGNALPOST_BASE_URL)."
            )
        return app
    if register is None:
        return _require_operator_app(context, connector)
    # All workspaces share the app: it stays while any account of the server uses it.
    with across_workspaces():
        async with context.database.connection() as db:
            sealed = await db.fetchval(_READ, platform, server.base_url, callback)
    key_context = _context(platform, server.base_url)
    if sealed is not None:
        try:
            return msgspec.json.decode(context.keys.open(sealed, context=key_context), type=OAuthApp)
        except Undecipherable:
            pass  # sealed with a master key that is lost: registering another app costs nothing
    app = await register(server, redirect_uri=callback, app_name=context.settings.brand)
    sealed = context.keys.seal(msgspec.json.encode(app), context=key_context)
    with across_workspaces():
        async with context.database.transaction() as db:
            await db.execute(_UPSERT, platform, server.base_url, callback, sealed)
    return app


async def delete_unknown_app(context: AppContext, connector: Connector, server: Server, error: ApiError) -> None:
    """Delete our registration if the error says that the server does not know the app: the next flow registers one."""
    if members(error.response).get("error") == "invalid_client":
        with across_workspaces():
            async with context.database.transaction() as db:
                await db.execute(_DELETE, connector.facts.key, server.base_url)


def _require_operator_app(context: AppContext, connector: Connector) -> OAuthApp:
    app = operator_app(context, connector)
    if app is None:
        raise PlatformNotConfigured(app_to_register(context, connector))
    return app


def _context(platform: str, base_url: str) -> str:
    return f"network_app.credentials|{platform}|{base_url}"


SEALED: Final = SealedColumn(
    "network_app",
    {"platform": "text", "base_url": "text", "redirect_uri": "text"},
    "credentials",
    lambda row: _context(row["platform"], row["base_url"]),
)
