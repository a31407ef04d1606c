"""The client for asyncio and trio."""

from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import anyio
import anyio.to_thread
import httpx

from signalpost_client._call import Call, Config
from signalpost_client._client import TIMEOUT_SECONDS
from signalpost_client._generated.async_operations import AsyncOperations
from signalpost_client._pages import AsyncPages, Page
from signalpost_client._steps import Done, Response, Steps, Wait, advance
from signalpost_client._uploads import FileStream, Method, Progress, Source, Upload
from signalpost_client._waiting import until_published

if TYPE_CHECKING:
    from signalpost_client import models


class AsyncSignalpost(AsyncOperations):
    """The API of one instance, with one key, as `Signalpost`. Use it in `async with`, or call `aclose`."""

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        workspace_id: str | None = None,
        retries_max: int = 4,
        timeout_seconds: float = TIMEOUT_SECONDS,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._config = Config.of(api_key, base_url, workspace_id, retries_max)
        self._http = http or httpx.AsyncClient(timeout=timeout_seconds)
        self._owns_http = http is None
        self._sleep: Callable[[float], Awaitable[None]] = anyio.sleep

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        if self._owns_http:
            await self._http.aclose()

    async def request(self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: Any = None) -> Any:
        """Call an operation that this version has no method for, such as `/posts`, with the same retries."""
        return await self._call(method, path, query=query or {}, body=body)

    async def upload(
        self,
        source: Source,
        *,
        method: Method = "auto",
        name: str | None = None,
        content_type: str | None = None,
        alt_text: str | None = None,
        profile_id: str | None = None,
        resume: str | None = None,
        on_progress: Progress | None = None,
        on_started: Callable[[str], None] | None = None,
        idempotency_key: str | None = None,
    ) -> "models.Media":
        """Upload a file, and return it when it can be used in posts; as `Signalpost.upload`.

        Files are read and hashed in a thread. `on_started` may be called there.

        Raises:
            UploadInterrupted: a resumable upload broke off; it can be resumed.
            UploadFailed: the file cannot be used.
        """
        upload = Upload(
            source, method, name, content_type, alt_text, profile_id, resume, on_progress, on_started, idempotency_key
        )
        media: models.Media = await self._run(upload.steps(self._config))
        return media

    async def wait_until_published(self, post_id: str, *, timeout_seconds: float = 300.0) -> "models.PostProgress":
        """Return the status of a post when it is published everywhere.

        Raises:
            NotPublished: it failed at one network or more, or it is a draft; the message says why and what to do.
            WaitTimeout: it is neither published nor failed.
        """
        status: models.PostProgress = await self._run(until_published(self._config, post_id, timeout_seconds))
        return status

    async def _call(self, method: str, path: str, **options: Any) -> Any:
        return (await self._perform(Call(self._config, method, path, **options))).value

    def _pages(self, method: str, path: str, **options: Any) -> AsyncPages[Any]:
        async def get(cursor: str | None) -> Page:
            page: Page = await self._call(method, path, query={**options.get("query", {}), "cursor": cursor})
            return page

        return AsyncPages(get)

    async def _perform(self, call: Call) -> Response:
        while True:
            try:
                request = call.request
                if isinstance(body := request.get("content"), FileStream):
                    request["content"] = body.awaited()
                response = await self._http.request(**request)
            except httpx.TransportError as error:
                await self._sleep(call.failed(error))
                continue
            wait = call.answered(response.status_code, response.headers, response.content)
            if wait is None:
                value = call.result(response.headers, response.status_code, response.content)
                return Response(value, response.headers)
            await self._sleep(wait)

    async def _run(self, steps: Steps[Any]) -> Any:
        step = await anyio.to_thread.run_sync(advance, steps, None, None)
        try:
            while not isinstance(step, Done):
                answer, failure = None, None
                if isinstance(step, Wait):
                    await self._sleep(step.seconds)
                else:
                    try:
                        answer = await self._perform(step)
                    except Exception as error:  # noqa: BLE001 - raised again where the step was made
                        failure = error
                step = await anyio.to_thread.run_sync(advance, steps, answer, failure)
        finally:
            steps.close()
        return step.value
