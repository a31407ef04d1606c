"""What is particular about X: long posts, changed texts, segments, options, and tokens that work once."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from simulator import Entry, Simulator
from simulator.text import weighted
from tests.helpers.scenes import SCENES
from tests.helpers.scenes.stage import Stage, connected

from signalpost.conformance.harness import MemoryJournal, image, outgoing
from signalpost.kit import clock
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.connectors.x import media
from signalpost.networks.connectors.x.facts import PREMIUM_LIMITS
from signalpost.networks.contract import Absent, NeedsReconnect, OutcomeUnknown, Published, Refused
from signalpost.networks.counting import text_length

X = CONNECTORS["x"]


@pytest.fixture(scope="module")
async def simulator() -> AsyncIterator[Simulator]:
    async with Simulator(start=datetime.now(UTC)) as simulator:
        yield simulator


@pytest.fixture
async def connect(simulator: Simulator) -> AsyncIterator[Callable[..., Awaitable[Stage]]]:
    async with Client() as http:

        async def connect(**details: Any) -> Stage:
            simulator.world.reset()
            simulator.world.clock.set(clock.now())  # by which the tokens are dated that a code is redeemed for
            simulator.world.add_person("x", "alice", details=details)
            return await connected(simulator, "x", SCENES["x"], http)

        yield connect


Connect = Callable[..., Awaitable[Stage]]


def film(duration_ms: int) -> Any:
    return image(None, kind="video", mime_type="video/mp4", duration_ms=duration_ms)


ODD_TEXTS = (
    "a < b && c > d &amp; &lt;",
    "see https://Example.com/path/?q=ä and example.org/x, then\n\nhttps://example.com.",
    "@bob look at   this\n",
    "Ünïcödé e\u0301 👨‍👩‍👧",
)


@pytest.mark.parametrize("text", ODD_TEXTS)
@pytest.mark.parametrize("files", [0, 2])
async def test_a_lost_post_is_found_although_x_changes_its_text(text: str, files: int, connect: Connect) -> None:
    """X escapes texts, shortens addresses, and adds one for the media."""
    stage = await connect()
    post = stage.post(text, files=tuple(stage.file("image", number) for number in range(files)))
    stage.world.add_fault("x", "lost", "POST /2/tweets")
    outcome = await stage.publish(post)

    assert isinstance(outcome, Published)
    assert [entry.remote_id for entry in stage.public()] == [outcome.remote_id]


async def test_a_long_post_of_a_premium_account(connect: Connect) -> None:
    text = "long & longer " * 200
    plain = await connect()
    (issue,) = preflight.check(X, plain.post(text), plain.identity.facts)
    assert issue.rule == "x.text.max_weighted"

    stage = await connect(subscription_type="Premium")
    post = stage.post(text)
    assert preflight.check(X, post, stage.identity.facts) == []
    stage.world.add_fault("x", "lost", "POST /2/tweets")
    assert isinstance(await stage.publish(post), Published)
    assert len(stage.public()) == 1


async def test_what_is_not_the_same_post_is_not_found(connect: Connect) -> None:
    """Same text in another thread, another number of files, or from before: none of them is the one that was lost."""
    stage = await connect()
    earlier = await stage.publish(stage.post("first", "the text"))
    assert isinstance(earlier, Published)
    journal = MemoryJournal()
    stage.world.add_fault("x", "dropped", "POST /2/tweets")
    post = stage.post("the text", files=(stage.file("image"),))
    assert isinstance(await X.publish(stage.session(), post, journal), OutcomeUnknown)
    assert X.reconcile is not None
    early = await X.reconcile(stage.session(), post, journal)
    assert isinstance(early, OutcomeUnknown)
    assert early.tells_after_seconds is not None
    stage.world.clock.advance(early.tells_after_seconds)
    assert isinstance(await X.reconcile(stage.session(), post, journal), Absent)


async def test_a_duplicate_after_a_lost_answer_is_our_own_post(connect: Connect) -> None:
    """The list does not show it yet, so it is sent again; that X refuses it proves that it is there."""
    stage = await connect()
    stage.world.add_fault("x", "lost", "POST /2/tweets")
    stage.world.add_fault("x", "eventual", times=None, seconds=200)
    outcome = await stage.publish(stage.post("late"))

    assert isinstance(outcome, Published)
    assert [entry.remote_id for entry in stage.public()] == [outcome.remote_id]


async def test_a_list_that_lacks_what_was_asked_for_proves_nothing(connect: Connect) -> None:
    """X answers with 200 and leaves out what it does not know by the name that was asked for."""
    stage = await connect()
    journal, post = MemoryJournal(), stage.post("the text")
    stage.world.add_fault("x", "lost", "POST /2/tweets")
    assert isinstance(await X.publish(stage.session(), post, journal), OutcomeUnknown)
    stage.world.clock.advance(600)
    bare = {"data": [{"id": "1", "text": "the text"}], "meta": {"result_count": 1}}
    stage.world.add_fault("x", "answer", "GET /2/users/{id}/tweets", status=200, body=bare)
    assert X.reconcile is not None

    assert isinstance(await X.reconcile(stage.session(), post, journal), OutcomeUnknown)
    assert isinstance(await X.reconcile(stage.session(), post, journal), Published)


async def test_options_arrive(connect: Connect) -> None:
    stage = await connect()
    options = {
        "replySettings": "mentionedUsers", "madeWithAi": True, "paidPartnership": True, "communityId": "77",
        "poll": {"options": ["yes", "no"], "minutes": 60},
    }  # fmt: skip
    post = stage.post("asked", "and a reply", options=options)
    assert preflight.check(X, post, stage.identity.facts) == []
    assert isinstance(await stage.publish(post), Published)

    first, second = stage.public()
    assert first.details["poll"] == {"options": ["yes", "no"], "duration_minutes": 60}
    assert (first.details["reply_settings"], first.details["community_id"]) == ("mentionedUsers", "77")
    assert first.details["made_with_ai"] is first.details["paid_partnership"] is True
    assert second.details["poll"] is None


async def test_a_reply_to_someone_else(connect: Connect) -> None:
    stage = await connect()
    outcome = await stage.publish(stage.post("hi", options={"replyToId": "12345"}))
    assert isinstance(outcome, Refused)
    assert outcome.code == "destination_missing"
    own = await stage.publish(stage.post("mine"))
    assert isinstance(own, Published)
    assert isinstance(await stage.publish(stage.post("more", options={"replyToId": own.remote_id})), Published)


@pytest.mark.parametrize(
    ("post", "rule"),
    [
        (outgoing("$AAPL $MSFT"), "x.text.max_cashtags"),
        (outgoing("ok", "$AAPL $MSFT"), "x.text.max_cashtags"),
        (outgoing("a" * 281), "x.text.max_weighted"),
        (outgoing("x", options={"poll": {"options": ["a"], "minutes": 5}}), "x.options.type"),
        (outgoing("x", options={"replyToId": "abc"}), "x.options.type"),
        (outgoing("x", options={"replyToId": "1", "replySettings": "following"}), "x.reply.with_settings"),
        (outgoing("ok", "thanks to @alice and @bob!"), "x.text.mentions"),
        (outgoing("x", media=(film(140_001),)), "x.media.long"),
        (outgoing("x", media=(film(1_200_001),)), "x.media.max_duration"),
        (outgoing("x", options={"quoteId": "1", "poll": {"options": ["a", "b"], "minutes": 5}}), "x.quote.with_media"),
    ],
)
def test_preflight(post: Any, rule: str) -> None:
    assert rule in [issue.rule for issue in preflight.check(X, post, {})]


def test_what_x_may_refuse_is_a_warning() -> None:
    post = outgoing("with @alice, not mail@example.com", "more @bob", media=(film(600_000),))
    issues = preflight.check(X, post, {})
    assert [(issue.rule, issue.path, issue.severity) for issue in issues] == [
        ("x.text.mentions", "/text", "warning"),
        ("x.text.mentions", "/thread/0/text", "warning"),
        ("x.media.long", "/media/0", "warning"),
    ]
    premium = {"subscription": "Premium", "limits": PREMIUM_LIMITS}
    assert preflight.check(X, outgoing("film", media=(film(600_000),)), premium) == []
    own = {"replyToId": "1", "replySettings": "everyone"}
    issues = preflight.check(X, outgoing("@alice you asked", options=own), {})
    assert [(issue.rule, issue.severity) for issue in issues] == [("x.reply.uninvited", "warning")]
    issues = preflight.check(X, outgoing("see", options={"quoteId": "1"}), {})
    assert [(issue.rule, issue.severity) for issue in issues] == [("x.quote.uninvited", "warning")]


async def test_a_reply_may_not_say_who_can_reply(connect: Connect) -> None:
    stage = await connect()
    own = await stage.publish(stage.post("mine"))
    assert isinstance(own, Published)
    options = {"replyToId": own.remote_id, "replySettings": "following"}
    assert isinstance(await stage.publish(stage.post("more", options=options)), Refused)


async def test_a_reply_to_whom_did_not_ask_is_refused_with_the_reason(connect: Connect) -> None:
    """Whoever mentions the account, or quotes one of its posts, may be answered; nobody else."""
    stage = await connect()
    own = await stage.publish(stage.post("mine"))
    assert isinstance(own, Published)
    cases = {
        "hello": ({}, Refused),
        "hi @alice": ({}, Published),
        "look": ({"quote_tweet_id": own.remote_id}, Published),
    }
    for number, (text, (details, kind)) in enumerate(cases.items()):
        other = Entry("x", "somebody", "post", f"8{number}", text, stage.world.clock(), details=details)
        stage.world.ledger.add(other)
        outcome = await stage.publish(stage.post(f"answer {number}", options={"replyToId": other.remote_id}))
        assert isinstance(outcome, kind), (text, outcome)
        if isinstance(outcome, Refused):
            assert outcome.code == "content_rejected"
            assert "mentions this account" in (outcome.remediation or "")


async def test_posts_of_ones_own_and_posts_that_mention_the_account_can_be_quoted(connect: Connect) -> None:
    stage = await connect()
    own = await stage.publish(stage.post("mine"))
    assert isinstance(own, Published)
    assert isinstance(await stage.publish(stage.post("see", options={"quoteId": own.remote_id})), Published)
    for text, kind in {"hello": Refused, "hello @alice": Published}.items():
        other = Entry("x", "somebody", "post", f"9{len(text)}", text, stage.world.clock())
        stage.world.ledger.add(other)
        quote = stage.post(f"look at {text}".replace("@", ""), options={"quoteId": other.remote_id})
        assert isinstance(await stage.publish(quote), kind)


async def test_an_image_is_sent_with_the_members_that_x_specifies(connect: Connect) -> None:
    stage = await connect()
    assert isinstance(await stage.publish(stage.post("x", files=(stage.file("image"),))), Published)
    form = next(logged.body for logged in stage.world.log if logged.call == "POST /2/media/upload")
    assert b'name="media_category"' in form
    assert b'name="media_type"' not in form


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("see example.com.", 28),
        ("www.example.org/a/b?c=1, ok", 27),
        ("https://example.com/x and example.com", 51),
        ("日本.com ok", 26),
        ("e.g. this", 9),
        ("end.Next", 8),
        ("mail me@example.com", 19),
        ("v2.0.1 of example.community", 27),
    ],
)
def test_a_domain_without_a_scheme_is_an_address_too(text: str, length: int) -> None:
    """X makes links of them, so what seems short may be too long."""
    assert text_length(X.facts, text) == length == weighted(text)


def test_one_cashtag_and_prices_are_fine() -> None:
    assert preflight.check(X, outgoing("$AAPL costs $100, or US$5 $ a$b"), {}) == []


async def test_a_long_upload_is_interrupted_and_goes_on(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    """An attempt has an end: what was sent is kept, and nothing of it is sent twice."""
    monkeypatch.setattr(media, "SEGMENT_BYTES", 4_000)
    monkeypatch.setattr(media, "ATTEMPT_SECONDS", -1.0)
    stage = await connect()
    file = stage.file("video")
    outcome = await stage.publish(stage.post("film", files=(file,)))

    assert isinstance(outcome, Published), outcome
    assert stage.public()[0].media == (file.sha256.hex(),)
    calls = [logged.call for logged in stage.world.log]
    assert calls.count("POST /2/media/upload/{id}/append") == -(-file.size_bytes // 4_000)
    assert calls.count("POST /2/media/upload/initialize") == 1


async def test_tokens_are_renewed_before_a_post_and_stored(connect: Connect) -> None:
    """Each refresh token works once: a second use of one would end the grant."""
    stage = await connect()
    for number in range(3):
        stage.world.clock.advance(7_100)
        assert isinstance(await stage.publish(stage.post(f"post {number}")), Published)
    assert len(stage.public()) == 3
    assert len({logged.body for logged in stage.world.log if logged.call == "POST /2/oauth2/token"}) == 4


async def test_a_dead_grant(connect: Connect) -> None:
    stage = await connect()
    stage.world.networks["x"].oauth.grants[0].revoked = True
    stage.world.clock.advance(8_000)
    journal = MemoryJournal()
    outcome = await X.publish(stage.session(), stage.post("never"), journal)

    assert isinstance(outcome, NeedsReconnect)
    assert journal.log == []  # nothing was intended, so nothing is unknown
