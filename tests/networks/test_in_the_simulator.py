"""Every connector on the simulator, through every capability it claims and the faults of networks.

The networks come from `tests/helpers/scenes`. What counts is the simulator's ledger: whatever goes wrong, a post is
public exactly once, or the outcome says that nobody can tell.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from simulator import Simulator
from tests.helpers.scenes import SCENES
from tests.helpers.scenes.stage import REDIRECT, Stage, connected, new_code, server_of

from signalpost.conformance.harness import MemoryJournal
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, metrics, preflight
from signalpost.networks.contract import (
    ApiError,
    BadCredentials,
    Facts,
    NeedsReconnect,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    Published,
    Refused,
    TryLater,
)

LINK = "https://example.com/a?b=1&c=2"
FACTS = {key: CONNECTORS[key].facts for key in SCENES}


def with_facts(condition: Callable[[Facts], Any]) -> Any:
    return pytest.mark.parametrize("key", [key for key, facts in FACTS.items() if condition(facts)])


def with_function(name: str) -> Any:
    return pytest.mark.parametrize("key", [key for key in SCENES if getattr(CONNECTORS[key], name) is not None])


every_network = pytest.mark.parametrize("key", SCENES)
with_oauth = pytest.mark.parametrize("key", [key for key, scene in SCENES.items() if scene.fields is None])
with_threads = with_facts(lambda facts: facts.thread_parts_max > 1)


@pytest.fixture(scope="module")
async def http() -> AsyncIterator[Client]:
    async with Client() as client:
        yield client


@pytest.fixture(scope="module")
async def simulator() -> AsyncIterator[Simulator]:
    async with Simulator(start=datetime.now(UTC)) as simulator:
        yield simulator


@pytest.fixture
def connect(simulator: Simulator, http: Client) -> Callable[[str], Awaitable[Stage]]:
    async def connect(key: str) -> Stage:
        simulator.world.reset()
        return await connected(simulator, key, SCENES[key], http)

    return connect


Connect = Callable[[str], Awaitable[Stage]]


def plain(stage: Stage, *texts: str, **rest: Any) -> Outgoing:
    """Return a post with as little as the network accepts."""
    facts = stage.connector.facts
    files = (stage.file(next(iter(facts.media))),) if facts.media_required else ()
    return stage.post(*texts, **{"files": files} | rest)


def wanted(stage: Stage, text: str) -> str:
    """Return what the ledger has for a post with this text."""
    return text if stage.scene.shown == "text" else stage.scene.title or ""


async def published(stage: Stage, post: Outgoing) -> Published:
    issues = preflight.check(stage.connector, post, stage.identity.facts)
    assert [issue for issue in issues if issue.severity == "error"] == []
    outcome = await stage.publish(post)
    assert isinstance(outcome, Published), outcome
    return outcome


# --- capabilities --------------------------------------------------------------------------------------------------


@every_network
async def test_text(key: str, connect: Connect) -> None:
    stage = await connect(key)
    outcome = await published(stage, plain(stage, stage.scene.text))

    (entry,) = stage.public()
    assert entry.text == wanted(stage, stage.scene.text)
    assert entry.remote_id == outcome.remote_id
    assert entry.kind == stage.scene.kind
    assert outcome.url is None or outcome.url.startswith("https://")


@every_network
async def test_link(key: str, connect: Connect) -> None:
    stage = await connect(key)
    await published(stage, plain(stage, "Read this", link=LINK))

    (entry,) = stage.public()
    assert LINK in f"{entry.text} {entry.details}"


@pytest.mark.parametrize(("key", "kind"), [(key, kind) for key, facts in FACTS.items() for kind in facts.media])
async def test_one_file_of_each_kind(key: str, kind: Any, connect: Connect) -> None:
    stage = await connect(key)
    has_alt_text = FACTS[key].media[kind].alt_text_max is not None
    file = stage.file(kind, alt_text="A dot" if has_alt_text else None)
    await published(stage, stage.post("With a file", files=(file,)))

    (entry,) = stage.public()
    assert entry.media == (file.sha256.hex(),)
    if has_alt_text:
        assert entry.details["alt_texts"] == ["A dot"]


@with_facts(lambda facts: "image" in facts.media and facts.media["image"].per_post > 1)
async def test_several_images(key: str, connect: Connect) -> None:
    stage = await connect(key)
    files = tuple(stage.file("image", number) for number in range(min(FACTS[key].media["image"].per_post, 4)))
    await published(stage, stage.post("With images", files=files))

    entries = stage.public()
    assert len(entries) == (len(files) if stage.scene.files_apart else 1)
    assert [media for entry in entries for media in entry.media] == [file.sha256.hex() for file in files]


@with_threads
async def test_thread(key: str, connect: Connect) -> None:
    stage = await connect(key)
    outcome = await published(stage, plain(stage, "one", "two", "three"))

    entries = stage.public()
    ids = [outcome.remote_id, *outcome.thread_ids]
    assert [(entry.text, entry.remote_id) for entry in entries] == list(zip(("one", "two", "three"), ids, strict=True))
    parents = {True: [None, ids[0], ids[1]], "root": [None, ids[0], ids[0]], False: [None] * 3}
    assert [entry.parent_id for entry in entries] == parents[stage.scene.replies]


@with_facts(lambda facts: facts.first_comment)
async def test_first_comment(key: str, connect: Connect) -> None:
    stage = await connect(key)
    outcome = await published(stage, plain(stage, "post", first_comment="More in the comments"))

    post, comment = stage.public()
    assert (comment.text, comment.parent_id) == ("More in the comments", post.remote_id)
    assert (outcome.first_comment_id, outcome.first_comment_error) == (comment.remote_id, None)


@pytest.mark.parametrize(
    "key", [key for key, scene in SCENES.items() if scene.deletes and CONNECTORS[key].delete is not None]
)
async def test_delete(key: str, connect: Connect) -> None:
    stage = await connect(key)
    texts = ("one", "two") if FACTS[key].thread_parts_max > 1 else ("one",)
    outcome = await published(stage, plain(stage, *texts))
    delete = stage.connector.delete
    assert delete is not None

    for _ in range(2):  # what is gone counts as deleted
        await delete(stage.session(), outcome.remote_id, outcome.thread_ids)
        assert stage.public() == []


@with_function("metrics")
async def test_metrics(key: str, connect: Connect) -> None:
    stage = await connect(key)
    outcome = await published(stage, plain(stage, "counted"))
    missing = outcome.remote_id[:-1] + ("1" if outcome.remote_id[-1] != "1" else "2")
    ids = [outcome.remote_id, missing]

    early = await metrics.read(stage.connector, stage.session(), ids)
    stage.world.clock.advance(3_600)
    late = await metrics.read(stage.connector, stage.session(), ids)

    first, second = early[outcome.remote_id], late[outcome.remote_id]
    assert first is not None
    assert second is not None
    given = {name: value for name, value in vars(second).items() if value is not None}
    assert given, "the network gives no number at all"
    assert sum(given.values()) > sum(vars(first)[name] or 0 for name in given)
    assert late.get(missing) is None


@with_function("check")
async def test_check_and_revoke(key: str, connect: Connect) -> None:
    stage = await connect(key)
    check, revoke = stage.connector.check, stage.connector.revoke
    assert check is not None
    health = await check(stage.session())
    assert health.can_post
    assert health.missing == ()
    if stage.scene.fields is not None:
        stage.world.add_fault(key, "revoked")
    elif revoke is None or not stage.scene.revokes:
        stage.world.networks[key].oauth.grants[-1].revoked = True
    else:
        await revoke(stage.session())
    with pytest.raises(ApiError) as raised:
        await check(stage.session())
    assert isinstance(stage.connector.explain(raised.value), NeedsReconnect)


@with_function("refresh")
async def test_a_token_that_ended_is_renewed_on_the_way(key: str, connect: Connect) -> None:
    stage = await connect(key)
    flow = CONNECTORS[key].oauth
    assert flow is not None
    old = dict(stage.secrets)
    stage.world.clock.advance((flow.facts.access_seconds or 0) * 0.99 + 60)
    refresh = stage.connector.refresh
    assert refresh is not None
    await stage.session().renew(refresh)

    assert stage.secrets["accessToken"] != old["accessToken"]
    await published(stage, plain(stage, "renewed"))
    assert len(stage.public()) == 1


@with_oauth
async def test_a_code_is_worth_nothing_to_others(key: str, connect: Connect) -> None:
    """It works once, soon, and for the redirect address it was made for."""
    stage = await connect(key)
    flow = CONNECTORS[key].oauth
    assert flow is not None
    assert stage.app is not None
    late = stage.scene.code_seconds + 100
    for changes, wait in (({"redirect_uri": f"{REDIRECT}/x"}, 0), ({}, late), ({"code": "made-up"}, 0)):
        code = replace(new_code(stage), **changes)
        stage.world.clock.advance(wait)
        with pytest.raises(BadCredentials):
            await flow.exchange(server_of(stage.simulator, key, stage.http), stage.app, code)


# --- faults --------------------------------------------------------------------------------------------------------

ONCE: dict[str, tuple[dict[str, Any], ...]] = {
    "lost": ({"kind": "lost"},),
    "lost, and listed late": ({"kind": "lost"}, {"kind": "eventual", "call": "*", "times": None, "seconds": 30}),
    "lost twice": ({"kind": "lost"}, {"kind": "dropped"}),
    "dropped": ({"kind": "dropped"},),
    "502 after the effect": ({"kind": "status_after", "status": 502},),
    "500": ({"kind": "status", "status": 500},),
    "503": ({"kind": "status", "status": 503},),
    "429": ({"kind": "status", "status": 429},),
    "an answer without an id": ({"kind": "answer", "status": 200, "body": {}},),
}


@pytest.mark.parametrize("faults", ONCE.values(), ids=ONCE)
@every_network
async def test_a_post_is_public_once_or_nobody_can_tell(
    key: str, faults: tuple[dict[str, Any], ...], connect: Connect
) -> None:
    stage = await connect(key)
    for fault in faults:
        stage.world.add_fault(key, **{"call": stage.scene.create_call} | fault)
    post, journal = plain(stage, "once"), MemoryJournal()

    if stage.scene.tells:
        outcome = await stage.publish(post, journal)
        assert isinstance(outcome, Published), outcome
        assert [entry.text for entry in stage.public()] == [wanted(stage, "once")]
        assert outcome.remote_id == stage.public()[0].remote_id
        return
    first = await stage.connector.publish(stage.session(), post, journal)
    if isinstance(first, OutcomeUnknown):
        stage.world.clock.advance(3_600)
        reconcile = stage.connector.reconcile
        assert reconcile is not None
        assert isinstance(await reconcile(stage.session(), post, journal), OutcomeUnknown | Published)
    assert len(stage.public()) <= 1


@pytest.mark.parametrize("key", [key for key, scene in SCENES.items() if scene.tells])
async def test_any_call_may_lose_its_answer(key: str, connect: Connect) -> None:
    """One run for each call that a post with everything needs: whichever loses its answer, nothing is there twice."""
    facts = FACTS[key]
    texts = ("one", "two") if facts.thread_parts_max > 1 else ("one",)
    calls: int | None = None
    struck = 0
    while calls is None or struck < calls:
        stage = await connect(key)
        files = tuple(stage.file(kind) for kind in [*facts.media][:1])
        post = stage.post(*texts, files=files)
        before = len(stage.world.log)
        if calls is not None:
            stage.world.add_fault(key, "lost", after=struck)
            struck += 1
        outcome = await stage.publish(post)
        assert isinstance(outcome, Published), f"call {struck}: {outcome}"
        assert [entry.text for entry in stage.public()] == [wanted(stage, text) for text in texts], f"call {struck}"
        calls = calls or len(stage.world.log) - before


@pytest.mark.parametrize("kind", ["lost", "dropped"])
@pytest.mark.parametrize("key", [key for key, scene in SCENES.items() if not scene.tells])
async def test_what_nobody_can_look_for_is_not_sent_again(key: str, kind: str, connect: Connect) -> None:
    """Whichever call has no answer, the post stops there until a person has looked."""
    texts = ("one", "two", "three") if FACTS[key].thread_parts_max > 1 else ("one",)
    for at in range(len(texts)):
        stage = await connect(key)
        stage.world.add_fault(key, kind, stage.scene.create_call, after=at)
        post, journal = plain(stage, *texts), MemoryJournal()
        assert isinstance(await stage.connector.publish(stage.session(), post, journal), OutcomeUnknown)
        for _ in range(2):
            stage.world.clock.advance(86_400)
            again = await stage.connector.publish(stage.session(), post, journal)
            assert isinstance(again, OutcomeUnknown), again
        assert [entry.text for entry in stage.public()] == list(texts[: at + (kind == "lost")])


@with_facts(lambda facts: facts.first_comment)
@pytest.mark.parametrize("kind", ["lost", "dropped", "status"])
async def test_a_first_comment_that_fails_leaves_the_post_published(key: str, kind: str, connect: Connect) -> None:
    stage = await connect(key)
    call = stage.scene.create_calls.get("comment", stage.scene.create_call)
    after = 1 if call == stage.scene.create_call else 0
    stage.world.add_fault(key, kind, call, after=after, status=500)
    outcome = await stage.publish(plain(stage, "post", first_comment="a comment"))

    assert isinstance(outcome, Published)
    assert bool(outcome.first_comment_error) != stage.scene.finds_comments
    if stage.scene.finds_comments:
        assert [entry.text for entry in stage.public()] == [wanted(stage, "post"), "a comment"]
        return
    assert [entry.text for entry in stage.public()] == [wanted(stage, "post"), *["a comment"] * (kind == "lost")]


@every_network
async def test_a_revoked_token_needs_a_person(key: str, connect: Connect) -> None:
    stage = await connect(key)
    stage.world.add_fault(key, "revoked")
    outcome = await stage.publish(plain(stage, "never"))

    assert isinstance(outcome, NeedsReconnect), outcome
    assert stage.public() == []


@pytest.mark.parametrize(
    ("key", "kind"),
    [(key, kind) for key, scene in SCENES.items() for kind in scene.converts if kind in FACTS[key].media],
)
async def test_a_file_that_the_network_cannot_convert(key: str, kind: Any, connect: Connect) -> None:
    stage = await connect(key)
    stage.world.add_fault(key, "processing_fails")
    outcome = await stage.publish(stage.post("never", files=(stage.file(kind),)))

    assert isinstance(outcome, Refused), outcome
    assert outcome.code == stage.scene.conversion_error
    assert stage.public() == []


@pytest.mark.parametrize("key", [key for key, scene in SCENES.items() if scene.refuses_duplicates])
async def test_a_duplicate_is_refused(key: str, connect: Connect) -> None:
    stage = await connect(key)
    await published(stage, plain(stage, "again"))
    outcome = await stage.publish(plain(stage, "again"))

    assert isinstance(outcome, Refused), outcome
    assert outcome.code == "duplicate_content"
    assert len(stage.public()) == 1


# --- error responses -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "error", "kind", "code"), [(key, *error) for key, scene in SCENES.items() for error in scene.errors]
)
def test_every_documented_error_has_its_outcome(key: str, error: ApiError, kind: type, code: str | None) -> None:
    outcome: Outcome = CONNECTORS[key].explain(error)
    assert isinstance(outcome, kind), outcome
    if code is not None:
        assert isinstance(outcome, Refused | TryLater)
        assert outcome.code == code
