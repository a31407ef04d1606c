"""Threads against its part of the simulator: tokens, threads of replies, polls, and how texts are counted."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from simulator.networks.threads import length as simulated_length
from tests.helpers.networks import FAKES
from tests.helpers.networks.facebook import meta_response
from tests.helpers.networks.instagram import clip, photo, without_url

from signalpost.conformance.harness import Clock, FakeHttp, MemoryJournal, outgoing, server_at, session
from signalpost.networks import CONNECTORS, counting, oauth2, preflight
from signalpost.networks.contract import (
    AuthorizationCode,
    BadCredentials,
    Metrics,
    NetworkSession,
    OAuthApp,
    Outcome,
    Pending,
    Published,
    Refused,
)

THREADS = CONNECTORS["threads"]
CALLBACK = "https://posts.example.com/api/v1/platforms/threads/callback"


class Stage:
    def __init__(self) -> None:
        self.clock = Clock()
        server: Any = FAKES["threads"].server(self.clock)
        self.server, self.world = server, server.world
        self.http = FakeHttp(server)
        self.journal = MemoryJournal()
        self.saved: list[tuple[Mapping[str, str], datetime | None]] = []

    def session(self, **rest: Any) -> NetworkSession:
        async def save(secrets: Mapping[str, str], expires_at: datetime | None) -> None:
            self.saved.append((secrets, expires_at))

        return session(self.http, self.clock, **{**FAKES["threads"].account, "save_tokens": save, **rest})

    async def publish(self, *texts: str, **rest: Any) -> Outcome:
        post = outgoing(*texts, **rest)
        outcome = await THREADS.publish(self.session(), post, self.journal)
        for _ in range(20):
            if not isinstance(outcome, Pending):
                return outcome
            self.clock.advance(outcome.poll_after_seconds)
            assert THREADS.poll is not None
            outcome = await THREADS.poll(self.session(), post, self.journal, outcome.state)
        raise AssertionError("it is pending for ever")


@pytest.fixture
def stage() -> Stage:
    return Stage()


async def test_a_code_becomes_a_token_of_60_days_that_is_renewed(stage: Stage) -> None:
    oauth = THREADS.oauth
    assert oauth is not None
    assert THREADS.refresh is not None
    registered = stage.world.add_app("threads", CALLBACK)
    app = OAuthApp(client_id=registered.client_id, client_secret=registered.client_secret)
    server = server_at(stage.http)
    url = oauth2.authorize_url(oauth.facts, server, app, redirect_uri=CALLBACK, state="s", code_challenge="")
    back = stage.world.networks["threads"].oauth.decide(dict(parse_qsl(urlsplit(url).query)), "bakery", "approve")
    code = AuthorizationCode(
        code=dict(parse_qsl(urlsplit(back).query))["code"] + "#_", redirect_uri=CALLBACK, code_verifier=""
    )

    identity = await oauth.exchange(server, app, code)
    stage.clock.advance(timedelta(days=45).total_seconds())
    await THREADS.refresh(stage.session(secrets=identity.secrets))

    assert (identity.remote_id, identity.username, identity.refreshable) == ("1800", "bakery", True)
    assert identity.profile_url == "https://www.threads.com/@bakery"
    assert stage.saved[0][0]["accessToken"] != identity.secrets["accessToken"]
    with pytest.raises(BadCredentials):
        await oauth.exchange(server, app, code)


async def test_a_thread_is_a_chain_of_replies(stage: Stage) -> None:
    outcome = await stage.publish("one", "two", "three", media=(photo(), clip()), first_comment="and more")

    assert isinstance(outcome, Published)
    entries = stage.server.entries
    ids = [outcome.remote_id, *outcome.thread_ids, outcome.first_comment_id]
    assert [entry.remote_id for entry in entries] == ids
    assert [entry.parent_id for entry in entries] == [None, *ids[:-1]]
    assert entries[0].details["alt_texts"] == ["red square", ""]
    assert outcome.url == f"https://www.threads.com/@bakery/post/D{outcome.remote_id}"


async def test_a_refused_comment_does_not_fail_the_post(stage: Stage) -> None:
    stage.world.networks["threads"].oauth.grants[0].scopes -= {"threads_manage_replies"}

    outcome = await stage.publish("x", first_comment="no")

    assert isinstance(outcome, Published)
    assert (outcome.first_comment_id, outcome.thread_ids) == (None, ())
    assert "permission" in str(outcome.first_comment_error)


async def test_a_parent_that_never_appears_ends_the_thread(stage: Stage) -> None:
    """Threads says the same of a post that is not visible yet and of one that was deleted."""
    await stage.publish("one")
    stage.server.entries[0].deleted_at = stage.clock.now

    outcome: Any = None
    for _ in range(40):
        outcome = await THREADS.publish(stage.session(), outgoing("one", "two"), stage.journal)
        if not isinstance(outcome, Pending):
            break
        stage.clock.advance(10)

    assert type(outcome).__name__ == "TryLater"


async def test_options(stage: Stage) -> None:
    options = {"topicTag": "#bread", "replyControl": "mentioned_only", "poll": ["Rye", "Wheat", "Spelt"]}

    await stage.publish("Which?", options=options)

    [entry] = stage.server.entries
    assert (entry.details["topic"], entry.details["reply_control"]) == ("bread", "mentioned_only")
    assert entry.details["poll"] == {"option_a": "Rye", "option_b": "Wheat", "option_c": "Spelt"}


async def test_a_quote_with_hidden_media(stage: Stage) -> None:
    first = await stage.publish("a post to quote")
    assert isinstance(first, Published)
    stage.journal = MemoryJournal()
    outcome = await stage.publish("look", media=(photo(),), options={"quoteId": first.remote_id, "spoilerMedia": True})

    assert isinstance(outcome, Published)
    entry = stage.server.entries[-1]
    assert (entry.details["quote"], entry.details["spoiler"]) == (first.remote_id, True)
    stage.journal = MemoryJournal()
    assert isinstance(await stage.publish("nothing there", options={"quoteId": "1"}), Refused)


async def test_words_are_hidden_wherever_they_stand(stage: Stage) -> None:
    """Pieces that overlap or touch are one: two would be refused."""
    options = {"spoilerTexts": ["the baker", "baker did", "Rye"]}
    post = outgoing("🎉 Rye: the baker did it, with Rye", options=options)
    assert rules(post) == set()

    outcome = await stage.publish(post.text, options=options)

    assert isinstance(outcome, Published), outcome
    [entry] = stage.server.entries
    assert entry.details["hidden"] == ["Rye", "the baker did", "Rye"]


@pytest.mark.parametrize("link", ["link", "linkAttachment"])
async def test_a_link_is_a_card(stage: Stage, link: str) -> None:
    url = "https://example.com/a"
    await stage.publish("Look", **({"link": url} if link == "link" else {"options": {link: url}}))

    [entry] = stage.server.entries
    assert (entry.text, entry.details["link"]) == ("Look", url)


@pytest.mark.parametrize(
    ("message", "code"),
    [("FAILED_DOWNLOADING_VIDEO", "media_fetch_failed"), ("INVALID_DURATION", "media_unsupported")],
)
async def test_a_failed_container_says_why(stage: Stage, message: str, code: str) -> None:
    stage.world.add_fault("threads", "processing_fails")
    post = outgoing("x", media=(clip(),))
    await THREADS.publish(stage.session(), post, stage.journal)
    [container] = stage.world.networks["threads"].containers.values()
    container.failure = message
    stage.clock.advance(60)

    outcome = await THREADS.publish(stage.session(), post, stage.journal)

    assert isinstance(outcome, Refused)
    assert outcome.code == code


async def test_an_unknown_failure_is_tried_with_another_container(stage: Stage) -> None:
    stage.world.add_fault("threads", "processing_fails")
    post = outgoing("x", media=(clip(),))
    await THREADS.publish(stage.session(), post, stage.journal)
    stage.world.networks["threads"].containers[stage.journal.values["container:0"]["id"]].failure = "UNKNOWN"
    stage.clock.advance(60)

    first = await THREADS.publish(stage.session(), post, stage.journal)
    second = await stage.publish("x", media=(clip(),))

    assert type(first).__name__ == "TryLater"
    assert isinstance(second, Published)


@pytest.mark.parametrize(
    "text", ["plain", "é", "🎉", "👩\u200d👩\u200d👧", "🇩🇪", "1\ufe0f\u20e3", "\U0001d4b3", "日本", "a🎉b" * 60, "\r\n"]
)
def test_emoji_count_their_bytes(text: str) -> None:
    assert counting.text_length(THREADS.facts, text) == simulated_length(text)
    assert counting.text_length(THREADS.facts, "🎉") == 4


def rules(post: Any) -> set[str]:
    return {issue.rule.removeprefix("threads.") for issue in preflight.check(THREADS, post, {})}


LINKS = " ".join(f"https://example.com/{n}" for n in range(5))


@pytest.mark.parametrize(
    ("post", "expected"),
    [
        (outgoing("x" * 500), set()),
        (outgoing("🎉" * 126), {"text.max_length"}),
        (outgoing("x", media=(photo(),) * 21), {"media.max_count", "media.max_total"}),
        (outgoing("x", media=(photo(width=1100, height=100),)), {"media.aspect_ratio"}),
        (outgoing("x", media=(without_url(photo()),)), {"media.public_url"}),
        (outgoing("x", options={"poll": ["a"]}), {"options.type"}),
        (outgoing("x", options={"quoteId": "1", "poll": ["a", "b"]}), {"quote.with_other"}),
        (outgoing("x", link="https://a.b", options={"quoteId": "1"}), {"quote.with_other"}),
        (outgoing("x", options={"spoilerMedia": True}), {"spoiler.without_media"}),
        (outgoing("x", options={"spoilerTexts": ["x", "y"]}), {"spoiler.not_in_text"}),
        (outgoing("x " * 11, options={"spoilerTexts": ["x"]}), {"spoiler.max_places"}),
        (outgoing("x", options={"spoilerTexts": [""]}), {"options.type"}),
        (outgoing("x", media=(photo(),), options={"poll": ["a", "b"]}), {"poll.with_media"}),
        (outgoing("x", options={"poll": ["a", "b"], "linkAttachment": "https://a.b"}), {"poll.with_link"}),
        (outgoing("x", media=(photo(),), options={"linkAttachment": "https://a.b"}), {"link.with_media"}),
        (outgoing(LINKS), set()),
        (outgoing(LINKS, link="https://example.com/more"), {"text.links"}),
        (outgoing("x", options={"topicTag": "a.b"}), {"options.type"}),
    ],
)
def test_preflight_finds_what_threads_would_refuse(post: Any, expected: set[str]) -> None:
    assert rules(post) == expected


async def test_metrics_and_deletion(stage: Stage) -> None:
    assert THREADS.metrics is not None
    assert THREADS.delete is not None
    outcome = await stage.publish("one", "two")
    assert isinstance(outcome, Published)
    stage.clock.advance(360_000)

    numbers = (await THREADS.metrics(stage.session(), [outcome.remote_id]))[outcome.remote_id]
    for _ in range(2):
        await THREADS.delete(stage.session(), outcome.remote_id, outcome.thread_ids)

    assert isinstance(numbers, Metrics)
    assert min(numbers.views or 0, numbers.likes or 0, numbers.shares or 0) > 0
    assert stage.server.entries == []


async def test_an_error_of_publishing_is_checked_against_the_container(stage: Stage) -> None:
    """The call may have published the post and then failed."""
    stage.server.broken["POST /v1.0/1800/threads_publish"] = meta_response(500, 2)

    outcome = await stage.publish("x")

    assert type(outcome).__name__ == "TryLater"
    assert isinstance(await stage.publish("x"), Published)
    assert len(stage.server.entries) == 1
