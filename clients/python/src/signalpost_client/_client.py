"""The client for programs that wait for each call."""

import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import httpx

from signalpost_client._call import Call, Config
from signalpost_client._generated.operations import Operations
from signalpost_client._pages import Page, Pages
from signalpost_client._steps import Done, Response, Steps, Wait, advance
from signalpost_client._uploads import Method, Progress, Source, Upload
from signalpost_client._waiting import until_published

if TYPE_CHECKING:
    from signalpost_client import models

TIMEOUT_SECONDS = 60.0


class Signalpost(Operations):
    """The API of one instance, with one key. Use it in `with`, or call `close`; threads may share it.

    Args:
        api_key: or SIGNALPOST_API_KEY.
        base_url: of the instance, or SIGNALPOST_API_URL; by default one on this machine.
        workspace_id: the workspace to act in, for access tokens; a key has one.
        retries_max: how often a call is repeated that got no answer, or one that passes.
        timeout_seconds: how long an attempt may wait for the next byte.
        http: a client of your own, for proxies or certificates; you close it.
    """

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        workspace_id: str | None = None,
        retries_max: int = 4,
        timeout_seconds: float = TIMEOUT_SECONDS,
        http: httpx.Client | None = None,
    ) -> None:
        self._config = Config.of(api_key, base_url, workspace_id, retries_max)
        self._http = http or httpx.Client(timeout=timeout_seconds)
        self._owns_http = http is None
        self._sleep: Callable[[float], None] = time.sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        if self._owns_http:
            self._http.close()

    def request(self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: Any = None) -> Any:
        """Call an operation that this version has no method for, such as `/posts`, with the same retries."""
        return self._call(method, path, query=query or {}, body=body)

    def upload(
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
        """Upload a file, and return it when it can be used in posts.

        Args:
            source: a path, bytes, an open file, or the https address of a file that the service fetches.
            method: `form` for small files, `resumable` for large ones; `presigned` sends the bytes without the key.
            name: of the file; by default that of the path.
            content_type: by default guessed from the name; the service reads the type from the content.
            alt_text: describes the file for people who cannot see it.
            profile_id: the profile that the file belongs to.
            resume: the id of an upload that broke off: what arrived is not sent again.
            on_progress: called with the bytes that were sent, and all bytes.
            on_started: called with the id of a resumable upload, which `resume` takes.
            idempotency_key: of your own.

        Raises:
            UploadInterrupted: a resumable upload broke off; it can be resumed.
            UploadFailed: the file cannot be used.
        """
        upload = Upload(
            source, method, name, content_type, alt_text, profile_id, resume, on_progress, on_started, idempotency_key
        )
        media: models.Media = self._run(upload.steps(self._config))
        return media

    def wait_until_published(self, post_id: str, *, timeout_seconds: float = 300.0) -> "models.PostProgress":
        """Return the status of a post when it is published everywhere.

        Raises:
            NotPublished: it failed at one network or more, or it is a draft; the message says why and what to do.
            WaitTimeout: it is neither published nor failed.
        """
        status: models.PostProgress = self._run(until_published(self._config, post_id, timeout_seconds))
        return status

    def _call(self, method: str, path: str, **options: Any) -> Any:
        return self._perform(Call(self._config, method, path, **options)).value

    def _pages(self, method: str, path: str, **options: Any) -> Pages[Any]:
        def get(cursor: str | None) -> Page:
            page: Page = self._call(method, path, query={**options.get("query", {}), "cursor": cursor})
            return page

        return Pages(get)

    def _perform(self, call: Call) -> Response:
        while True:
            try:
                response = self._http.request(**call.request)
            except httpx.TransportError as error:
                self._sleep(call.failed(error))
                continue
            wait = call.answered(response.status_code, response.headers, response.content)
            if wait is None:
                value = call.result(response.headers, response.status_code, response.content)
                return Response(value, response.headers)
            self._sleep(wait)

    def _run(self, steps: Steps[Any]) -> Any:
        step = advance(steps, None, None)
        try:
            while not isinstance(step, Done):
                answer, failure = None, None
                if isinstance(step, Wait):
                    self._sleep(step.seconds)
                else:
                    try:
                        answer = self._perform(step)
                    except Exception as error:  # noqa: BLE001 - raised again where the step was made
                        failure = error
                step = advance(steps, answer, failure)
        finally:
            steps.close()
        return step.value
