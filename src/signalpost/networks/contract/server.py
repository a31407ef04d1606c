"""How a connector reaches a network: a server with the HTTP client that reaches it, and one account's session there."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

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
    """Where accounts are looked up: the operator's address or that of `Facts`; set for connecting only."""

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
    ) -> Response:
        """Call `path` on this server; `expect=None` accepts every status.

        Raises:
            ApiError: the status is not in `expect`.
            kit.http.HttpFailure: no usable response; `NotSent` when nothing reached the server, `MaybeSent` otherwise.
        """
        response = await self.http.request(
            method,
            self.base_url + path,
            headers=headers,
            json=json,
            data=data,
            params=params,
            timeout_seconds=timeout_seconds,
            bytes_max=bytes_max,
            trusted=self.trusted,
        )
        if expect is not None and response.status not in expect:
            raise ApiError(response, f"{method} {path}")
        return response


@dataclass(kw_only=True)
class NetworkSession:
    """One account's access to its network, open for one attempt or one check.

    A connector whose tokens expire in the middle of other work calls `renew`, never its own `refresh`.
    """

    server: Server
    pages: Http
    """The client for pages and files at addresses that users name; never for the network itself."""
    secrets: Mapping[str, str]
    """The opened credentials, as `Identity.secrets` gave them; replaced when the tokens are renewed."""
    remote_id: str
    username: str
    facts: Mapping[str, Any]
    """What the server said about itself at connect: `Identity.facts`."""
    save_tokens: Callable[[Mapping[str, str], datetime | None], Awaitable[None]]
    """Stores new secrets and when they expire; a connector calls it before it uses them."""
    now: Callable[[], datetime]
    refresh_exclusively: Callable[["NetworkSession"], Awaitable[None]] | None = None
    """Runs `Connector.refresh` for one holder of the account at a time; None where nobody else can hold it."""

    async def renew(self, refresh: Callable[["NetworkSession"], Awaitable[None]]) -> None:
        """Renew the tokens by `refresh`, or take over those that another process got; `secrets` are new afterwards.

        Raises what `refresh` raises.
        """
        await (self.refresh_exclusively or refresh)(self)
