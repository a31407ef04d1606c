"""How a connector reaches a network: a server with the HTTP client that reaches it, and one account's session there."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from signalpost.networks.contract.app import OAuthApp
from signalpost.networks.contract.errors import ApiError
from signalpost.networks.contract.http import Http, Response


@dataclass(frozen=True, kw_only=True)
class Server:
    """One server of a network, with the HTTP client that reaches it.

    `base_url` has no slash at its end; it is empty where the network has no server of its own and the account's is not
    known yet. `trusted`: the address comes from the operator or from our facts, not from a user, so it may be private.
    """

    base_url: str
    trusted: bool
    http: Http
    directory_url: str = ""
    """Where accounts are looked up: the operator's address or that of `Facts`."""
    hosts: Mapping[str, str] = field(default_factory=dict)
    """`Facts.hosts`; where the operator sets SIGNALPOST_<KEY>_BASE_URL, all of them are at that address."""

    def at(self, host: str) -> "Server":
        """Return the network at another of its hosts, by the name in `Facts.hosts`; empty: at `base_url`."""
        return replace(self, base_url=self.hosts[host]) if host else self

    async def call(  # noqa: PLR0913 - the options of a request
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        data: Any = None,
        params: Mapping[str, str] | None = None,
        timeout_seconds: float = 30.0,
        bytes_max: int = 1_000_000,
        expect: Collection[int] | None = (200,),
        until: Callable[[bytes], bool] | None = None,
    ) -> Response:
        """Call `path` on this server; `expect=None` accepts every status.

        With `until` it is a WebSocket: `json` is sent as a text, the body is the texts that come, one a line, up to the
        first one that `until` is true of. Its status is 101.

        `path` may be a whole address that the network named, as for an upload. It is trusted only at a host of the
        network, and credentials belong to no other.

        Raises:
            ApiError: the status is not in `expect`.
            kit.http.HttpFailure: no usable response; `NotSent` when nothing reached the server, `MaybeSent` otherwise.
        """
        named = path.startswith(("https://", "http://"))
        response = await self.http.request(
            method,
            path if named else self.base_url + path,
            headers=headers,
            json=json,
            data=data,
            params=params,
            timeout_seconds=timeout_seconds,
            bytes_max=bytes_max,
            trusted=self.trusted and (not named or self.has(path)),
            until=until,
        )
        if expect is not None and response.status not in expect:
            raise ApiError(response, f"{method} {path}")
        return response

    def has(self, url: str) -> bool:
        """Return whether a whole address is at one of the network's hosts."""
        origins = [urlsplit(address)[:2] for address in (self.base_url, *self.hosts.values())]
        return urlsplit(url)[:2] in origins


@dataclass(kw_only=True)
class NetworkSession:
    """One account's access to its network, open for one attempt or one check.

    A connector whose tokens expire in the middle of other work calls `renew`, never its own `refresh`.
    """

    server: Server
    pages: Http
    """The client for pages and files at addresses that users name; never for the network itself."""
    secrets: Mapping[str, str]
    """The opened credentials, as `Identity.secrets` gave them; replaced when the tokens are renewed.

    For a destination: those of the grant it was chosen from, with its own on top."""
    remote_id: str
    username: str
    facts: Mapping[str, Any]
    """What the server said about itself at connect: `Identity.facts`."""
    save_tokens: Callable[[Mapping[str, str], datetime | None], Awaitable[None]]
    """Stores new secrets and when they expire; a connector calls it before it uses them."""
    now: Callable[[], datetime]
    app: OAuthApp | None = None
    """The operator's app; None where it is not configured, and for networks that have none."""
    refresh_exclusively: Callable[["NetworkSession"], Awaitable[None]] | None = None
    """Runs `Connector.refresh` for one holder of the account at a time; None where nobody else can hold it."""

    is_shared: Callable[[], Awaitable[bool]] | None = None
    """Whether live posts use the account of a test post; None where the post is not a test. Only the sandbox asks."""

    async def renew(self, refresh: Callable[["NetworkSession"], Awaitable[None]]) -> None:
        """Renew the tokens by `refresh`, or take over those that another process got; `secrets` are new afterwards.

        Raises what `refresh` raises.
        """
        await (self.refresh_exclusively or refresh)(self)
