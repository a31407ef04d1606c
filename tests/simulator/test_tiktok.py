"""The connector of TikTok at the simulated network."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from simulator import Simulator
from simulator.messages import Fail
from simulator.networks.tiktok_uploads import Post
from tests.helpers.networks.tiktok import OPTIONS, photo, put_photos, video
from tests.helpers.simulated_accounts import Account, connect

from signalpost.conformance.harness import MemoryJournal, image, outgoing
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.connectors.tiktok.upload import part_ends
from signalpost.networks.contract import (
    Absent,
    ApiError,
    Metrics,
    NeedsReconnect,
    OutcomeUnknown,
    Outgoing,
    Published,
    Refused,
    TryLater,
)

INIT = "POST /v2/post/publish/video/init/"
PHOTOS = "POST /v2/post/publish/content/init/"
PUT = "PUT /video/"
PRIVATE = {"privacyLevel": "SELF_ONLY"}


@pytest.fixture
async def http() -> AsyncIterator[Client]:
    async with Client() as client:
        yield client


@pytest.fixture
async def creator(simulator: Simulator, http: Client) -> Account:
    put_photos(simulator.world.networks["tiktok"], *map(photo, range(3)))
    return await connect(simulator, http, "tiktok")


def posts(account: Account) -> list[Any]:
    return account.simulator.world.ledger.of("tiktok")


def post(text: str = "Look", size: int = 100, **options: Any) -> Outgoing:
    return outgoing(text, media=(video(size),), options=OPTIONS | options)


async def test_connecting_checking_and_revoking(creator: Account) -> None:
    identity, connector = creator.identity, creator.connector

    assert (identity.remote_id, identity.username) == (creator.person.id, "me")
    assert (identity.profile_url, identity.followers) == ("https://www.tiktok.com/@me", 321)
    assert identity.refreshable
    assert connector.check is not None
    assert connector.revoke is not None
    assert (await connector.check(creator.session())).can_post
    await connector.revoke(creator.session())
    with pytest.raises(ApiError) as refused:
        await connector.check(creator.session())
    assert isinstance(connector.explain(refused.value), NeedsReconnect)


async def test_a_person_may_allow_less(simulator: Simulator, http: Client) -> None:
    account = await connect(simulator, http, "tiktok", granted="user.info.basic,video.upload")
    direct = await account.publish(post())
    inbox = await account.publish(outgoing("", media=(video(),), options={"mode": "inbox"}))

    assert (account.identity.username, account.identity.profile_url) == ("Me", None)
    assert isinstance(direct, Refused)
    assert direct.code == "permission_missing"
    assert isinstance(inbox, Published)
    assert inbox.delivery == "inbox"


async def test_refresh_tokens_rotate(creator: Account) -> None:
    connector, first = creator.connector, creator.identity.secrets["refreshToken"]
    assert connector.refresh is not None
    creator.simulator.world.clock.advance(90_000)

    assert isinstance(await creator.publish(post()), Published)
    assert creator.saved[0][0]["refreshToken"] != first
    with pytest.raises(ApiError) as spent:
        await connector.refresh(creator.session(secrets={"refreshToken": first}))
    assert isinstance(connector.explain(spent.value), NeedsReconnect)  # it comes with status 200


async def test_a_video_with_everything(creator: Account) -> None:
    outcome = await creator.publish(
        post("Look #now @you", allowDuet=True, brandOrganic=True, aiGenerated=True, coverTimeMs=500)
    )
    [entry] = posts(creator)

    assert isinstance(outcome, Published), outcome
    assert (outcome.remote_id, outcome.delivery) == (entry.remote_id, "live")
    assert outcome.url == f"https://www.tiktok.com/@me/video/{entry.remote_id}"
    assert entry.text == "Look #now @you"
    expected = {
        "privacy_level": "PUBLIC_TO_EVERYONE", "disable_comment": False, "disable_duet": False, "disable_stitch": True,
        "brand_organic_toggle": True, "brand_content_toggle": False, "is_aigc": True, "video_cover_timestamp_ms": 500,
    }  # fmt: skip
    assert expected.items() <= entry.details.items()


async def test_a_private_post_has_no_address(creator: Account) -> None:
    outcome = await creator.publish(post(**PRIVATE))

    assert isinstance(outcome, Published)
    assert (outcome.delivery, outcome.url) == ("private", None)


async def test_photos(creator: Account) -> None:
    outcome = await creator.publish(
        outgoing(
            "Three photos", title="Photos", media=tuple(map(photo, range(3))), options=OPTIONS | {"autoMusic": True}
        )
    )
    [entry] = posts(creator)

    assert isinstance(outcome, Published), outcome
    assert outcome.url == f"https://www.tiktok.com/@me/photo/{entry.remote_id}"
    assert (entry.text, entry.details["title"]) == ("Three photos", "Photos")
    assert len(set(entry.media)) == 3
    assert (entry.details["auto_add_music"], "disable_duet" in entry.details) == (True, False)


@pytest.mark.parametrize("size", [(1254, 1254), (1086, 1448), (1662, 1247), (500, 2000)])
async def test_a_photo_with_a_side_that_is_too_long(creator: Account, size: tuple[int, int]) -> None:
    """TikTok looks at the sides and not at the area, and one photo fails them all."""
    large = photo(1, size)
    wanted = outgoing("x", media=(photo(0), large), options=OPTIONS)
    put_photos(creator.simulator.world.networks["tiktok"], large)
    outcome = await creator.publish(wanted)

    assert isinstance(outcome, Refused)
    assert (outcome.code, posts(creator)) == ("media_unsupported", [])
    issues = preflight.check(creator.connector, wanted, {})
    assert {issue.path for issue in issues} == {"/media/1"}  # which TikTok does not say
    assert {issue.rule for issue in issues} <= {"tiktok.media.max_short_side", "tiktok.media.max_long_side"}


async def test_the_cover_of_photos(creator: Account) -> None:
    photos = tuple(map(photo, range(3)))
    outcome = await creator.publish(outgoing("x", media=photos, options=OPTIONS | {"coverIndex": 2}))

    assert isinstance(outcome, Published), outcome
    assert posts(creator)[0].details["cover"] == photos[2].url()


async def test_photos_need_a_public_address(creator: Account) -> None:
    outcome = await creator.publish(outgoing("x", media=(image(mime_type="image/jpeg"),), options=OPTIONS))

    assert isinstance(outcome, Refused)
    assert outcome.code == "media_fetch_failed"


# --- uploads and lost answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "ends"),
    [
        (1, [1]),
        (10_000_001, [10_000_001]),
        (64_000_000, [64_000_000]),
        (64_000_001, [*range(10_000_000, 60_000_000, 10_000_000), 64_000_001]),
        (70_000_000, [*range(10_000_000, 80_000_000, 10_000_000)]),
    ],
)
def test_parts_have_one_size_and_the_last_takes_the_rest(size: int, ends: list[int]) -> None:
    assert part_ends(size) == ends
    assert len(part_ends(4_000_000_000)) <= 1_000


@pytest.mark.parametrize("size", [12_000_000, 20_000_001])
async def test_a_video_of_one_part_is_announced_with_its_own_size(creator: Account, size: int) -> None:
    assert isinstance(await creator.publish(post(size=size)), Published)

    log = creator.simulator.world.log
    assert [len(one.body) for one in log if one.call == PUT] == [size]
    source = json.loads(next(one for one in log if one.call == INIT).body)["source_info"]
    assert (source["chunk_size"], source["total_chunk_count"]) == (size, 1)


@pytest.mark.parametrize(
    ("size", "part", "count"), [(12_000_000, 10_000_000, 1), (66_300_000, 64_000_000, 1), (70_000_000, 70_000_000, 1)]
)
async def test_the_simulator_takes_one_part_only_if_it_is_the_whole_video(
    creator: Account, size: int, part: int, count: int
) -> None:
    source = {"source": "FILE_UPLOAD", "video_size": size, "chunk_size": part, "total_chunk_count": count}
    network = creator.simulator.world.networks["tiktok"]
    with pytest.raises(Fail):
        network.announce(Post("v", creator.person, "video", {}), source)  # type: ignore[attr-defined]  # of this network


async def test_an_interrupted_upload_goes_on(creator: Account) -> None:
    world, journal, wanted = creator.simulator.world, MemoryJournal(), post(size=65_000_000)
    world.add_fault("tiktok", "lost", PUT, after=1)

    assert isinstance(await creator.publish(wanted, journal), TryLater)
    assert isinstance(await creator.publish(wanted, journal), Published)
    sent = [one.headers["content-range"].partition("/")[0] for one in world.log if one.call == PUT]
    assert sent[:2] == ["bytes 0-9999999", "bytes 10000000-19999999"]
    assert (len(sent), sent[-1]) == (6, "bytes 50000000-64999999")
    assert len(posts(creator)) == 1


async def test_an_address_that_expired_is_replaced(creator: Account) -> None:
    world, journal, wanted = creator.simulator.world, MemoryJournal(), post(size=65_000_000)
    world.add_fault("tiktok", "dropped", PUT, after=5)

    assert isinstance(await creator.publish(wanted, journal), OutcomeUnknown)
    reconcile = creator.connector.reconcile
    assert reconcile is not None
    assert isinstance(await reconcile(creator.session(), wanted, journal), Absent)
    world.clock.advance(3_700)
    assert isinstance(await creator.publish(wanted, journal), Published)
    assert len(posts(creator)) == 1


async def test_an_address_that_expires_early_is_replaced(creator: Account) -> None:
    world, journal, wanted = creator.simulator.world, MemoryJournal(), post(size=65_000_000)
    world.add_fault("tiktok", "lost", PUT)
    assert isinstance(await creator.publish(wanted, journal), TryLater)
    for announced in world.networks["tiktok"].posts.values():  # type: ignore[attr-defined]  # of this network
        announced.expires_at = world.clock()

    refused = await creator.publish(wanted, journal)
    assert isinstance(refused, TryLater), refused
    assert isinstance(await creator.publish(wanted, journal), Published)
    assert len(posts(creator)) == 1


async def test_an_answer_that_was_lost_is_found_by_the_publish_id(creator: Account) -> None:
    world, journal, wanted = creator.simulator.world, MemoryJournal(), post()
    world.add_fault("tiktok", "lost", PUT)
    reconcile = creator.connector.reconcile
    assert reconcile is not None

    assert isinstance(await creator.publish(wanted, journal), OutcomeUnknown)
    early = await reconcile(creator.session(), wanted, journal)
    assert isinstance(early, OutcomeUnknown)
    world.clock.advance(early.tells_after_seconds or 0)
    assert isinstance(await reconcile(creator.session(), wanted, journal), Published)
    assert len(posts(creator)) == 1


@pytest.mark.parametrize(("fault", "kind"), [("lost", Published), ("dropped", OutcomeUnknown)])
async def test_photos_whose_publish_id_was_lost(creator: Account, fault: str, kind: type) -> None:
    """They are looked for among the public posts; a missing one proves nothing, so nothing is sent again."""
    world, journal = creator.simulator.world, MemoryJournal()
    wanted = outgoing("Some photos", media=(photo(1),), options=OPTIONS)
    world.add_fault("tiktok", fault, PHOTOS)
    reconcile = creator.connector.reconcile
    assert reconcile is not None

    assert isinstance(await creator.publish(wanted, journal), OutcomeUnknown)
    world.clock.advance(120)
    assert isinstance(await reconcile(creator.session(), wanted, journal), kind)
    assert len([one for one in world.log if one.call == PHOTOS]) == 1


@pytest.mark.parametrize(
    ("fault", "kind", "code"),
    [("processing_fails", Refused, "media_unsupported"), ("internal", TryLater, "platform_unavailable")],
)
async def test_a_post_that_fails(creator: Account, fault: str, kind: type, code: str) -> None:
    journal = MemoryJournal()
    creator.simulator.world.add_fault("tiktok", fault)
    outcome = await creator.publish(post(), journal)

    assert isinstance(outcome, kind)
    assert outcome.code == code  # type: ignore[attr-defined]  # of both
    journal.settle()
    assert isinstance(await creator.publish(post(), journal), Published)  # a retry uploads it again


# --- what TikTok allows the creator --------------------------------------------------------------------------------


async def test_an_app_that_is_not_audited(simulator: Simulator, http: Client) -> None:
    private = {"details": {"private": True}}
    account = await connect(simulator, http, "tiktok", details={"unaudited": True}, person=private)
    refused = await account.publish(post(privacyLevel="FOLLOWER_OF_CREATOR"))
    allowed = await account.publish(post(**PRIVATE))

    assert isinstance(refused, Refused)
    assert refused.code == "permission_missing"
    assert "not audited" in (refused.remediation or "")
    assert isinstance(allowed, Published)


async def test_what_the_creator_may_do_is_read_before_each_post(simulator: Simulator, http: Client) -> None:
    person = {"details": {"private": True, "max_seconds": 5}}
    account = await connect(simulator, http, "tiktok", person=person)
    level, length = await account.publish(post()), await account.publish(post(**PRIVATE))

    assert isinstance(level, Refused)
    assert isinstance(length, Refused)
    assert (level.rule, length.rule) == ("tiktok.options.privacy_required", "tiktok.media.max_duration")
    assert not [one for one in simulator.world.log if one.call == INIT]


async def test_a_creator_has_fifteen_posts_a_day(creator: Account) -> None:
    clock = creator.simulator.world.clock
    for number in range(15):
        assert isinstance(await creator.publish(post(f"{number}", **PRIVATE)), Published)
    limited = await creator.publish(post())

    assert isinstance(limited, TryLater)
    assert (limited.code, limited.after_seconds) == ("platform_quota", 86_400)
    clock.advance(86_400)
    assert isinstance(await creator.publish(post()), Published)


async def test_numbers_grow_and_a_late_id_is_looked_up(creator: Account) -> None:
    read, clock = creator.connector.metrics, creator.simulator.world.clock
    assert read is not None
    outcome = await creator.publish(post())
    assert isinstance(outcome, Published)
    entry = posts(creator)[0]
    ids = [outcome.remote_id, entry.details["publish_id"]]
    assert (await read(creator.session(), ids[1:]))[ids[1]] is not None
    before = (await read(creator.session(), ids[:1]))[ids[0]]
    clock.advance(7_200)
    after = (await read(creator.session(), [ids[0], "v_pub_file~v2-1.0"]))[ids[0]]
    assert isinstance(before, Metrics)
    assert isinstance(after, Metrics)
    assert (after.views or 0) > (before.views or 0)


@pytest.mark.parametrize(
    ("wanted", "rule"),
    [
        (outgoing("x", media=(video(),)), "tiktok.options.privacy_required"),
        (post(privacyLevel="EVERYONE"), "tiktok.options.type"),
        (post(privacyLevel="SELF_ONLY", brandContent=True), "tiktok.options.brand_content"),
        (post(autoMusic=True), "tiktok.options.unused"),
        (post(coverIndex=0), "tiktok.options.unused"),
        (outgoing("x", media=(photo(1),), options=OPTIONS | {"coverIndex": 1}), "tiktok.options.cover_index"),
        (outgoing("x", media=(photo(1),), options=OPTIONS | {"allowDuet": True}), "tiktok.options.unused"),
        (outgoing("x", media=(video(),), options={"mode": "inbox", "allowComment": True}), "tiktok.options.unused"),
        (post("x" * 2_201), "tiktok.text.max_utf16"),
        (outgoing("x" * 4_001, media=(photo(1),), options=OPTIONS), "tiktok.text.max_utf16"),
        (outgoing("x", title="y" * 91, media=(photo(1),), options=OPTIONS), "tiktok.title.max_utf16"),
        (outgoing("x", media=(video(width=300),), options=OPTIONS), "tiktok.media.size"),
        (outgoing("x", media=(video(duration_ms=2_000),), options=OPTIONS), "tiktok.media.min_duration"),
        (outgoing("x", media=(video(duration_ms=601_000),), options=OPTIONS), "tiktok.media.max_duration"),
        (outgoing("x", media=(video(), photo(1)), options=OPTIONS), "tiktok.media.mixed"),
        (outgoing("x", media=(image(),), options=OPTIONS), "tiktok.media.mime_type"),
        (outgoing("x", options=OPTIONS), "tiktok.media.required"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_preflight(wanted: Outgoing, rule: str) -> None:
    assert [issue.rule for issue in preflight.check(CONNECTORS["tiktok"], wanted, {})] == [rule]


def test_photos_have_a_longer_text_than_videos() -> None:
    wanted = outgoing("x" * 4_000, title="y" * 90, media=(photo(1),), options=OPTIONS)
    assert preflight.check(CONNECTORS["tiktok"], wanted, {}) == []
    assert preflight.check(CONNECTORS["tiktok"], replace(post(), title="z" * 200), {}) == []  # videos have no title
