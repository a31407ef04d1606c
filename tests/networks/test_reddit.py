"""What is particular about Reddit: rules of subreddits, answers without an id, limits in words, hidden posts."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from simulator import Simulator
from simulator.networks import reddit_files
from tests.helpers.scenes import SCENES
from tests.helpers.scenes.reddit import ASSET, BREAD, CREATE, FLAIRS, GALLERY, said
from tests.helpers.scenes.stage import Stage, connected

from signalpost.conformance.harness import MemoryJournal, image, outgoing
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.contract import Absent, OutcomeUnknown, Pending, Published, Refused, TryLater

REDDIT = CONNECTORS["reddit"]
RECIPE = {"flairId": FLAIRS[0]["id"]}
LINK = "https://example.com/rye"
Connect = Callable[..., Awaitable[Stage]]


@pytest.fixture(scope="module")
async def simulator() -> AsyncIterator[Simulator]:
    async with Simulator(start=datetime.now(UTC)) as simulator:
        yield simulator


@pytest.fixture
async def connect(simulator: Simulator) -> AsyncIterator[Connect]:
    async with Client() as http:

        async def connect(**details: Any) -> Stage:
            """Connect an account that has joined a subreddit with these members."""
            simulator.world.reset()
            bread = replace(BREAD, details={**BREAD.details, **details})
            return await connected(simulator, "reddit", replace(SCENES["reddit"], destinations=(bread,)), http)

        yield connect


def calls(stage: Stage) -> list[str]:
    return [entry.call for entry in stage.world.log]


def wanting(**requirements: Any) -> dict[str, Any]:
    return {"requirements": requirements}


IMAGES: Mapping[str, Any] = {"media": (image(mime_type="image/png"),) * 2}
REFUSALS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "may_not_post": ({"user_is_banned": True}, {}, "permission_missing"),
    "may_not_post in a restricted one": ({"subreddit_type": "restricted"}, {}, "permission_missing"),
    "may_not_post in a private one": ({"reason": "private"}, {}, "permission_missing"),
    "missing": ({"reason": "banned"}, {}, "destination_missing"),
    "no_text_posts": ({"submission_type": "link"}, {}, "content_rejected"),
    "no_links": ({"submission_type": "self"}, {"link": LINK}, "content_rejected"),
    "no_files": ({"allow_galleries": False}, IMAGES, "media_unsupported"),
    "flair_required": (wanting(is_flair_required=True), {}, "content_rejected"),
    "title_too_short": (wanting(title_text_min_length=20), {}, "content_rejected"),
    "title_too_long": (wanting(title_text_max_length=5), {}, "text_too_long"),
    "title_needs_words": (wanting(title_required_strings=["[Recipe]"]), {}, "content_rejected"),
    "title_has_words": (wanting(title_blacklisted_strings=["TITLE"]), {}, "content_rejected"),
    "text_has_words": (wanting(body_blacklisted_strings=["cake"]), {"text": "No cake!"}, "content_rejected"),
    "text_too_short": (wanting(body_text_min_length=100), {}, "content_rejected"),
    "no_body": (wanting(body_restriction_policy="notAllowed"), {}, "content_rejected"),
    "body_required": (wanting(body_restriction_policy="required"), {"text": ""}, "content_rejected"),
    "website_refused": (
        wanting(link_restriction_policy="blacklist", domain_blacklist=["example.com"]), {"link": LINK},
        "content_rejected",
    ),
    "other_websites": (
        wanting(link_restriction_policy="whitelist", domain_whitelist=["bread.org"]), {"link": LINK},
        "content_rejected",
    ),
}  # fmt: skip


async def test_what_a_subreddit_refuses_is_said_before_anything_is_sent(connect: Connect) -> None:
    for name, (details, content, code) in REFUSALS.items():
        stage = await connect(**details)
        post = outgoing(
            content.get("text", "Sour dough"), title="A title", options={"subreddit": "Bread"},
            **{key: value for key, value in content.items() if key != "text"},
        )  # fmt: skip
        assert preflight.check(REDDIT, post, stage.identity.facts) == [], name
        outcome = await stage.publish(post)

        assert isinstance(outcome, Refused), (name, outcome)
        assert (outcome.rule, outcome.code) == (f"reddit.subreddit.{name.split()[0]}", code)
        assert not {CREATE, GALLERY, ASSET} & {*calls(stage)}, name


async def test_all_that_is_wrong_is_said_at_once(connect: Connect) -> None:
    stage = await connect(**wanting(is_flair_required=True, title_text_max_length=5), submission_type="link")
    outcome = await stage.publish(stage.post("Sour dough"))

    assert isinstance(outcome, Refused)
    assert all(word in outcome.message for word in ("no text posts", "7 characters and may have 5", "flair"))


@pytest.mark.parametrize(
    ("details", "options"),
    [
        ({"user_is_moderator": True, "subreddit_type": "restricted", **wanting(is_flair_required=True)}, {}),
        (wanting(is_flair_required=True), {"subreddit": "u_alice"}),
        (wanting(is_flair_required=True), RECIPE),
        (wanting(title_blacklisted_strings=["itl"], title_text_min_length=None), {"subreddit": "u_ALICE"}),
    ],
)  # fmt: skip
async def test_moderators_profiles_and_posts_with_a_flair_are_not_refused(
    connect: Connect, details: dict[str, Any], options: dict[str, Any]
) -> None:
    stage = await connect(**details)
    assert isinstance(await stage.publish(stage.post("Sour dough", options=options)), Published)


async def test_rules_that_reddit_does_not_say_now_leave_the_post_for_later(connect: Connect) -> None:
    stage = await connect()
    stage.world.add_fault("reddit", "status", "GET /r/{sr}/about", status=503)
    first = await REDDIT.publish(stage.session(), stage.post("Sour dough"), MemoryJournal())

    assert isinstance(first, TryLater)
    assert CREATE not in calls(stage)


async def test_a_rule_that_only_reddit_knows_is_told_in_its_words(connect: Connect) -> None:
    """Such as a word inside of another: what stands by itself is refused here."""
    stage = await connect(**wanting(title_blacklisted_strings=["itl"]))
    outcome = await stage.publish(stage.post("Sour dough"))

    assert isinstance(outcome, Refused)
    assert (outcome.platform_code, outcome.http_status) == ("SUBMIT_VALIDATION_TITLE_BLACKLISTED_STRING", 400)
    assert 'You may not have "itl" in your title.' in outcome.message


async def test_a_flair_that_is_gone_is_refused(connect: Connect) -> None:
    stage = await connect()
    outcome = await stage.publish(stage.post("Sour dough", options={"flairId": "0f7a1c3e-0000"}))

    assert isinstance(outcome, Refused)
    assert outcome.rule == "reddit.flair.missing"
    assert CREATE not in calls(stage)


async def test_a_post_has_everything_that_was_chosen(connect: Connect) -> None:
    stage = await connect()
    options = {**RECIPE, "flairText": "My recipe", "nsfw": True, "spoiler": True, "sendReplies": False}
    assert isinstance(await stage.publish(stage.post("**Sour** dough", options=options, link=LINK)), Published)

    (entry,) = stage.public()
    assert entry.text == "**Sour** dough"
    shown = {"kind": "link", "url": LINK, "flair": "My recipe", "nsfw": True, "spoiler": True, "sendreplies": False}
    assert shown.items() <= entry.details.items()
    agents = {entry.headers["user-agent"] for entry in stage.world.log if entry.call.startswith("POST /api/s")}
    assert agents == {f"web:{stage.app.client_id}:v1 (by /u/alice)"}  # type: ignore[union-attr]


async def test_a_title_alone_and_a_crosspost(connect: Connect) -> None:
    stage = await connect()
    alone = stage.post("", title="What bread?")
    assert preflight.check(REDDIT, alone, {}) == []
    first = await stage.publish(alone)
    assert isinstance(first, Published)
    stage.world.add_fault("reddit", "lost", CREATE)
    shared = first.remote_id.removeprefix("t3_")
    second = await stage.publish(stage.post("", title="Good question", options={"crosspostOf": shared}))

    assert isinstance(second, Published)
    assert [entry.details.get("crosspost_parent") for entry in stage.public()] == [None, first.remote_id]
    assert stage.public()[1].remote_id == second.remote_id


# --- answers -------------------------------------------------------------------------------------------------------


async def test_a_warning_beside_a_post_is_no_failure(connect: Connect) -> None:
    """Reddit makes the post and says that the next one has to wait: praw-dev/praw issue 1768."""
    stage = await connect()
    stage.world.add_fault("reddit", "warned")
    outcome = await REDDIT.publish(stage.session(), stage.post("Sour dough"), MemoryJournal())

    assert isinstance(outcome, Published)
    assert [entry.remote_id for entry in stage.public()] == [outcome.remote_id]


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (said("RATELIMIT", "Take a break for 11 minutes before trying again."), 661),
        (said("RATELIMIT", "Take a break for 43 seconds before trying again."), 44),
        (said("RATELIMIT", "Take a break for 5 milliseconds before trying again.", ratelimit=90.5), 91.5),
        (said("QUOTA_FILLED", "You've submitted too many links recently. Please try again in an hour."), 3_601),
        (said("RATELIMIT", "Slow down."), None),
    ],
)
def test_how_long_a_limit_lasts(error: Any, seconds: float | None) -> None:
    outcome = REDDIT.explain(error)
    assert isinstance(outcome, TryLater)
    assert outcome.after_seconds == seconds


async def test_a_limit_of_the_app_names_its_end_in_a_header(connect: Connect) -> None:
    stage = await connect()
    answer = {"status": 429, "headers": {"x-ratelimit-reset": "37"}, "body": {"message": "Too Many Requests"}}
    stage.world.add_fault("reddit", "answer", "GET /r/{sr}/about", **answer)
    outcome = await REDDIT.publish(stage.session(), stage.post("Sour dough"), MemoryJournal())

    assert isinstance(outcome, TryLater)
    assert (outcome.limit_of, outcome.after_seconds) == ("app", 37)


async def test_a_suspended_account_cannot_post(connect: Connect) -> None:
    stage = await connect()
    stage.world.person("reddit", "alice").details["suspended"] = True
    assert REDDIT.check is not None
    health = await REDDIT.check(stage.session())
    assert (health.can_post, health.restricted) == (False, True)


# --- finding -------------------------------------------------------------------------------------------------------


async def lost(stage: Stage, post: Any, fault: str = "lost") -> MemoryJournal:
    """Publish a post whose answer is lost."""
    journal = MemoryJournal()
    stage.world.add_fault("reddit", fault, CREATE)
    assert isinstance(await REDDIT.publish(stage.session(), post, journal), OutcomeUnknown)
    return journal


async def found(stage: Stage, post: Any, journal: MemoryJournal) -> Any:
    assert REDDIT.reconcile is not None
    return await REDDIT.reconcile(stage.session(), post, journal)


async def test_a_lost_post_is_not_mistaken_for_others(connect: Connect) -> None:
    stage = await connect()
    for changes in ({"title": "Another"}, {"options": {"subreddit": "u_alice"}}):
        assert isinstance(await stage.publish(stage.post("Sour dough", **changes)), Published)
    post = stage.post("Sour dough")
    journal = await lost(stage, post, "dropped")
    stage.world.clock.advance(90)
    early = await found(stage, post, journal)
    assert isinstance(early, OutcomeUnknown)
    assert early.tells_after_seconds
    stage.world.clock.advance(60)
    assert isinstance(await found(stage, post, journal), Absent)


async def test_a_hidden_post_is_found_and_a_similar_one_leaves_it_open(connect: Connect) -> None:
    """The author's list has what a moderator, AutoModerator or a filter has hidden, perhaps without its text."""
    stage = await connect()
    post = stage.post("Sour dough")
    journal = await lost(stage, post)
    entry = stage.public()[0]
    entry.text = "Rye dough"
    stage.world.clock.advance(600)
    assert isinstance(await found(stage, post, journal), OutcomeUnknown)
    entry.text, entry.details["removed"] = "", "automod_filtered"
    outcome = await found(stage, post, journal)

    assert isinstance(outcome, Published)
    assert outcome.remote_id == entry.remote_id


async def test_a_post_is_absent_only_after_the_last_page(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = await connect()
    post = stage.post("Sour dough")
    journal = await lost(stage, post)
    for number in range(3):
        await stage.publish(stage.post("More", title=f"More {number}"))
    stage.world.clock.advance(600)
    monkeypatch.setattr("signalpost.networks.connectors.reddit.find.PAGE_LENGTH", 1)
    monkeypatch.setattr("signalpost.networks.connectors.reddit.find.PAGES_MAX", 2)
    assert isinstance(await found(stage, post, journal), OutcomeUnknown)
    monkeypatch.setattr("signalpost.networks.connectors.reddit.find.PAGES_MAX", 9)
    assert isinstance(await found(stage, post, journal), Published)


# --- files ---------------------------------------------------------------------------------------------------------


async def test_a_picture_that_takes_minutes_is_waited_for(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reddit_files, "PROCESSING_SECONDS", 400)
    stage = await connect()
    post, journal = stage.post("Sour dough", files=(stage.file("image"),)), MemoryJournal()
    first = await REDDIT.publish(stage.session(), post, journal)
    assert isinstance(first, Pending)
    assert REDDIT.poll is not None
    assert isinstance(await REDDIT.poll(stage.session(), post, journal, first.state), Pending)
    stage.world.clock.advance(401)
    outcome = await REDDIT.poll(stage.session(), post, journal, first.state)

    assert isinstance(outcome, Published)
    assert outcome.url == f"https://www.reddit.com/r/bread/comments/{outcome.remote_id[3:]}/a_title/"
    assert [entry.call for entry in stage.world.log].count(CREATE) == 1


async def test_files_are_uploaded_once(connect: Connect) -> None:
    """Without credentials of the account, and used again when the post has to be sent again."""
    stage = await connect()
    files = tuple(stage.file("image", number) for number in range(3))
    stage.world.add_fault("reddit", "status", GALLERY, status=503)
    outcome = await stage.publish(stage.post("Sour dough", files=files, link=LINK))

    assert isinstance(outcome, Published)
    (entry,) = stage.public()
    assert entry.media == tuple(file.sha256.hex() for file in files)
    assert entry.text == f"Sour dough\n\n{LINK}"
    assert (calls(stage).count(ASSET), calls(stage).count("POST /"), calls(stage).count(GALLERY)) == (3, 3, 2)


async def test_a_video_has_a_picture_before_it(connect: Connect) -> None:
    stage = await connect()
    chosen = replace(stage.file("video"), thumbnail=stage.file("image"))
    for video in (stage.file("video", 1), chosen):
        outcome = await stage.publish(stage.post("Sour dough", title=f"Film {video.file_name}", files=(video,)))
        assert isinstance(outcome, Published)
    pictures = [entry.body for entry in stage.world.log if entry.call == "POST /" and b"rte_images/" in entry.body]

    assert b"\x89PNG" in pictures[0]
    assert await stage.file("image").bytes() in pictures[1]
    assert [len(entry.media) for entry in stage.public()] == [1, 1]


async def test_a_file_that_is_too_large_for_reddit(connect: Connect) -> None:
    stage = await connect()
    stage.world.add_fault("reddit", "too_large")
    outcome = await stage.publish(stage.post("Sour dough", files=(stage.file("image"),)))

    assert isinstance(outcome, Refused)
    assert outcome.code == "media_too_large"


OPTIONS = {"subreddit": "bread"}


@pytest.mark.parametrize(
    ("post", "rule"),
    [
        (outgoing("x", title="y"), "reddit.subreddit.required"),
        (outgoing("x", options=OPTIONS), "reddit.title.required"),
        (outgoing("x", title="y" * 301, options=OPTIONS), "reddit.title.max"),
        (outgoing("x" * 40_001, title="y", options=OPTIONS), "reddit.text.max_length"),
        (outgoing("x", title="y", options={"subreddit": "r/bread"}), "reddit.options.type"),
        (outgoing("x", title="y", options={**OPTIONS, "flairText": "z"}), "reddit.flair.text_alone"),
        (outgoing("x", title="y", link=LINK, options={**OPTIONS, "crosspostOf": "1kh35wk"}), "reddit.crosspost.alone"),
        (outgoing("x", title="y", first_comment="z" * 10_001, options=OPTIONS), "reddit.comment.max"),
    ],
)
def test_preflight(post: Any, rule: str) -> None:
    assert [issue.rule for issue in preflight.check(REDDIT, post, {})] == [rule]
