"""The connector of YouTube at the simulated network."""

import asyncio
import hashlib
import json
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from simulator import Destination, Simulator
from simulator.networks.youtube_uploads import SCOPE
from tests.counterparts import tools
from tests.helpers.discovery import Discovery
from tests.helpers.networks.youtube import POST, VIDEO, large
from tests.helpers.simulated_accounts import Account, connect

from signalpost.conformance.harness import MemoryJournal, outgoing
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.connectors.youtube.calls import until_pacific_midnight
from signalpost.networks.contract import (
    Absent,
    ApiError,
    BadCredentials,
    Metrics,
    NeedsReconnect,
    OutcomeUnknown,
    Outgoing,
    Published,
    Refused,
    TryLater,
)

UPLOAD = "PUT /upload/youtube/v3/videos"
BEGIN = "POST /upload/youtube/v3/videos"


@pytest.fixture
async def http() -> AsyncIterator[Client]:
    async with Client() as client:
        yield client


@pytest.fixture(scope="module")
def specification() -> Discovery:
    return Discovery("youtube.v3")


@pytest.fixture(autouse=True)
def requests_as_google_specifies_them(simulator: Simulator, specification: Discovery) -> Iterator[None]:
    """Whatever a test lets the connector do: each of its requests is one that Google's own file allows."""
    yield
    issues = {
        f"{one.call}: {issue}"
        for one in simulator.world.log
        if one.network == "youtube" and "/youtube/v3/" in one.target and not one.call.startswith("PUT ")  # of a session
        for issue in specification.issues(one.call.partition(" ")[0], one.target, one.body)
    }
    assert issues == set()


def test_the_specification_refuses_what_it_does_not_name(specification: Discovery) -> None:
    path, body = "/youtube/v3/videos", b'{"snippet": {"title": 1, "tag": []}, "status": {"privacyStatus": "hidden"}}'

    assert specification.issues("PATCH", path, b"") == ["there is no PATCH /youtube/v3/videos"]
    assert specification.issues("POST", f"/upload{path}?part=snippet&notifySubscribers=1&notify=true", body) == [
        "youtube.videos.insert has no parameter notify",
        "notifySubscribers=1 is not of type boolean",
        "/snippet/title is not of type string",
        "/snippet/tag is unknown",
        "/status/privacyStatus is none of ['public', 'unlisted', 'private']",
    ]
    assert specification.issues("POST", path, b"{}") == ["youtube.videos.insert needs the parameter part"]


@pytest.fixture
async def channel(simulator: Simulator, http: Client) -> Account:
    return await connect(simulator, http, "youtube", person={"destinations": [Destination("PL1", "playlist", "Films")]})


def videos(account: Account) -> list[Any]:
    return [entry for entry in account.simulator.world.ledger.of("youtube") if entry.kind == "video"]


async def test_connecting_checking_and_revoking(channel: Account) -> None:
    identity, connector = channel.identity, channel.connector

    assert identity.remote_id == f"UC{channel.person.id}"
    assert (identity.username, identity.kind, identity.followers) == ("me", "channel", 1230)
    assert identity.refreshable
    assert connector.check is not None
    assert connector.revoke is not None
    assert (await connector.check(channel.session())).can_post
    await connector.revoke(channel.session())
    with pytest.raises(ApiError) as refused:
        await connector.check(channel.session())
    assert isinstance(connector.explain(refused.value), NeedsReconnect)  # the grant is dead: invalid_grant


async def test_an_account_without_a_channel_is_refused(simulator: Simulator, http: Client) -> None:
    with pytest.raises(BadCredentials, match="no YouTube channel"):
        await connect(simulator, http, "youtube", person={"details": {"no_channel": True}})


async def test_a_video_with_everything(channel: Account) -> None:
    options = {
        "visibility": "unlisted", "tags": ["one", "two words"], "categoryId": "24", "madeForKids": False,
        "syntheticMedia": True, "notifySubscribers": False, "playlistId": "PL1",
    }  # fmt: skip
    outcome = await channel.publish(replace(POST, options=options))
    [entry] = videos(channel)

    assert isinstance(outcome, Published), outcome
    assert (outcome.remote_id, outcome.delivery) == (entry.remote_id, "live")
    assert outcome.url == f"https://www.youtube.com/watch?v={entry.remote_id}"
    assert outcome.first_comment_id is not None
    assert (entry.text, entry.details["title"]) == ("What it shows", "A film")
    assert (entry.details["privacyStatus"], entry.details["containsSyntheticMedia"]) == ("unlisted", True)
    assert (entry.details["tags"], entry.details["playlists"]) == (["one", "two words"], ["PL1"])
    begun = next(one for one in channel.simulator.world.log if one.call == BEGIN)
    assert "notifySubscribers=false" in begun.target


PICTURE = replace(VIDEO, kind="image", mime_type="image/png", duration_ms=None)


async def test_a_video_with_a_picture_of_its_own(channel: Account) -> None:
    """It is set once, also when something behind it has to be done again."""
    world, journal = channel.simulator.world, MemoryJournal()
    post = replace(POST, parts=(replace(POST.parts[0], media=(replace(VIDEO, thumbnail=PICTURE),)),))
    world.add_fault("youtube", "lost", "POST /youtube/v3/commentThreads")

    await channel.publish(post, journal)
    assert isinstance(await channel.publish(post, journal), Published)

    [entry] = videos(channel)
    assert entry.details["thumbnail"] == hashlib.sha256(await PICTURE.bytes()).hexdigest()
    assert [one.call for one in world.log].count("POST /upload/youtube/v3/thumbnails/set") == 1


async def test_a_channel_that_may_set_no_picture_gets_its_video(channel: Account) -> None:
    channel.person.details["unverified"] = True
    journal = MemoryJournal()
    post = replace(POST, parts=(replace(POST.parts[0], media=(replace(VIDEO, thumbnail=PICTURE),)),))

    assert isinstance(await channel.publish(post, journal), Published)
    assert "403" in str(journal.steps["thumbnail"]["error"])
    assert "thumbnail" not in videos(channel)[0].details


async def test_a_private_short(channel: Account) -> None:
    outcome = await channel.publish(outgoing("", title="Up", media=(large(),), options={"visibility": "private"}))

    assert isinstance(outcome, Published)
    assert (outcome.delivery, outcome.url) == ("private", f"https://www.youtube.com/shorts/{outcome.remote_id}")
    parts = [one for one in channel.simulator.world.log if one.call == UPLOAD]
    assert [len(part.body) for part in parts] == [8_388_608, 8_388_608, 3_222_784]


@pytest.mark.parametrize("visibility", ["public", "unlisted", None])
async def test_a_video_that_youtube_keeps_private(simulator: Simulator, http: Client, visibility: str | None) -> None:
    """Settings of the channel can have that effect; nobody can open the address of such a video."""
    channel = await connect(simulator, http, "youtube", person={"details": {"keeps_private": True}})
    journal, options = MemoryJournal(), {} if visibility is None else {"visibility": visibility}
    post = replace(POST, options=options)
    outcome = await channel.publish(post, journal)

    assert isinstance(outcome, Published), outcome
    assert (outcome.delivery, outcome.url) == ("private", None)
    assert videos(channel)[0].details["privacyStatus"] == "private"
    assert channel.connector.reconcile is not None
    again = await channel.connector.reconcile(channel.session(), post, journal)
    assert isinstance(again, Published)
    assert (again.delivery, again.url) == ("private", None)


async def test_an_interrupted_upload_asks_where_to_go_on(channel: Account) -> None:
    world, journal, post = channel.simulator.world, MemoryJournal(), outgoing("", title="Up", media=(large(),))
    world.add_fault("youtube", "lost", UPLOAD, after=1)

    assert isinstance(await channel.publish(post, journal), TryLater)
    assert isinstance(await channel.publish(post, journal), Published)
    ranges = [one.headers["content-range"] for one in world.log if one.call == UPLOAD]
    assert [text.partition(" ")[2].partition("/")[0] for text in ranges] == [
        "0-8388607", "8388608-16777215", "*", "16777216-19999999",
    ]  # fmt: skip
    assert len(videos(channel)) == 1


async def test_an_answer_that_was_lost_is_in_the_session(channel: Account) -> None:
    world, journal = channel.simulator.world, MemoryJournal()
    world.add_fault("youtube", "lost", UPLOAD)
    reconcile = channel.connector.reconcile
    assert reconcile is not None

    assert isinstance(await channel.publish(POST, journal), OutcomeUnknown)
    assert isinstance(await reconcile(channel.session(), POST, journal), Absent)  # the first comment is still missing
    assert not journal.open
    outcome = await channel.publish(POST, journal)
    assert isinstance(outcome, Published)
    assert outcome.first_comment_id is not None
    assert len(videos(channel)) == 1


async def test_a_video_that_was_found_is_added_to_its_playlist(channel: Account) -> None:
    world, journal = channel.simulator.world, MemoryJournal()
    post = outgoing("x", title="Listed", media=(VIDEO,), options={"playlistId": "PL1"})
    world.add_fault("youtube", "lost", UPLOAD)
    assert channel.connector.reconcile is not None

    assert isinstance(await channel.publish(post, journal), OutcomeUnknown)
    assert isinstance(await channel.connector.reconcile(channel.session(), post, journal), Absent)
    assert isinstance(await channel.publish(post, journal), Published)
    assert [entry.details["playlists"] for entry in videos(channel)] == [["PL1"]]
    assert isinstance(await channel.connector.reconcile(channel.session(), post, journal), Published)


async def test_it_is_too_early_to_look_just_after_the_last_part_of_a_long_upload(channel: Account) -> None:
    world, journal, post = channel.simulator.world, MemoryJournal(), outgoing("", title="Long", media=(large(),))
    world.add_fault("youtube", "lost", UPLOAD)
    assert isinstance(await channel.publish(post, journal), TryLater)
    world.clock.advance(600)
    world.add_fault("youtube", "lost", UPLOAD, after=2)
    assert channel.connector.reconcile is not None

    assert isinstance(await channel.publish(post, journal), OutcomeUnknown)
    world.networks["youtube"].sessions.clear()  # type: ignore[attr-defined]  # of this network
    early = await channel.connector.reconcile(channel.session(), post, journal)
    assert isinstance(early, OutcomeUnknown)
    assert early.tells_after_seconds


@pytest.mark.parametrize("received", [True, False])
async def test_when_the_session_is_gone_the_channel_is_looked_through(channel: Account, received: bool) -> None:
    world, journal, post = channel.simulator.world, MemoryJournal(), outgoing("x", title="A film", media=(VIDEO,))
    world.add_fault("youtube", "lost" if received else "dropped", UPLOAD)
    reconcile = channel.connector.reconcile
    assert reconcile is not None

    assert isinstance(await channel.publish(post, journal), OutcomeUnknown)
    world.networks["youtube"].sessions.clear()  # type: ignore[attr-defined]  # of this network
    early = await reconcile(channel.session(), post, journal)
    assert isinstance(early, OutcomeUnknown)
    world.clock.advance(early.tells_after_seconds or 0)
    assert isinstance(await reconcile(channel.session(), post, journal), Absent)  # or not processed yet
    assert isinstance(await channel.publish(post, journal), Published)
    assert len(videos(channel)) == 1


@pytest.mark.parametrize(
    ("fault", "code"), [("processing_fails", "media_processing_failed"), (None, "duplicate_content")]
)
async def test_what_youtube_does_not_take(channel: Account, fault: str | None, code: str) -> None:
    if fault is None:
        await channel.publish(POST)
    else:
        channel.simulator.world.add_fault("youtube", fault)
    outcome = await channel.publish(replace(POST, title="Again"))

    assert isinstance(outcome, Refused)
    assert outcome.code == code


@pytest.mark.parametrize("fault", [{"kind": "status", "status": 503}, {"kind": "dropped"}])
async def test_a_video_that_nobody_can_look_at_is_still_published(channel: Account, fault: dict[str, Any]) -> None:
    """It is public: what only looks at it must not make the target fail."""
    channel.simulator.world.add_fault("youtube", call="GET /youtube/v3/videos", times=None, **fault)
    before = channel.simulator.world.clock()
    outcome = await channel.publish(POST)

    assert isinstance(outcome, Published), outcome
    assert 1_800 <= (channel.simulator.world.clock() - before).total_seconds() < 3_600


async def test_tokens_are_renewed_during_an_upload(channel: Account) -> None:
    clock = channel.simulator.world.clock
    clock.set(datetime.fromisoformat(channel.identity.secrets["accessExpiresAt"]))

    assert isinstance(await channel.publish(POST), Published)
    assert channel.saved[0][0]["accessToken"] != channel.identity.secrets["accessToken"]
    assert "refreshToken" not in channel.saved[0][0] or channel.saved[0][0]["refreshToken"]


@pytest.mark.parametrize("after", [0, 1, 2])
async def test_a_token_that_ends_during_an_upload_is_renewed(channel: Account, after: int) -> None:
    """In the first part, in the middle, and in the part that makes the video public."""
    world, size = channel.simulator.world, 19_000_000
    world.add_fault("youtube", "status", UPLOAD, after=after, status=401)

    assert isinstance(await channel.publish(outgoing("", title="Up", media=(large(),))), Published)
    assert len(channel.saved) == 1
    (video,) = videos(channel)
    assert video.details.get("size", size) >= size


async def test_quotas(channel: Account) -> None:
    world = channel.simulator.world
    world.add_fault("youtube", "upload_limit")
    limited = await channel.publish(POST)
    world.networks["youtube"]._units = {  # type: ignore[attr-defined]  # of this network
        (channel.app.client_id, datetime(2026, 11, 22).date()): 10_000  # noqa: DTZ001 - a day
    }
    spent = await channel.publish(replace(POST, title="Again"))

    assert isinstance(limited, TryLater)
    assert (limited.code, limited.after_seconds) == ("platform_quota", 86_400)
    assert isinstance(spent, Published)  # uploads have a quota of their own, and the comment has none left
    assert "quota" in (spent.first_comment_error or "")


@pytest.mark.parametrize(
    ("now", "seconds"),
    [
        ("2026-11-22T12:00:00+00:00", 20 * 3600),
        ("2026-07-01T06:59:00+00:00", 60),
        ("2026-03-08T08:00:00+00:00", 23 * 3600),
    ],
)
def test_quotas_begin_again_at_midnight_in_california(now: str, seconds: int) -> None:
    """Also on the day of 23 hours, when the clocks change."""
    assert until_pacific_midnight(datetime.fromisoformat(now).astimezone(UTC)) == seconds + 60


async def test_deleting_and_numbers(channel: Account) -> None:
    outcome = await channel.publish(POST)
    assert isinstance(outcome, Published)
    read, delete = channel.connector.metrics, channel.connector.delete
    assert read is not None
    assert delete is not None
    before = (await read(channel.session(), [outcome.remote_id]))[outcome.remote_id]
    channel.simulator.world.clock.advance(7_200)
    after = (await read(channel.session(), [outcome.remote_id, "missing"]))[outcome.remote_id]
    assert isinstance(before, Metrics)
    assert isinstance(after, Metrics)
    assert (after.views or 0) > (before.views or 0)
    assert (after.watch_time_seconds or 0) > 0
    await delete(channel.session(), outcome.remote_id, ())
    await delete(channel.session(), outcome.remote_id, ())
    assert await read(channel.session(), [outcome.remote_id]) == {outcome.remote_id: None}


async def test_permissions_that_were_not_granted(simulator: Simulator, http: Client) -> None:
    """People may untick some: then uploads work, and what needs more is refused, or left out."""
    granted = f"{SCOPE}youtube.upload {SCOPE}youtube.force-ssl"
    account = await connect(simulator, http, "youtube", granted=granted)
    outcome = await account.publish(POST)
    assert isinstance(outcome, Published)
    assert account.connector.metrics is not None
    numbers = (await account.connector.metrics(account.session(), [outcome.remote_id]))[outcome.remote_id]
    assert isinstance(numbers, Metrics)
    assert numbers.watch_time_seconds is None


async def test_googles_own_client_uploads_a_video(simulator: Simulator, tmp_path: Path) -> None:
    """Unmodified, with its own idea of the protocol; one of its parts is cut on the way."""
    world = simulator.world
    alice, app = world.add_person("youtube", "alice"), world.add_app("youtube", "https://service.example/callback")
    oauth = world.networks["youtube"].oauth
    assert oauth is not None
    world.add_fault("youtube", "part_cut", after=1)
    content = bytes(range(256)) * 2_500
    film = tmp_path / "film.mp4"
    film.write_bytes(content)
    python = tools.folder("google", tools.CHECKOUT / "requirements" / "google.txt") / "bin" / "python"
    program = tools.HERE / "google_client.py.txt"

    process = await asyncio.create_subprocess_exec(
        python, program, simulator.url("youtube"), oauth.grant(app, alice).access_token, film, "262144", stdout=PIPE
    )
    output, _ = await process.communicate()
    result = json.loads(output)

    [entry] = world.ledger.of("youtube")
    assert (result["video"], result["channel"]) == (entry.remote_id, f"UC{alice.id}")
    assert result["progress"] == [262_144, 393_216]
    assert entry.media == (hashlib.sha256(content).hexdigest(),)
    assert entry.details["privacyStatus"] == "unlisted"
    assert result["refused"] == "invalidTitle"


UPRIGHT = replace(VIDEO, width=720, height=1280)


@pytest.mark.parametrize(
    ("post", "facts", "rule"),
    [
        (outgoing("x", media=(VIDEO,)), {}, "youtube.title.required"),
        (outgoing("x", title="x" * 101, media=(VIDEO,)), {}, "youtube.title.max"),
        (outgoing("x", title="a < b", media=(VIDEO,)), {}, "youtube.title.characters"),
        (outgoing("a > b", title="x", media=(VIDEO,)), {}, "youtube.text.characters"),
        (outgoing("ü" * 2_501, title="x", media=(VIDEO,)), {}, "youtube.text.max_bytes"),
        (outgoing("x", title="x"), {}, "youtube.media.required"),
        (outgoing("x", title="x", media=(VIDEO,), options={"tags": ["x" * 250, "y " * 124]}), {}, "youtube.tags.max"),
        (outgoing("x", title="x", media=(VIDEO,), options={"tags": ["<b>"]}), {}, "youtube.tags.characters"),
        (outgoing("x", title="x", media=(VIDEO,), options={"type": "short"}), {}, "youtube.media.short"),
        (outgoing("x", title="x", media=(VIDEO,), first_comment="y" * 10_001), {}, "youtube.comment.max"),
        (
            outgoing("x", title="x", media=(replace(UPRIGHT, duration_ms=1_000_000),)),
            {"longUploads": False},
            "youtube.media.unverified_duration",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_preflight(post: Outgoing, facts: dict[str, Any], rule: str) -> None:
    assert [issue.rule for issue in preflight.check(CONNECTORS["youtube"], post, facts)] == [rule]


def test_a_good_short_passes() -> None:
    post = outgoing("x", title="x", media=(UPRIGHT,), options={"type": "short", "tags": ["x" * 250, "y" * 249]})
    assert preflight.check(CONNECTORS["youtube"], post, {}) == []
