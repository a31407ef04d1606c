"""`POST /posts/optimize-captions`: what it reads, what a model writes, and what is done when that fails."""

import asyncio
import dataclasses
import json
import secrets
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.http_servers import Connection, Server, response, serve
from tests.helpers.unbuilt import without

from signalpost.captions import actions, model
from signalpost.context import AppContext
from signalpost.kit import ids, worker_threads
from signalpost.kit.worker_threads import WAIT_SECONDS
from signalpost.main import app

PATH = "/posts/optimize-captions"
LONG = "A sentence of some words for a caption. " * 20


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


async def optimize(api: Api, key: str, **body: Any) -> dict[str, Any]:
    answer = await api.post(PATH, json=body, key=key)
    assert answer.status_code == 201, answer.text
    captions: dict[str, Any] = answer.json()
    return captions


async def test_each_network_gets_a_caption(api: Api, owner: Login) -> None:
    captions = await optimize(api, owner.key, text=LONG, platforms=["bluesky", "mastodon", "sandbox"])

    assert captions["engine"] == "rules"
    assert captions["usage"] == {"used": 0, "limit": None}
    assert [result["platform"] for result in captions["results"]] == ["bluesky", "mastodon", "sandbox"]
    bluesky, mastodon, sandbox = captions["results"]
    assert (bluesky["limit"], mastodon["limit"], sandbox["limit"]) == (300, 500, 5_000)
    assert all(result["fits"] and result["engine"] == "rules" for result in captions["results"])
    assert bluesky["length"] == len(bluesky["text"]) <= 300
    assert bluesky["thread"][0]["length"] == len(bluesky["thread"][0]["text"])
    assert sandbox["text"] == LONG.strip()
    assert sandbox["thread"] == []


async def test_a_caption_can_be_posted_as_it_is(api: Api, make: Make, owner: Login) -> None:
    """Its text and thread pass the preflight of its network."""
    account = await make.account(owner)
    caption = (await optimize(api, owner.key, text=LONG * 10, platforms=["sandbox"]))["results"][0]
    body = {"profileId": owner.profile, "targets": [{"accountId": account["id"]}], "text": caption["text"]}

    answer = await api.post(
        "/posts/validate", json=body | {"thread": [{"text": part["text"]} for part in caption["thread"]]}, key=owner.key
    )

    assert answer.json()["valid"], answer.text


async def test_a_post_is_rewritten_with_its_thread_and_its_link(api: Api, make: Make, owner: Login) -> None:
    await make.account(owner)
    post = await make.draft(
        owner, text="The first part.", thread=[{"text": "The second."}], link="https://example.com/a", title="News"
    )
    before = (await api.get(f"/posts/{post['id']}", key=owner.key)).json()

    captions = await optimize(api, owner.key, postId=post["id"], platforms=["mastodon"])

    result = captions["results"][0]
    assert result["text"] == "The first part.\n\nThe second."
    assert result["length"] == len(result["text"]) + 2 + 23
    assert [note["code"] for note in result["changes"]] == ["title_left_out"]
    assert (await api.get(f"/posts/{post['id']}", key=owner.key)).json() == before


async def test_the_profile_brings_its_hashtags_and_the_limits_of_its_servers(
    api: Api, owner: Login, make: Make, context: AppContext
) -> None:
    patched = await api.patch(f"/profiles/{owner.profile}", json={"defaultHashtags": ["#bakery"]}, key=owner.key)
    assert patched.status_code == 200, patched.text
    account = await make.account(owner)
    facts = {"limits": {"text": {"max_length": 60}}}
    async with context.database.transaction() as db:
        await db.execute("update account set facts = $2 where id = $1", account_id(account), facts)

    result = (await optimize(api, owner.key, text="Hello.", platforms=["sandbox"], profileId=owner.profile))["results"][
        0
    ]

    assert result["text"] == "Hello.\n\n#bakery"
    assert result["hashtags"] == ["#bakery"]
    assert result["limit"] == 60


def account_id(account: dict[str, Any]) -> Any:
    return ids.decode("acc", account["id"])


@pytest.mark.parametrize(
    ("body", "path", "code"),
    [
        ({}, "/text", "required"),
        ({"text": "a", "postId": "pst_01M7Z0000000000000000000AB"}, "/postId", "not_allowed"),
        ({"title": "a", "postId": "pst_01M7Z0000000000000000000AB"}, "/title", "not_allowed"),
        ({"postId": "pst_01M7Z0000000000000000000AB"}, "/postId", "not_found"),
        ({"text": "a", "profileId": "prof_01M7Z0000000000000000000AB"}, "/profileId", "not_found"),
        ({"text": "a", "platforms": ["blusky"]}, "/platforms/0", "not_allowed"),
        ({"text": "a", "platforms": ["tumblr"]}, "/platforms/0", "not_allowed"),
        ({"text": "a", "platforms": ["sandbox", "sandbox"]}, "/platforms/1", "not_unique"),
        ({"text": "a", "count": 4}, "/count", "out_of_range"),
        ({"text": "a", "language": "German"}, "/language", "format"),
        ({"text": "a" * 65_001}, "/text", "too_long"),
    ],
)
async def test_what_is_wrong_is_named(
    api: Api, owner: Login, body: dict[str, Any], path: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, "tumblr")
    answer = await api.post(PATH, json={"platforms": ["bluesky"]} | body, key=owner.key)

    assert answer.status_code == 422, answer.text
    assert (path, code) in [(issue["path"], issue["code"]) for issue in answer.json()["errors"]]


async def test_others_posts_and_profiles_do_not_exist(api: Api, make: Make, owner: Login) -> None:
    stranger = await make.owner()
    await make.account(stranger)
    post = await make.draft(stranger)

    for body, path in (
        ({"postId": post["id"]}, "/postId"),
        ({"text": "a", "profileId": stranger.profile}, "/profileId"),
    ):
        answer = await api.post(PATH, json=body | {"platforms": ["sandbox"]}, key=owner.key)
        assert [issue["path"] for issue in answer.json()["errors"]] == [path]


async def test_the_rules_say_what_only_a_model_heeds(api: Api, owner: Login) -> None:
    captions = await optimize(
        api, owner.key, text="Hello.", platforms=["sandbox"], tone="funny", count=3, engine="model"
    )

    codes = [note["code"] for note in captions["results"][0]["warnings"]]
    assert codes == ["model_unavailable", "needs_model", "fewer_variants"]


# --- a model --------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Stage:
    """The service with a language model, whose server answers what the test says."""

    api: Api
    server: Server
    answer: bytes = b""

    @property
    def assignment(self) -> dict[str, Any]:
        """What the model was last asked to write."""
        sent = self.server.requests[-1].split(b"\r\n\r\n", 1)[1]
        assignment: dict[str, Any] = json.loads(json.loads(sent)["messages"][1]["content"])
        return assignment

    def writes(self, *captions: dict[str, Any]) -> None:
        self.says(json.dumps({"captions": captions}))

    def says(self, content: str) -> None:
        self.answer = response(200, json.dumps({"choices": [{"message": {"content": content}}]}).encode())


NewStage = Callable[..., AbstractAsyncContextManager[Stage]]


@pytest.fixture
def staged(context: AppContext) -> NewStage:
    @asynccontextmanager
    async def run(**changed: Any) -> AsyncIterator[Stage]:
        async def script(connection: Connection) -> None:
            while True:
                await connection.request()
                await connection.send(stage.answer)
                if stage.answer.endswith(b"short"):
                    return

        async with serve(script) as server:
            settings = dataclasses.replace(
                context.settings,
                caption_model_url=server.url + "v1",
                caption_model="writer",
                caption_model_key="sk-secret",
                allowed_private_hosts=(),
                **changed,
            )
            async with Api(app.create(dataclasses.replace(context, settings=settings))) as api:
                stage = Stage(api, server)
                yield stage

    return run


async def test_a_model_writes_and_the_rules_make_it_fit(staged: NewStage, owner: Login) -> None:
    async with staged() as stage:
        stage.writes(
            {
                "platform": "bluesky",
                "text": "**Menu** is here! " + "Word after word. " * 40,
                "hashtags": ["food", "#Spring"],
            },
            {"platform": "mastodon", "text": "The menu is here.", "hashtags": []},
            {"platform": "mastodon", "text": "The menu is here.", "hashtags": []},
            {"platform": "elsewhere", "text": "Nobody asked."},
        )
        captions = await optimize(
            stage.api, owner.key, text="Our menu.", platforms=["bluesky", "mastodon"], tone="warm", language="en"
        )
        request = stage.server.requests[-1]

    assert captions["engine"] == "model"
    assert captions["usage"]["used"] == 2
    bluesky, mastodon = captions["results"]
    assert (bluesky["engine"], mastodon["engine"], mastodon["text"]) == ("model", "model", "The menu is here.")
    assert bluesky["fits"]
    assert "**" not in bluesky["text"]
    assert bluesky["hashtags"] == ["#food", "#Spring"]
    assert request.startswith(b"POST /v1/chat/completions ")
    assert b"Authorization: Bearer sk-secret\r\n" in request
    assert (stage.assignment["text"], stage.assignment["tone"], stage.assignment["language"]) == (
        "Our menu.",
        "warm",
        "en",
    )
    assert [network["max_length"] for network in stage.assignment["networks"]] == [300, 500]


async def test_what_a_model_invents_is_removed_and_what_it_lost_is_added(staged: NewStage, owner: Login) -> None:
    async with staged() as stage:
        stage.writes(
            {"platform": "sandbox", "text": "Ask @mallory@evil.test at https://evil.test/x \u202eor @ada.test\u0000"}
        )
        captions = await optimize(
            stage.api, owner.key, text="Ask @ada.test. https://example.com/menu", platforms=["sandbox"]
        )

    text = captions["results"][0]["text"]
    assert "evil.test/x" not in text
    assert "@mallory" not in text
    assert "@ada.test" in text
    assert text.endswith("https://example.com/menu")
    assert not {"\u202e", "\u0000"} & set(text)


@pytest.mark.parametrize(
    "answer",
    [
        response(500),
        response(401, b'{"error": "no"}'),
        response(302, b"", "Location: http://127.0.0.1:9/"),
        response(200, b"{}"),
        response(200, b'{"choices": [{"message": {"content": 7}}]}'),
        response(200, b'{"choices": [{"message": {"content": "I cannot do that."}}]}'),
        response(200, b'{"choices": [{"message": {"content": "{\\"captions\\": []}"}}]}'),
        response(200, b"[" * 100_000),
        response(200, b'"' + b"x" * 300_000 + b'"'),
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
        b"nonsense\r\n\r\n",
    ],
    ids=["500", "401", "redirect", "empty", "number", "refusal", "none", "deep", "large", "cut", "nonsense"],
)
async def test_when_the_model_fails_the_rules_write_and_nothing_is_counted(
    staged: NewStage, owner: Login, answer: bytes
) -> None:
    async with staged() as stage:
        stage.answer = answer
        captions = await optimize(stage.api, owner.key, text="Hello.", platforms=["sandbox"], engine="model", count=2)

    assert (captions["engine"], captions["usage"]["used"]) == ("rules", 0)
    warning = captions["results"][0]["warnings"][0]
    assert warning["code"] == "model_unavailable"
    assert "sk-secret" not in json.dumps(captions)


async def test_a_network_that_the_model_left_out_is_written_by_rules(staged: NewStage, owner: Login) -> None:
    async with staged() as stage:
        stage.says('```json\n{"captions": [{"platform": "sandbox", "text": "By the model."}]}\n```')
        captions = await optimize(stage.api, owner.key, text="Hello.", platforms=["sandbox", "bluesky"], count=2)

    assert [(result["platform"], result["engine"]) for result in captions["results"]] == [
        ("sandbox", "model"),
        ("bluesky", "rules"),
    ]
    assert captions["usage"]["used"] == 1


async def test_a_model_that_is_silent_is_given_up(
    staged: NewStage, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "SECONDS_MAX", 0.05)
    async with staged() as stage:  # `answer` is empty
        captions = await optimize(stage.api, owner.key, text="Hello.", platforms=["sandbox"])

    assert (captions["engine"], captions["usage"]["used"]) == ("rules", 0)


async def test_the_model_is_not_asked_by_rules_nor_by_a_test_key(staged: NewStage, owner: Login) -> None:
    async with staged() as stage:
        await optimize(stage.api, owner.key, text="Hello.", platforms=["sandbox"], engine="rules")
        await optimize(stage.api, owner.test_key, text="Hello.", platforms=["sandbox"], engine="model")

        assert stage.server.requests == []


async def test_the_plan_counts_what_the_model_writes(staged: NewStage, make: Make) -> None:
    """Ten a month on the free plan: then `model` is refused, and `auto` is done by rules."""
    free = await make.owner(plan="free")
    async with staged(billing_enabled=True) as stage:
        for number in range(4):
            stage.writes(*({"platform": "sandbox", "text": f"{number} {each}"} for each in range(3)))
            body = {"text": secrets.token_hex(4), "platforms": ["sandbox"], "count": 3}
            captions = await optimize(stage.api, free.key, **body)
        refused = await stage.api.post(PATH, json=body | {"engine": "model"}, key=free.key)

    assert (captions["engine"], captions["usage"]) == ("rules", {"used": 9, "limit": 10})
    assert captions["results"][0]["warnings"][0]["code"] == "model_unavailable"
    assert (refused.status_code, refused.json()["code"]) == (402, "plan_limit_reached")
    assert refused.json()["limit"] == {"name": "aiCaptions", "used": 9, "max": 10, "plan": "free"}


async def test_a_repeated_key_gets_the_first_captions(staged: NewStage, owner: Login) -> None:
    async with staged() as stage:
        stage.writes({"platform": "sandbox", "text": "By the model."})
        headers = {"Idempotency-Key": secrets.token_hex(8)}
        body = {"text": "Hello.", "platforms": ["sandbox"]}
        first, second = [await stage.api.post(PATH, json=body, key=owner.key, headers=headers) for _ in range(2)]

    assert first.json() == second.json()
    assert second.headers["idempotent-replayed"] == "true"
    assert len(stage.server.requests) == 1


async def test_two_requests_of_strangers_stop_nobody_for_longer_than_two_seconds(
    api: Api, make: Make, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What once held both threads for minutes is done; work that would hold them is ended, and who waits is told."""
    strangers = [await make.owner() for _ in range(2)]
    hostile = "\u4e2d" + "\u201c" * 60_000
    answers = await asyncio.gather(
        *(api.post(PATH, json={"text": hostile, "platforms": ["mastodon"]}, key=login.key) for login in strangers)
    )
    assert {answer.status_code for answer in answers} == {201}

    assert WAIT_SECONDS == 2
    monkeypatch.setattr(worker_threads._requests, "_wait_seconds", 0.01)
    monkeypatch.setattr(worker_threads._requests, "_cpu_seconds", 60)
    release, begun = threading.Event(), asyncio.Semaphore(0)
    loop = asyncio.get_running_loop()

    def hold(jobs: object) -> list[Any]:
        loop.call_soon_threadsafe(begun.release)
        release.wait(60)
        return []

    with monkeypatch.context() as patched:
        patched.setattr(actions, "_rewrite", hold)
        slow = [
            asyncio.create_task(api.post(PATH, json={"text": LONG, "platforms": ["mastodon"]}, key=login.key))
            for login in strangers
        ]
        for _ in strangers:
            await begun.acquire()
    refused = await api.post(PATH, json={"text": LONG, "platforms": ["mastodon"]}, key=owner.key)
    release.set()
    await asyncio.gather(*slow)  # only now are the threads free

    assert (refused.status_code, refused.json()["code"], refused.json()["retryable"]) == (503, "unavailable", True)
    assert refused.headers["retry-after"] == "2"
    assert (await optimize(api, owner.key, text="Short.", platforms=["mastodon"]))["results"][0]["fits"]
