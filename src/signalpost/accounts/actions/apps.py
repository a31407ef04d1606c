"""The app that a network knows us by: the operator's, or one we registered ourselves at an account's own server."""

import msgspec

from signalpost.accounts.errors import PlatformNotConfigured
from signalpost.accounts.platforms import redirect_uri
from signalpost.context import AppContext
from signalpost.kit.crypto import Undecipherable
from signalpost.kit.http import BadResponse
from signalpost.networks.contract import ApiError, Connector, OAuthApp, Server

# Mastodon deletes apps that nobody used for a day: an unused registration is only good for half of that.
_READ = """
select credentials from network_app a
where platform = $1 and base_url = $2 and redirect_uri = $3 and (created_at > now() - interval '12 hours' or exists (
    select from account c where c.platform = a.platform and c.base_url = a.base_url and c.status <> 'disconnected'))
"""
_STORE = """
insert into network_app (platform, base_url, redirect_uri, credentials) values ($1, $2, $3, $4)
on conflict (platform, base_url, redirect_uri) do update set credentials = excluded.credentials, created_at = now()
"""
_FORGET = "delete from network_app where platform = $1 and base_url = $2"


async def app_at(context: AppContext, connector: Connector, server: Server) -> OAuthApp:
    """Return the app's credentials at this server, registering one where there is none yet.

    Raises:
        PlatformNotConfigured: the operator has to make an app, and has not.
        ApiError, HttpFailure: the server does not register one.
    """
    key, back = connector.facts.key, redirect_uri(context.base_url, connector.facts.key)
    client_id = context.settings.network(key, "client_id")
    client_secret = context.settings.network(key, "client_secret")
    register = connector.oauth.register if connector.oauth else None
    if register is None:
        if not client_id or not client_secret:
            raise PlatformNotConfigured(f"The operator has not set app credentials for {connector.facts.name}.")
        return OAuthApp(client_id=client_id, client_secret=client_secret)
    async with context.database.connection() as db:
        stored = await db.fetchval(_READ, key, server.base_url, back)
    if stored is not None:
        try:
            return msgspec.json.decode(context.keys.open(stored, context=_context(key, server.base_url)), type=OAuthApp)
        except Undecipherable:
            pass  # sealed under a master key that is gone: a new registration costs nothing
    app = await register(server, redirect_uri=back, app_name=context.settings.brand)
    sealed = context.keys.seal(msgspec.json.encode(app), context=_context(key, server.base_url))
    async with context.database.transaction() as db:
        await db.execute(_STORE, key, server.base_url, back, sealed)
    return app


async def forget_if_unknown(context: AppContext, connector: Connector, base_url: str, error: ApiError) -> None:
    """Forget our registration when the server says that it does not know it; the next start registers anew."""
    try:
        told = error.response.json()
    except BadResponse:
        return
    if isinstance(told, dict) and told.get("error") == "invalid_client":
        async with context.database.transaction() as db:
            await db.execute(_FORGET, connector.facts.key, base_url)


def _context(platform: str, base_url: str) -> str:
    return f"network_app.credentials|{platform}|{base_url}"
