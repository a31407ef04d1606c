"""The Python client in a bad world: whatever breaks, an error says what to do, and nothing happens twice."""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx
import pytest
from tests.clients.conftest import Instance
from tests.clients.drivers import WITHOUT_TLS, Place
from tests.counterparts.tools import free_port
from tests.helpers.contract import SOON
from tests.helpers.http_servers import Server, answering, response, serve
from tests.helpers.media_files import image

from signalpost_client import (
    AsyncSignalpost,
    ConfigurationError,
    NotPublished,
    Problem,
    Signalpost,
    SignalpostError,
    UnexpectedResponse,
    Unreachable,
    UploadFailed,
    UploadInterrupted,
    WaitTimeout,
    errors,
)

pytestmark = pytest.mark.xdist_group("clients")
HTML = response(502, b"<html><h1>Bad Gateway</h1></html>", "Content-Type: text/html; charset=utf-8")


def problem(status: int, code: str, *headers: str, **members: Any) -> bytes:
    document = {"status": status, "code": code, "title": code, "detail": f"It is {code}.", "retryable": True} | members
    return response(status, json.dumps(document).encode(), "Content-Type: application/problem+json", *headers)


def answer(document: Any, *headers: str) -> bytes:
    return response(200, json.dumps(document).encode(), "Content-Type: application/json", *headers)


@contextlib.contextmanager
def client(url: str, key: str = "sp_test_key", **options: Any) -> Iterator[tuple[Signalpost, list[float]]]:
    """A client that does not wait, with what it would have waited."""
    waited: list[float] = []
    with httpx.Client(verify=WITHOUT_TLS, timeout=300) as http:
        made = Signalpost(key, base_url=url, http=http, **options)
        made._sleep = waited.append
        yield made, waited


@contextlib.asynccontextmanager
async def async_client(url: str, key: str, **options: Any) -> AsyncIterator[tuple[AsyncSignalpost, list[float]]]:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    async with httpx.AsyncClient(verify=WITHOUT_TLS, timeout=300) as http:
        made = AsyncSignalpost(key, base_url=url, http=http, **options)
        made._sleep = sleep
        yield made, waited


def post_of(place: Place, text: str) -> Any:
    return {"profileId": place.profile, "platforms": ["sandbox"], "text": text}


async def texts(instance: Instance, place: Place) -> list[str]:
    with client(instance.url, place.key) as (made, _):
        return [str(post["text"]) for post in await asyncio.to_thread(list, made.list_posts())]


LOSSES: dict[str, tuple[str | bytes, ...]] = {
    "the request": ("request",),
    "the answer": ("answer",),
    "the answer, then the request": ("answer", "request"),
    "the answer, then a proxy answers": ("answer", HTML),
    "a page of a proxy": (HTML,),
}


@pytest.mark.parametrize("lost", LOSSES.values(), ids=LOSSES)
async def test_a_post_is_created_once_whatever_gets_lost(
    instance: Instance, place: Place, lost: tuple[str | bytes, ...]
) -> None:
    def loses(number: int, request: bytes) -> str | bytes | None:
        return lost[number - 1] if number <= len(lost) else None

    async with instance.unreliable(loses) as network:
        with client(network.url, place.key) as (made, waited):
            post = await asyncio.to_thread(made.create_post, post_of(place, "Once"))
        keys = {re.findall(rb"(?i)idempotency-key: (\S+)", request)[0] for request in network.requests}
        assert len(network.requests) == len(lost) + 1
        assert len(keys) == 1
        async with async_client(network.url, place.key) as (also, _):
            network.requests.clear()
            second = await also.create_post(post_of(place, "Once more"))

    assert len(waited) == len(lost)
    assert post["id"] != second["id"]
    assert await texts(instance, place) == ["Once more", "Once"]


async def test_a_key_of_the_caller_outlives_the_program(instance: Instance, place: Place) -> None:
    """Ctrl-C after the request went out: a second run with the same key gets the first answer."""
    async with instance.unreliable(lambda *_: "answer") as network:
        with client(network.url, place.key, retries_max=0) as (made, _), pytest.raises(Unreachable) as caught:
            await asyncio.to_thread(made.create_post, post_of(place, "Kept"), idempotency_key="cms-4711")
    assert caught.value.idempotency_key == "cms-4711"
    assert "'cms-4711'" in str(caught.value)
    with client(instance.url, place.key) as (made, _):
        post = await asyncio.to_thread(made.create_post, post_of(place, "Kept"), idempotency_key="cms-4711")
    assert post["text"] == "Kept"
    assert await texts(instance, place) == ["Kept"]


async def test_what_may_have_happened_is_said_when_it_cannot_be_repeated(instance: Instance, place: Place) -> None:
    """A lost answer of DELETE: the second one finds nothing."""
    with client(instance.url, place.key) as (made, _):
        profile = await asyncio.to_thread(made.create_profile, {"name": "Short"})
    async with instance.unreliable(lambda number, _: "answer" if number == 1 else None) as network:
        with client(network.url, place.key) as (made, _), pytest.raises(errors.NotFound, match="earlier attempt"):
            await asyncio.to_thread(made.delete_profile, profile["id"])


ANSWERS: dict[str, tuple[tuple[bytes, ...], int, type[SignalpostError] | None, str]] = {
    "busy, then free": ((problem(429, "rate_limited", "Retry-After: 7"), answer({"ok": 1})), 2, None, ""),
    "a restart": ((problem(503, "unavailable"), problem(503, "unavailable"), answer({})), 3, None, ""),
    "away for good": ((problem(503, "unavailable"),), 5, Problem, "It is unavailable"),
    "a fault that stays": ((problem(500, "internal_error", retryable=False),), 1, Problem, "internal_error"),
    "stored with the key": ((problem(422, "host_not_found"),), 1, Problem, "host_not_found"),
    "the first one runs": ((problem(409, "idempotency_in_progress", "Retry-After: 1"), answer({})), 2, None, ""),
    "longer than anybody waits": ((problem(429, "rate_limited", "Retry-After: 3600"),), 1, Problem, "rate_limited"),
    "a code of tomorrow": ((problem(418, "teapot", retryable=False, brew="tea"),), 1, Problem, "It is teapot"),
    "a sign-in page": ((response(200, b"<html>", "Content-Type: text/html"),), 1, UnexpectedResponse, "text/html"),
    "a proxy without service": ((HTML,), 5, UnexpectedResponse, "502 with text/html"),
    "another address": ((response(308, b"", "Location: https://x.test/"),), 1, UnexpectedResponse, "https://x.test/"),
    "another program": ((response(404, b'{"error": "no"}'),), 1, UnexpectedResponse, "not Signalpost"),
    "a list that turns": ((answer({"data": [1], "hasMore": True, "nextCursor": "a"}),), 2, UnexpectedResponse, "back"),
}


@pytest.mark.parametrize(("answers", "requests", "error", "said"), ANSWERS.values(), ids=ANSWERS)
async def test_what_is_repeated_and_what_is_said(
    answers: tuple[bytes, ...], requests: int, error: type[SignalpostError] | None, said: str
) -> None:
    async with serve(answering(*answers)) as server:
        with client(server.url) as (made, waited):
            work: Callable[[], Any] = lambda: made.request("POST", "/posts", body={})  # noqa: E731
            if b"nextCursor" in answers[0]:
                work = lambda: list(made.list_posts())  # noqa: E731
            if error is None:
                await asyncio.to_thread(work)
            else:
                with pytest.raises(error, match=said):
                    await asyncio.to_thread(work)
    assert len(server.requests) == requests
    assert len(waited) == (requests - 1 if b"nextCursor" not in answers[0] else 0)
    for seconds, asked in zip(waited, re.findall(rb"Retry-After: (\d+)", b"".join(answers)), strict=False):
        assert int(asked) <= seconds <= int(asked) + 1


async def test_waits_grow_and_differ_between_clients() -> None:
    async with serve(answering(problem(503, "unavailable"))) as server:
        runs = []
        for _ in range(3):
            with client(server.url) as (made, waited), pytest.raises(errors.Unavailable):
                await asyncio.to_thread(made.get_me)
            runs.append(tuple(waited))
    assert len(set(runs)) == 3
    for waits in runs:
        assert all(longest / 2 <= wait <= longest for wait, longest in zip(waits, (0.5, 1, 2, 4), strict=True))


async def test_what_a_newer_service_says_is_kept() -> None:
    newer = {"id": "pst_1", "status": "simmering", "mood": {"colour": "blue"}, "targets": []}
    async with serve(answering(answer(newer))) as server:
        with client(server.url) as (made, _):
            post = await asyncio.to_thread(made.get_post, "pst_1")
    assert dict(post) == newer
    refused = errors.problem({"code": "from_tomorrow", "detail": "No.", "extra": 1}, 409)
    assert type(refused) is Problem
    assert (refused.code, refused.document["extra"], refused.issues) == ("from_tomorrow", 1, [])


async def test_nobody_is_there(place: Place) -> None:
    with client(f"http://127.0.0.1:{free_port()}", place.key) as (made, waited):
        with pytest.raises(Unreachable, match=r"cannot be reached.*Check the address and that the service runs"):
            await asyncio.to_thread(made.get_me)
        assert len(waited) == 4


async def test_keys_that_open_nothing(instance: Instance, place: Place) -> None:
    stranger = await instance.place()
    with client(instance.url, stranger.key) as (made, _):
        with pytest.raises(errors.ValidationFailed, match="No profile with this id") as caught:
            await asyncio.to_thread(made.create_post, post_of(place, "x"))
        with pytest.raises(errors.NotFound, match="Check the id"):
            await asyncio.to_thread(made.get_profile, place.profile)
    assert caught.value.pointer == "/profileId"
    other_key = place.key[:-1] + ("B" if place.key.endswith("A") else "A")
    with client(instance.url, other_key) as (made, _), pytest.raises(errors.Unauthenticated) as refused:
        await asyncio.to_thread(made.get_me)
    assert refused.value.request_id.startswith("req_")
    assert "the whole key" in refused.value.remediation


async def test_a_refusal_says_where(instance: Instance, place: Place) -> None:
    with client(instance.url, place.key) as (made, _), pytest.raises(errors.ValidationFailed) as caught:
        await asyncio.to_thread(made.create_post, {"profileId": place.profile, "platforms": ["blue sky"]})  # type: ignore[typeddict-item]
    assert caught.value.pointer == "/platforms/0"
    assert (caught.value.issues[0].path, caught.value.issues[0].code) == ("/platforms/0", "not_allowed")
    assert not caught.value.retryable


SET_UPS = {
    "no key": ({"api_key": None}, "An API key is needed"),
    "two lines": ({"api_key": "sp_live\nx"}, "Copy it again"),
    "no scheme": ({"api_key": "k", "base_url": "social.example.com"}, "Give a whole one"),
}


@pytest.mark.parametrize(("options", "said"), SET_UPS.values(), ids=SET_UPS)
def test_a_client_that_cannot_work_is_not_made(
    options: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SIGNALPOST_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match=said):
        Signalpost(**options)


@pytest.mark.parametrize("tail", ["", "/", "/api/v1", "/v1/", "/below/api/v1"])
def test_an_address_may_be_that_of_the_service_or_of_its_api(tail: str) -> None:
    with client("http://127.0.0.1:1" + tail) as (made, _):
        assert made._config.url == "http://127.0.0.1:1" + ("/below" if "below" in tail else "") + "/api/v1"


@pytest.mark.parametrize("identity", ["", ".", ".."])
def test_what_is_not_an_id_reaches_no_other_operation(identity: str) -> None:
    with client("http://127.0.0.1:1") as (made, _), pytest.raises(ConfigurationError):
        made.delete_post(identity)


async def test_an_id_is_one_segment() -> None:
    async with serve(answering(answer({}))) as server:
        with client(server.url) as (made, _):
            await asyncio.to_thread(made.get_post, "a/../b?c")
    assert server.requests[0].startswith(b"GET /api/v1/posts/a%2F..%2Fb%3Fc HTTP/1.1")


# Waiting.


async def test_a_failed_post_says_why_and_what_to_do(instance: Instance, place: Place) -> None:
    with client(instance.url, place.key) as (made, _):
        made._sleep = lambda seconds: asyncio.run(asyncio.sleep(min(seconds, 0.05)))
        post = await asyncio.to_thread(made.create_post, post_of(place, "[[fail:content_rejected]]"))
        with pytest.raises(NotPublished, match=r"is failed\. sandbox \(bakery\): ") as caught:
            await asyncio.to_thread(made.wait_until_published, post["id"])
        assert caught.value.status["failed"] == 1
        draft = await asyncio.to_thread(made.create_post, {"profileId": place.profile, "text": "x", "draft": True})
        with pytest.raises(NotPublished, match="submit it first"):
            await asyncio.to_thread(made.wait_until_published, draft["id"])


async def test_waiting_ends(instance: Instance, place: Place) -> None:
    later = {**post_of(place, "Later"), "scheduledAt": SOON}
    async with async_client(instance.url, place.key) as (made, waited):
        post = await made.create_post(later)
        with pytest.raises(WaitTimeout, match="was not published within 0 seconds: it is scheduled"):
            await made.wait_until_published(post["id"], timeout_seconds=0)
    assert waited == []


# Uploads.


def appended(network: Server) -> list[int]:
    """The bytes that each PATCH carried."""
    return [len(request.partition(b"\r\n\r\n")[2]) for request in network.requests if request.startswith(b"PATCH ")]


PATCHES = {"the request": "request", "the answer": "answer", "a page of a proxy": HTML}


@pytest.mark.parametrize("fault", PATCHES.values(), ids=PATCHES)
async def test_an_upload_goes_on_where_it_broke_off(
    instance: Instance, place: Place, fault: str | bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signalpost_client._uploads.PIECE_BYTES", 8_000)
    content, lost, progress = image("PNG", size=(100, 80)), [fault], []

    def loses(number: int, request: bytes) -> str | bytes | None:
        return lost.pop() if request.startswith(b"PATCH ") and lost else None

    async with instance.unreliable(loses) as network:
        with client(network.url, place.key) as (made, _):
            media = await asyncio.to_thread(
                made.upload, content, name="cat.png", method="resumable", alt_text="A cat",
                on_progress=lambda sent, total: progress.append((sent, total)),
            )  # fmt: skip
    assert (media["status"], media["altText"], media["fileName"]) == ("ready", "A cat", "cat.png")
    again = 0 if fault == "answer" else 8_000
    assert sum(appended(network)) == len(content) + again
    assert progress[-1] == (len(content), len(content))
    assert progress == sorted(progress)


async def test_half_an_upload_is_continued_by_a_second_run(
    instance: Instance, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signalpost_client._uploads.PIECE_BYTES", 8_000)
    content, started = image("PNG", size=(100, 80)), []

    def loses(number: int, request: bytes) -> str | None:
        return "request" if number > 3 else None

    async with instance.unreliable(loses) as network, async_client(network.url, place.key) as (made, _):
        with pytest.raises(UploadInterrupted, match="What arrived is kept for 24 hours") as caught:
            await made.upload(content, name="cat.png", method="resumable", on_started=started.append)
    assert started == [caught.value.upload_id]
    async with instance.unreliable(lambda *_: None) as network, async_client(network.url, place.key) as (made, _):
        with pytest.raises(ConfigurationError, match="the file has 3"):
            await made.upload(b"cat", resume=started[0])
        media = await made.upload(content, resume=started[0])
    assert media["id"] == started[0]
    assert media["status"] == "ready"
    assert sum(appended(network)) == len(content) - 16_000


@pytest.mark.parametrize("method", ["form", "presigned"])
async def test_a_lost_answer_to_an_upload_makes_one_file(instance: Instance, place: Place, method: Any) -> None:
    """The URL of a presigned upload leads past the unreliable network, so the client is led back to it."""
    content, seen, lost = image("PNG"), [], ["answer"]

    def loses(number: int, request: bytes) -> str | None:
        return lost.pop() if request.startswith((b"PUT ", b"POST /api/v1/media/upload ")) and lost else None

    async with instance.unreliable(loses) as network:

        def through(request: httpx.Request) -> None:
            request.url = request.url.copy_with(port=network.port)

        with httpx.Client(verify=WITHOUT_TLS, timeout=300, event_hooks={"request": [through]}) as http:
            made = Signalpost(place.key, base_url=network.url, http=http)
            made._sleep = lambda _: None
            media = await asyncio.to_thread(
                made.upload, content, name="cat.png", method=method, on_progress=lambda *sent: seen.append(sent)
            )
    with client(instance.url, place.key) as (made, _):
        files = await asyncio.to_thread(list, made.list_media())
    assert [file["id"] for file in files] == [media["id"]]
    assert not lost
    assert seen[-1] == (len(content), len(content))
    for request in network.requests:
        assert (b"Bearer" in request) != request.startswith(b"PUT "), "the key goes nowhere but to the API"


async def test_a_file_that_cannot_be_used(instance: Instance, place: Place, tmp_path: Any) -> None:
    with client(instance.url, place.key) as (made, _):
        with pytest.raises((UploadFailed, Problem)):
            await asyncio.to_thread(made.upload, b"not an image", name="cat.png", method="resumable")
        with pytest.raises(ConfigurationError, match="cannot be read: No such file"):
            await asyncio.to_thread(made.upload, tmp_path / "absent.png")
        with pytest.raises(Problem):
            await asyncio.to_thread(made.upload, "http://127.0.0.1:1/cat.png")
