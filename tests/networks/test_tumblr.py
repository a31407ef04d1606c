"""Tumblr: what a post is made of, which blog it goes to, and that nothing is there twice."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from simulator import Destination, Simulator
from simulator.messages import Request as SimulatedRequest
from tests.helpers.scenes import SCENES
from tests.helpers.scenes.stage import Stage, connected, new_code, server_of

from signalpost.conformance.harness import MemoryJournal, outgoing
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.connectors.tumblr.blocks import content_of
from signalpost.networks.contract import (
    Absent,
    BadCredentials,
    NeedsReconnect,
    OutcomeUnknown,
    Published,
    Refused,
    TryLater,
)

TUMBLR = CONNECTORS["tumblr"]
CREATE = "POST /v2/blog/{blog}/posts"
Connect = Callable[..., Awaitable[Stage]]


@pytest.fixture(scope="module")
async def simulator() -> AsyncIterator[Simulator]:
    async with Simulator(start=datetime.now(UTC).replace(microsecond=0)) as simulator:
        yield simulator


@pytest.fixture
async def connect(simulator: Simulator) -> AsyncIterator[Connect]:
    async with Client() as http:

        async def connect(**changes: Any) -> Stage:
            simulator.world.reset()
            return await connected(simulator, "tumblr", replace(SCENES["tumblr"], **changes), http)

        yield connect


async def published(stage: Stage, post: Any) -> Any:
    """Publish a post, and return it as it is at Tumblr."""
    assert [one for one in preflight.check(TUMBLR, post, {}) if one.severity == "error"] == []
    outcome = await stage.publish(post)
    assert isinstance(outcome, Published), outcome
    return stage.public()[-1]


# --- what a post is made of ------------------------------------------------------------------------------------------


def test_title_text_link_and_files_are_blocks_in_this_order() -> None:
    post = outgoing("one\ntwo\n\n three ", title="Rye  bread", link="https://example.com/a")

    assert content_of(post) == [
        {"type": "text", "subtype": "heading1", "text": "Rye bread"},
        {"type": "text", "text": "one\ntwo"},
        {"type": "text", "text": "three"},
        {"type": "link", "url": "https://example.com/a"},
    ]


def test_addresses_are_links_and_positions_count_code_points() -> None:
    (block,) = content_of(outgoing("👨‍👨‍👦 (see https://example.com/a_b), *not italic*"))

    (link,) = block["formatting"]
    assert link == {"start": 11, "end": 34, "type": "link", "url": "https://example.com/a_b"}
    assert block["text"][link["start"] : link["end"]] == "https://example.com/a_b"
    assert "*not italic*" in block["text"]


def test_markdown_becomes_formatting() -> None:
    marked = "A **bold**, *italic*, ~~gone~~ [loaf](https://example.com/)"
    text = f"# Rye\n> quoted\n- one\n- two\n1. first\n{marked}\n2 * 3 * 4"
    content = content_of(outgoing(text, options={"markdown": True}))

    assert [(block.get("subtype"), block["text"]) for block in content] == [
        ("heading1", "Rye"), ("indented", "quoted"), ("unordered-list-item", "one"), ("unordered-list-item", "two"),
        ("ordered-list-item", "first"), (None, "A bold, italic, gone loaf\n2 * 3 * 4"),
    ]  # fmt: skip
    said = content[-1]["text"]
    assert [(mark["type"], said[mark["start"] : mark["end"]]) for mark in content[-1]["formatting"]] == [
        ("bold", "bold"), ("italic", "italic"), ("strikethrough", "gone"), ("link", "loaf"),
    ]  # fmt: skip


def test_the_marks_of_an_address_are_none() -> None:
    (block,) = content_of(outgoing("https://example.com/*a*b*", options={"markdown": True}))
    assert block["text"] == "https://example.com/*a*b*"
    assert [mark["type"] for mark in block["formatting"]] == ["link"]


def test_long_paragraphs_are_divided_between_words_and_no_word_is_lost() -> None:
    text = " ".join(f"word{number}" for number in range(2_000))
    content = content_of(outgoing(text))

    assert len(content) > 1
    assert max(len(block["text"]) for block in content) <= 4_096
    assert " ".join(block["text"] for block in content) == text
    assert [len(block["text"]) for block in content_of(outgoing("x" * 5_000))] == [4_096, 904]


def test_more_paragraphs_and_links_than_tumblr_takes_stay_text() -> None:
    many = content_of(outgoing("\n\n".join(str(number) for number in range(5_000))))
    links = content_of(outgoing("\n\n".join(f"https://example.com/{number}" for number in range(150))))

    assert len(many) < 20
    assert " ".join(block["text"] for block in many).split() == [str(number) for number in range(5_000)]
    assert sum(len(block.get("formatting", ())) for block in links) == 100
    assert len(links) == 150


async def test_options_are_sent_as_tumblr_has_them(connect: Connect) -> None:
    stage = await connect()
    options = {
        "tags": ["rye", "sour dough", "rye"], "sourceUrl": "https://example.com/s", "slug": "fresh-rye",
        "allowReblogs": False, "labels": ["mature", "violence"],
    }  # fmt: skip
    entry = await published(stage, stage.post("Rye", options=options))

    assert entry.details["tags"] == ["rye", "sour dough"]
    assert (entry.details["source_url"], entry.details["slug"]) == ("https://example.com/s", "fresh-rye")
    assert (entry.details["reblogs"], entry.details["labels"]) == ("noone", ["violence"])
    plain = await published(stage, stage.post("Plain"))
    assert (plain.details["reblogs"], plain.details["labels"], plain.details["state"]) == (
        "everyone",
        None,
        "published",
    )


@pytest.mark.parametrize("value", [["a,b"], ["#rye"], ["x" * 141], ["a"] * 31])
async def test_tags_that_tumblr_would_read_otherwise_are_found_before(value: Any) -> None:
    (issue, *_) = preflight.check(TUMBLR, outgoing("x", options={"tags": value}), {})
    assert issue.path.startswith("/options/tags")


async def test_files_of_all_kinds_stand_in_one_call(connect: Connect) -> None:
    stage = await connect()
    files = tuple(stage.file(kind, number) for number, kind in enumerate(("image", "gif", "video", "audio")))
    entry = await published(stage, stage.post("All", files=files))

    assert [block["type"] for block in entry.details["content"]] == ["text", "image", "image", "video", "audio"]
    assert entry.media == tuple(file.sha256.hex() for file in files)
    assert [logged.call for logged in stage.world.log][-1] == CREATE
    assert sum(logged.call == CREATE for logged in stage.world.log) == 1


# --- blogs -----------------------------------------------------------------------------------------------------------


async def test_each_blog_is_an_account_and_posts_go_to_the_chosen_one(connect: Connect) -> None:
    stage = await connect(destinations=(Destination("t:5001", "blog", "recipes"),))
    assert TUMBLR.destinations is not None
    own, recipes = [one.identity for one in await TUMBLR.destinations(stage.session())]
    assert [(one.username, one.kind) for one in (own, recipes)] == [("alice", "blog"), ("recipes", "blog")]

    stage.identity = recipes
    outcome = await stage.publish(stage.post("Rye"))
    assert isinstance(outcome, Published)
    assert stage.public()[0].details["blog"] == "t:5001"
    assert outcome.url == f"https://www.tumblr.com/recipes/{outcome.remote_id}"


async def test_a_blog_that_was_taken_away_is_told_from_a_token_that_ended(connect: Connect) -> None:
    stage = await connect()
    stage.identity = replace(stage.identity, remote_id="t:9999")
    assert TUMBLR.check is not None
    health = await TUMBLR.check(stage.session())
    assert (health.valid, health.can_post) == (True, False)

    outcome = await stage.publish(stage.post("Rye"))
    assert isinstance(outcome, Refused)
    assert outcome.code == "destination_missing"


async def test_a_refresh_token_is_replaced_and_a_spent_one_needs_a_person(connect: Connect) -> None:
    stage = await connect()
    old = stage.secrets["refreshToken"]
    stage.world.clock.advance(2_520)
    await published(stage, stage.post("Rye"))
    assert stage.secrets["refreshToken"] != old

    stage.secrets = {**stage.secrets, "refreshToken": old, "accessExpiresAt": "2020-01-01T00:00:00Z"}
    assert isinstance(await stage.publish(stage.post("Wheat")), NeedsReconnect)
    assert len(stage.public()) == 1


async def test_a_code_that_was_used_is_refused_with_a_sentence(connect: Connect) -> None:
    stage = await connect()
    flow, code = TUMBLR.oauth, new_code(stage)
    assert flow is not None
    assert stage.app is not None
    server = server_of(stage.simulator, "tumblr", stage.http)
    await flow.exchange(server, stage.app, code)
    with pytest.raises(BadCredentials, match="start again"):
        await flow.exchange(server, stage.app, code)


# --- nothing twice ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["published", "draft", "queue", "private"])
async def test_a_lost_post_is_found_in_the_list_of_its_state(status: str, connect: Connect) -> None:
    stage = await connect()
    stage.world.add_fault("tumblr", "lost", CREATE)
    outcome = await stage.publish(stage.post("Rye & *wheat*", options={"status": status}))

    (entry,) = stage.public()
    assert isinstance(outcome, Published)
    assert (outcome.remote_id, entry.details["state"]) == (entry.remote_id, status)
    assert (outcome.url is None, outcome.delivery) == (
        status != "published",
        "live" if status == "published" else "private",
    )


async def test_a_lost_post_is_found_behind_others_and_a_pinned_one(connect: Connect) -> None:
    stage = await connect()
    pinned = await published(stage, stage.post("Pinned"))
    pinned.details["pinned"] = True
    stage.world.clock.advance(86_400)
    post, journal = stage.post("Rye"), MemoryJournal()
    stage.world.add_fault("tumblr", "lost", CREATE)
    assert isinstance(await TUMBLR.publish(stage.session(), post, journal), OutcomeUnknown)
    for number in range(45):
        await published(stage, stage.post(f"Other {number}"))

    assert TUMBLR.reconcile is not None
    found = await TUMBLR.reconcile(stage.session(), post, journal)
    assert isinstance(found, Published)
    assert found.remote_id == next(entry.remote_id for entry in stage.public() if entry.text == "Rye")


async def test_an_old_post_with_the_same_words_is_another_one(connect: Connect) -> None:
    stage = await connect()
    old = await published(stage, stage.post("Rye"))
    stage.world.clock.advance(3_600)
    stage.world.add_fault("tumblr", "dropped", CREATE)
    new = await published(stage, stage.post("Rye"))
    assert len(stage.public()) == 2
    assert new.remote_id != old.remote_id


async def test_the_same_words_with_another_link_are_not_mistaken(connect: Connect) -> None:
    stage = await connect()
    post, journal = stage.post("Rye", link="https://example.com/a"), MemoryJournal()
    stage.world.add_fault("tumblr", "dropped", CREATE)
    assert isinstance(await TUMBLR.publish(stage.session(), post, journal), OutcomeUnknown)
    await published(stage, stage.post("Rye", link="https://example.com/b"))
    stage.world.clock.advance(600)

    assert TUMBLR.reconcile is not None
    outcome = await TUMBLR.reconcile(stage.session(), post, journal)
    assert isinstance(outcome, OutcomeUnknown)
    assert "another link" in outcome.message


async def test_private_posts_that_are_not_listed_are_not_sent_again(connect: Connect) -> None:
    stage = await connect()
    for status, expected in (("private", OutcomeUnknown), ("draft", Absent)):
        post, journal = stage.post("Rye", options={"status": status}), MemoryJournal()
        stage.world.add_fault("tumblr", "dropped", CREATE)
        assert isinstance(await TUMBLR.publish(stage.session(), post, journal), OutcomeUnknown)
        stage.world.clock.advance(600)
        assert TUMBLR.reconcile is not None
        assert isinstance(await TUMBLR.reconcile(stage.session(), post, journal), expected)


async def test_a_video_is_waited_for_while_tumblr_converts_it(connect: Connect) -> None:
    stage = await connect()
    post, journal = stage.post("Film", files=(stage.file("video"),)), MemoryJournal()
    stage.world.add_fault("tumblr", "lost", CREATE)
    assert isinstance(await TUMBLR.publish(stage.session(), post, journal), OutcomeUnknown)
    early = await TUMBLR.publish(stage.session(), post, journal)
    assert isinstance(early, OutcomeUnknown)
    assert early.tells_after_seconds is not None
    assert early.tells_after_seconds > 1_500

    second = await stage.connector.publish(
        stage.session(), stage.post("Another", files=(stage.file("video", 1),)), MemoryJournal()
    )
    assert isinstance(second, TryLater)
    assert (second.code, second.platform_code) == ("platform_quota", "8010")
    stage.world.clock.advance(60)
    assert isinstance(await TUMBLR.publish(stage.session(), post, journal), Published)
    assert len(stage.public()) == 1


async def test_the_limit_of_a_day_is_waited_for(connect: Connect) -> None:
    stage = await connect()
    for _ in range(250):
        stage.world.count(("tumblr", "posts", stage.world.person("tumblr", "alice").id), 250, 86_400)
    outcome = await TUMBLR.publish(stage.session(), stage.post("One more"), MemoryJournal())
    assert isinstance(outcome, TryLater)
    assert (outcome.code, outcome.platform_code) == ("platform_quota", "8023")
    assert "in a day" in outcome.message

    stage.world.clock.advance(timedelta(days=1).total_seconds() + 1)
    await published(stage, stage.post("One more"))


async def test_the_form_has_the_post_first_and_then_its_files_by_their_names(connect: Connect) -> None:
    """As tumblr.js 5 and npf-spec.md have it: the part `json` is JSON, and no file."""
    stage = await connect()
    files = (stage.file("image", alt_text="A loaf"), stage.file("image", 1))
    await published(stage, stage.post("Rye", files=files))

    logged = stage.world.log[-1]
    form = SimulatedRequest("POST", logged.target, logged.headers, logged.body).form
    assert [*form] == ["json", "file-0", "file-1"]
    head = logged.body.partition(b"\r\n\r\n")[0]
    assert b"Content-Type: application/json" in head
    assert b"filename" not in head
    image = json.loads(form["json"])["content"][1]
    assert image == {
        "type": "image", "alt_text": "A loaf",
        "media": [{"type": "image/jpeg", "identifier": "file-0", "width": 1080, "height": 1080}],
    }  # fmt: skip
