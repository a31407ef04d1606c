"""The outgoing HTTP client, as much of it as a connector may use."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol


class Response(Protocol):
    """An HTTP response: what `kit.http.Response` offers."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def body(self) -> bytes: ...
    def json(self) -> Any: ...


class Http(Protocol):
    """The outgoing client. It brings deadlines, size limits, the SSRF guard and redaction."""

    async def request(  # noqa: PLR0913  the shape of `kit.http.Client.request`
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        data: Any = None,
        params: Mapping[str, str] | None = None,
        timeout_seconds: float = 10.0,
        bytes_max: int = 1_000_000,
        trusted: bool = False,
        truncate: bool = False,
        before_send: Callable[[], None] | None = None,
        until: Callable[[bytes], bool] | None = None,
    ) -> Response: ...
