"""What this installation knows of a platform: its connector, its server, its redirect address. No I/O."""

import hashlib
from collections.abc import Mapping
from urllib.parse import urlsplit

from signalpost import networks
from signalpost.accounts.errors import PlatformNotConfigured
from signalpost.context import AppContext
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.kit import issue_text, problems
from signalpost.kit.addresses import forbidden_because, literal
from signalpost.kit.http import Client
from signalpost.networks.contract import Connector, Installation, OAuth, OAuthApp, Server
from signalpost.web.caller import Caller

CLIENT_METADATA_PATH = "/oauth-client-metadata.json"
"""Where networks read who we are that have no registration of clients."""
_LOCAL_NAMES = (".localhost", ".local", ".internal", ".lan", ".home.arpa")


def canonical_slug(platform: str, at: str = "platform") -> str:
    """Return the canonical slug of a platform that a path names, or the body in the place `at`.

    Raises:
        ValidationFailed: there is no such platform.
    """
    slug = networks.canonical(platform)
    if slug is None:
        raise problems.ValidationFailed(errors=[issue_text.not_allowed(at, platform, networks.PLATFORMS)])
    return slug


def require_connector(caller: Caller, platform: str, at: str = "platform") -> Connector:
    """Return the connector of the platform that a path names, or the body in the place `at`.

    Raises:
        ValidationFailed: there is no such platform.
        TestModeOnlySandbox: a test key asks for a live platform.
        PlatformNotConfigured: there is no connector for it.
    """
    slug = canonical_slug(platform, at)
    require_live(caller, slug)
    connector = networks.get(slug)
    if connector is None:
        possible = ", ".join(networks.CONNECTORS)
        raise PlatformNotConfigured(
            f"This version has no connector for {slug}.",
            remediation=f"It can connect {possible}. GET /platforms says how.",
        )
    return connector


def how_to_connect(context: AppContext, slug: str) -> str:
    """Return, as a sentence, what has to be done next to get an account of a platform here."""
    connector = networks.get(slug)
    if connector is None:
        return "This version cannot connect one; GET /platforms lists what it can."
    if needs_app(context, connector):
        return f"{connector.facts.name} cannot be connected here yet. {app_to_register(context, connector)}"
    if connector.connect is None:
        return f"Connect one: open the url that GET /platforms/{slug}/auth-url?profileId=… returns."
    fields = " and ".join(field.name for field in connector.facts.credential_fields if field.required)
    if not fields:  # there are several ways, each with its own
        return f"Connect one: POST /platforms/{slug}/connect; GET /platforms lists the fields that it takes."
    return f"Connect one: POST /platforms/{slug}/connect with {fields}."


def needs_app(context: AppContext, connector: Connector) -> bool:
    """Return whether the operator still has to register an app at the network."""
    return connector.facts.app_credentials and operator_app(context, connector) is None


def app_to_register(context: AppContext, connector: Connector) -> str:
    """Return, as a sentence, what the operator has to do before anybody can connect an account of this network."""
    setting = f"SIGNALPOST_{connector.facts.key.upper()}"
    return (
        f"The operator has to register an app at {connector.facts.name} with the redirect address"
        f" {redirect_uri(context.fixed_url, connector)} and set {setting}_CLIENT_ID and {setting}_CLIENT_SECRET."
    )


def require_live(caller: Caller, slug: str) -> None:
    """Ensure that a test key asks for nothing but the sandbox.

    Raises:
        TestModeOnlySandbox: it does.
    """
    if caller.mode == "test" and slug != "sandbox":
        raise TestModeOnlySandbox(f"This test key cannot use {slug}; it can use sandbox.")


def redirect_uri(base_url: str, connector: Connector, server_url: str = "") -> str:
    """Return the address a platform sends people back to.

    Each has its own, and each server of those that users name: so a server cannot have a code brought to itself that
    another one issued, by passing the person on to that one.
    """
    path = f"{base_url}/api/v1/platforms/{connector.facts.key}/callback"
    key = server_key(connector, server_url)
    return path if key is None else f"{path}/{key}"


def start_url(context: AppContext, state: str) -> str:
    """Return the address of the page on which a person starts a flow."""
    return f"{context.fixed_url}/connect/{state}"


def oauth_of(context: AppContext, connector: Connector) -> OAuth | None:
    """Return a network's authorization; None if it has none, or none that can be used at this service's address."""
    oauth = connector.oauth
    pushed = oauth.pushed if oauth is not None else None
    return None if pushed is not None and pushed.client(installation(context, connector)) is None else oauth


def installation(context: AppContext, connector: Connector) -> Installation:
    """Return what a network may know of this service."""
    return Installation(
        base_url=context.fixed_url,
        metadata_url=f"{context.fixed_url}{CLIENT_METADATA_PATH}",
        redirect_uri=redirect_uri(context.fixed_url, connector),
        public=_is_public(context.settings.base_url),
        name=context.settings.brand,
        keys=context.keys.derive_each(f"oauth.client|{connector.facts.key}"),
    )


def server_key(connector: Connector, server_url: str) -> str | None:
    """Return the last segment of a server's redirect address; None where the network has one server."""
    if connector.oauth is None or not connector.oauth.own_server:
        return None
    return hashlib.sha256(server_url.encode()).hexdigest()[:32]


def server_of(context: AppContext, connector: Connector, base_url: str | None, http: Client) -> Server:
    """Return the server of an account, reached by `http`; `base_url` is the account's own, if it has one.

    The operator's SIGNALPOST_<NETWORK>_BASE_URL replaces the network's one address; for networks where every account
    brings its own server it names one server among many, the only one that may have a private address.
    """
    address, trusted = _address(context, connector, base_url)
    return Server(
        base_url=address,
        trusted=trusted,
        http=http,
        directory_url=_directory_url(context, connector),
        hosts=_hosts(context, connector),
    )


def host_of(context: AppContext, connector: Connector, base_url: str | None) -> str:
    """Return host and port of the server that `server_of` returns."""
    address, _ = _address(context, connector, base_url)
    return urlsplit(address).netloc


def _address(context: AppContext, connector: Connector, base_url: str | None) -> tuple[str, bool]:
    operator_url = _operator_url(context, connector)
    if operator_url is not None and (connector.facts.base_url is not None or base_url in {None, operator_url}):
        return operator_url, True
    if base_url is not None:
        return base_url.rstrip("/"), False
    return connector.facts.base_url or "", True


def entry_server(context: AppContext, connector: Connector, http: Client) -> Server:
    """Return the server to sign in at before the account's own is known: the operator's, else the network's."""
    operator_url = _operator_url(context, connector)
    base_url = operator_url or connector.facts.base_url or ""
    trusted = operator_url is not None
    return Server(
        base_url=base_url,
        trusted=trusted,
        http=http,
        directory_url=_directory_url(context, connector),
        hosts=_hosts(context, connector),
    )


def _directory_url(context: AppContext, connector: Connector) -> str:
    url = context.settings.network(connector.facts.key, "directory_url") or connector.facts.directory_url or ""
    return url.rstrip("/")


def operator_app(context: AppContext, connector: Connector) -> OAuthApp | None:
    """Return the app that the operator registered at the network, or None if its credentials are not set."""
    key, settings = connector.facts.key, context.settings
    client_id, client_secret = settings.network(key, "client_id"), settings.network(key, "client_secret")
    if not client_id or not client_secret:
        return None
    scopes = tuple((settings.network(key, "scopes") or "").replace(",", " ").split())
    if not scopes and connector.oauth is not None and connector.oauth.facts.push_scopes and pushes(context, connector):
        scopes = (*connector.oauth.facts.scopes, *connector.oauth.facts.push_scopes)
    return OAuthApp(client_id=client_id, client_secret=client_secret, scopes=scopes)


def pushes(context: AppContext, connector: Connector) -> bool:
    """Return whether the operator has set up that the network pushes comments here."""
    return connector.push is not None and context.settings.network(connector.facts.key, "verify_token") is not None


def _hosts(context: AppContext, connector: Connector) -> Mapping[str, str]:
    """Return the network's other addresses; the operator's SIGNALPOST_<NETWORK>_BASE_URL stands for all of them."""
    operator_url, hosts = _operator_url(context, connector), connector.facts.hosts
    return hosts if operator_url is None else dict.fromkeys(hosts, operator_url)


def fetch_url(context: AppContext, connector: Connector) -> str | None:
    """Return the address under which a network can download files from this service; None if it cannot.

    The operator's own stand-in of a network may be where the service is; a real one reaches public addresses only.
    """
    if _operator_url(context, connector) is not None:
        return context.fixed_url
    url = context.settings.base_url
    return url if _is_public(url) else None


def _is_public(url: str | None) -> bool:
    """Return whether everybody can reach an address, as far as it tells."""
    if url is None or not url.startswith("https://"):
        return False
    host = (urlsplit(url).hostname or "").lower()
    address = literal(host)
    if address is None:
        return "." in host and not host.endswith(_LOCAL_NAMES)
    return not forbidden_because(address)


def _operator_url(context: AppContext, connector: Connector) -> str | None:
    url = context.settings.network(connector.facts.key, "base_url")
    return None if url is None else url.rstrip("/")
