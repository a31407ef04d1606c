"""Google Business Profile at the simulator: each request is one that Google's own description allows."""

import asyncio
import json
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from simulator import Destination, Simulator
from tests.counterparts import tools
from tests.helpers.discovery import Discovery
from tests.helpers.networks.google_business import EVENT, JPEG, OFFER, PHOTO, URL, error, info
from tests.helpers.scenes import SCENES
from tests.helpers.scenes.stage import Stage, connected

from signalpost.conformance.harness import MemoryJournal, image, outgoing
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.connectors.google_business.rules import has_phone_number
from signalpost.networks.contract import (
    BadCredentials,
    OutcomeUnknown,
    Outgoing,
    Pending,
    Published,
    Refused,
    TryLater,
)

GOOGLE = CONNECTORS["google_business"]
CREATE = "POST /v4/accounts/{account}/locations/{location}/localPosts"
LINK = "https://example.com/rye"
Connect = Callable[..., Awaitable[Stage]]
BAKERY = Destination("17", "location", "Corner Bakery", {"language": "de"})


@pytest.fixture(scope="module")
def documents() -> list[Discovery]:
    names = ("mybusiness.v4", "mybusinessaccountmanagement.v1", "mybusinessbusinessinformation.v1")
    return [Discovery(name) for name in names]


@pytest.fixture(autouse=True)
def requests_as_google_describes_them(simulator: Simulator, documents: list[Discovery]) -> Iterator[None]:
    """Whatever a test lets the connector do, each of its requests is one that a document allows."""
    yield
    sent = [one for one in simulator.world.log if one.target.startswith(("/v1/", "/v4/"))]
    for one in sent:
        issues = [document.issues(one.call.partition(" ")[0], one.target, one.body) for document in documents]
        assert [] in issues, f"{one.call}: {issues}"


@pytest.fixture
async def connect(simulator: Simulator) -> AsyncIterator[Connect]:
    async with Client() as http:

        async def connect(**changes: Any) -> Stage:
            simulator.world.reset()
            changes = {"destinations": (BAKERY,)} | changes
            return await connected(simulator, "google_business", replace(SCENES["google_business"], **changes), http)

        yield connect


def sent(stage: Stage) -> list[dict[str, Any]]:
    return [json.loads(one.body) for one in stage.world.log if one.call == CREATE and one.status == 200]


async def test_every_location_of_every_account_is_listed_once(connect: Connect) -> None:
    """Over all pages; a location that a group shares with the person is one account, and says where it is."""
    own = tuple(Destination(f"{100 + number}", "location", f"Shop {number}") for number in range(120))
    groups = tuple(Destination(f"{900 + number}", "location", "Stand", {"group": f"g{number}"}) for number in range(22))
    shared = Destination("800", "location", "Bakery", {"group": "g0", "shared": True})
    new = Destination("801", "location", "New", {"unverified": True})
    stage = await connect(destinations=(*own, *groups, shared, new))
    assert GOOGLE.destinations is not None

    listed = await GOOGLE.destinations(stage.session())

    ids = [destination.identity.remote_id for destination in listed]
    assert sorted(ids) == sorted(place.id for place in (*own, *groups, shared, new))
    found = {destination.identity.remote_id: destination for destination in listed}
    assert found["921"].identity.facts == {"account": "accounts/g21", "language": "en", "verified": True}
    assert found["100"].identity.username == "Shop 0, 100 Mill Lane, Leeds"
    assert (found["100"].category, found["100"].identity.kind) == ("Bakery", "location")
    assert [key for key, one in found.items() if not one.can_post] == ["801"]


async def test_what_the_operator_or_the_person_lacks_is_said_when_connecting(connect: Connect) -> None:
    for details, words in (
        ({"quota": 0}, "Basic API Access"),
        ({"disabled": "mybusinessaccountmanagement.googleapis.com"}, "mybusinessaccountmanagement.googleapis.com"),
    ):
        with pytest.raises(BadCredentials, match=words):
            await connect(app=details)
    with pytest.raises(BadCredentials, match="owner or manager"):
        await connect(person={"no_business": True})


async def test_a_location_that_is_not_verified_or_gone_cannot_post(connect: Connect) -> None:
    stage = await connect()
    place = stage.world.person("google_business", "alice").destinations[0]
    assert GOOGLE.check is not None
    assert (await GOOGLE.check(stage.session())).can_post
    place.details["unverified"] = True
    health = await GOOGLE.check(stage.session())
    refused = await stage.publish(stage.post("hello"))

    assert (health.valid, health.can_post) == (True, False)
    assert isinstance(refused, Refused)
    assert refused.code == "permission_missing"
    assert refused.remediation is not None
    place.id = "18"
    assert not (await GOOGLE.check(stage.session())).valid
    gone = await stage.publish(stage.post("hello again"))
    assert isinstance(gone, Refused)
    assert gone.code == "destination_missing"


@pytest.mark.parametrize(
    ("post", "content"),
    [
        (
            outgoing("Fresh rye", link=LINK, media=(PHOTO,)),
            {"topicType": "STANDARD", "callToAction": {"actionType": "LEARN_MORE", "url": LINK},
             "media": [{"mediaFormat": "PHOTO", "sourceUrl": URL}]},
        ),
        (
            outgoing("Fresh rye", link="https://example.com/a", options={
                "callToAction": {"actionType": "ORDER", "url": LINK}, "languageCode": "en-GB",
            }),
            {"topicType": "STANDARD", "callToAction": {"actionType": "ORDER", "url": LINK}, "languageCode": "en-GB"},
        ),
        (
            outgoing("Fresh rye", options={"callToAction": {"actionType": "CALL"}}),
            {"topicType": "STANDARD", "callToAction": {"actionType": "CALL"}},
        ),
        (
            outgoing("Fresh rye", options={"event": EVENT}),
            {"topicType": "EVENT", "event": {"title": "Bread & jam", "schedule": {
                "startDate": {"year": 2027, "month": 1, "day": 30},
                "startTime": {"hours": 0, "minutes": 0, "seconds": 0, "nanos": 0},
                "endDate": {"year": 2027, "month": 1, "day": 31},
                "endTime": {"hours": 18, "minutes": 30, "seconds": 0, "nanos": 0},
            }}},
        ),
        (
            outgoing("Fresh rye", link=LINK, options={
                "offer": OFFER, "event": {"title": "Sale", "startDate": "2028-02-29", "endDate": "2028-02-29"},
            }),
            {"topicType": "OFFER", "offer": {**OFFER, "redeemOnlineUrl": LINK}, "event": {"title": "Sale", "schedule": {
                "startDate": {"year": 2028, "month": 2, "day": 29}, "endDate": {"year": 2028, "month": 2, "day": 29},
            }}},
        ),
    ],
    ids=["photo and link", "button", "call", "event", "offer"],
)  # fmt: skip
async def test_what_is_sent(post: Outgoing, content: dict[str, Any], connect: Connect) -> None:
    """Days and times of an event are those that were written, whatever the zone of anybody."""
    stage = await connect()
    assert preflight.check(GOOGLE, post, stage.identity.facts) == []
    outcome = await stage.publish(post)

    assert isinstance(outcome, Published), outcome
    assert sent(stage) == [{"summary": "Fresh rye", "languageCode": "de"} | content]
    assert outcome.url == f"https://local.google.com/place?id={outcome.remote_id}"


async def test_a_post_is_followed_until_google_has_reviewed_it(connect: Connect) -> None:
    stage = await connect()
    assert GOOGLE.poll is not None
    journal, post = MemoryJournal(), stage.post("Call +44 113 496 0000")
    first = await GOOGLE.publish(stage.session(), post, journal)
    assert isinstance(first, Pending)
    stage.world.clock.advance(60)
    rejected = await GOOGLE.poll(stage.session(), post, journal, first.state)
    assert isinstance(rejected, Refused)
    assert (rejected.code, rejected.platform_code) == ("content_rejected", "REJECTED")
    assert stage.public() == []
    again = await GOOGLE.publish(stage.session(), post, journal)
    assert isinstance(again, Refused)
    assert len(sent(stage)) == 1
    kept = {name: step for name, step in journal.steps.items() if name.startswith("part:") and "id" in step}
    changed = await stage.publish(stage.post("Call us"), MemoryJournal(values=kept))  # as of a post that was changed
    assert isinstance(changed, Published)
    assert [entry.text for entry in stage.public()] == ["Call us"]

    stage.world.person("google_business", "alice").destinations[0].details["review_seconds"] = 86_400
    journal, post = MemoryJournal(), stage.post("Slow")
    outcome, waits = await GOOGLE.publish(stage.session(), post, journal), 0
    while isinstance(outcome, Pending):
        stage.world.clock.advance(outcome.poll_after_seconds)
        outcome, waits = await GOOGLE.poll(stage.session(), post, journal, outcome.state), waits + 1
    assert isinstance(outcome, Published)
    assert outcome.url is None
    assert waits < 40


async def test_a_lost_post_is_found_on_any_page_and_not_mistaken_for_another(connect: Connect) -> None:
    stage = await connect()
    event = {**EVENT, "title": "Other"}
    stage.world.add_fault("google_business", "lost", CREATE)
    post, journal = stage.post("once", options={"event": EVENT}), MemoryJournal()
    assert isinstance(await GOOGLE.publish(stage.session(), post, journal), OutcomeUnknown)
    for _ in range(120):
        assert isinstance(await GOOGLE.publish(stage.session(), stage.post("other"), MemoryJournal()), Pending)
    outcome = await stage.publish(post, journal)
    assert isinstance(outcome, Published)
    assert outcome.remote_id == stage.public()[0].remote_id

    stage.world.add_fault("google_business", "dropped", CREATE)
    journal, post = MemoryJournal(), stage.post("twice", options={"event": EVENT})
    assert isinstance(await GOOGLE.publish(stage.session(), post, journal), OutcomeUnknown)
    other = stage.post("twice", options={"event": event})
    assert isinstance(await GOOGLE.publish(stage.session(), other, MemoryJournal()), Pending)
    stage.world.clock.advance(600)
    assert GOOGLE.reconcile is not None
    similar = await GOOGLE.reconcile(stage.session(), post, journal)
    assert isinstance(similar, OutcomeUnknown)
    assert "similar" in similar.message


async def test_a_photo_that_google_cannot_download(connect: Connect) -> None:
    stage = await connect()
    missing = image(None, JPEG, "image/jpeg", url=lambda: "https://service.example/none.jpg", width=800, height=600)
    unfetched = await GOOGLE.publish(stage.session(), stage.post("b", files=(missing,)), MemoryJournal())
    private = stage.post("c", files=(replace(PHOTO, url=None),))
    unreachable = await GOOGLE.publish(stage.session(), private, MemoryJournal())

    assert isinstance(unfetched, TryLater)
    assert unfetched.code == "media_fetch_failed"
    assert isinstance(unreachable, Refused)
    assert unreachable.rule == "google_business.media.public_url"


def test_a_limit_says_how_long_it_lasts_and_whom_it_holds_up() -> None:
    retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "31.5s"}
    of_project = info("RATE_LIMIT_EXCEEDED", quota_limit="defaultPerMinutePerProject", quota_limit_value="300")
    limited, of_profile = GOOGLE.explain(error(429, of_project, retry)), GOOGLE.explain(error(429, retry))

    assert isinstance(limited, TryLater)
    assert isinstance(of_profile, TryLater)
    assert (limited.after_seconds, limited.limit_of, of_profile.limit_of) == (32.0, "app", "account")


SMALL = image(None, JPEG, "image/jpeg", url=lambda: URL, width=800, height=200, size_bytes=9_000)
CALL = {"actionType": "CALL"}


@pytest.mark.parametrize(
    ("post", "facts", "rules"),
    [
        (outgoing("x" * 1_501), {}, ["text.max_length"]),
        (outgoing("x", media=(PHOTO, PHOTO)), {}, ["media.max_count"]),
        (outgoing("x", media=(SMALL,)), {}, ["media.min_bytes", "media.min_side"]),
        (outgoing("x", media=(replace(PHOTO, url=None),)), {}, ["media.public_url"]),
        (outgoing("Ring 0113 496 0000"), {}, ["text.phone"]),
        (outgoing("x"), {"verified": False}, ["location.unverified"]),
        (outgoing("x", options={"topicType": "EVENT"}), {}, ["event.required"]),
        (outgoing("x", options={"topicType": "STANDARD", "event": EVENT}), {}, ["event.of_update"]),
        (outgoing("x", options={"topicType": "EVENT", "event": EVENT, "offer": OFFER}), {}, ["offer.of_other"]),
        (outgoing("x", options={"offer": OFFER}), {}, ["event.required"]),
        (outgoing("x", options={"event": {**EVENT, "endDate": "2027-01-29"}}), {}, ["event.order"]),
        (outgoing("x", options={"event": {**EVENT, "endDate": "2027-01-30", "endTime": "00:00"}}), {}, ["event.order"]),
        (outgoing("x", options={"event": {**EVENT, "endDate": "2027-02-30"}}), {}, ["event.day"]),
        (outgoing("x", options={"event": {**EVENT, "title": "x" * 59}}), {}, ["options.type"]),
        (outgoing("x", options={"event": {**EVENT, "startTime": "24:30"}}), {}, ["options.type"]),
        (outgoing("x", options={"callToAction": {"actionType": "BOOK"}}), {}, ["button.url"]),
        (outgoing("x", options={"callToAction": {**CALL, "url": LINK}}), {}, ["button.call"]),
        (outgoing("x", link=LINK, options={"callToAction": CALL}), {}, ["link.unused"]),
        (outgoing("x", options={"offer": OFFER, "event": EVENT, "callToAction": CALL}), {}, ["button.offer"]),
    ],
)
def test_preflight(post: Outgoing, facts: dict[str, Any], rules: list[str]) -> None:
    issues = preflight.check(GOOGLE, post, facts)
    assert [issue.rule for issue in issues] == [f"google_business.{rule}" for rule in rules]
    warnings = {"text.phone", "location.unverified", "link.unused", "button.offer"}
    assert all((issue.severity == "warning") == (rule in warnings) for issue, rule in zip(issues, rules, strict=True))


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("Call +44 (0)113 496 0000!", True), ("0113/4960000", True), ("(555) 123-4567", True), ("555-123-4567", True),
        ("Until 24.12.2027", False), ("01.12.2027 to 02.12.2027", False), ("2027-01-31", False),
        ("1 000 000 loaves", False), ("£1,500.00", False), ("Room 12, 10-12 am", False),
        ("https://example.com/item/2041234567", False),
    ],
)  # fmt: skip
def test_telephone_numbers_are_told_from_days_and_prices(text: str, has: bool) -> None:
    assert has_phone_number(text) is has


async def test_googles_own_client_posts_for_a_business(simulator: Simulator) -> None:
    """Unmodified, by its own descriptions of the three APIs."""
    world = simulator.world
    group = Destination("18", "location", "Stand", {"group": "g1"})
    alice = world.add_person("google_business", "alice", destinations=[replace(BAKERY), group])
    app = world.add_app("google_business", "https://service.example/callback")
    network = world.networks["google_business"]
    network.files[URL] = JPEG
    assert network.oauth is not None
    token = network.oauth.grant(app, alice).access_token
    python = tools.folder("google", tools.CHECKOUT / "requirements" / "google.txt") / "bin" / "python"
    program, document = tools.HERE / "google_business_client.py.txt", tools.HERE / "mybusiness.v4.json"

    process = await asyncio.create_subprocess_exec(
        python, program, simulator.url("google_business"), token, document, URL, stdout=PIPE
    )
    result = json.loads((await process.communicate())[0])

    place = f"accounts/{alice.id}/locations/17"
    assert result["locations"] == [place, "accounts/g1/locations/18"]
    assert result["made"]["state"] == "PROCESSING"
    assert result["listed"] == [result["made"]["name"]]
    assert result["made"]["name"].startswith(f"{place}/localPosts/")
    assert result["refused"] == "Topic type is required for post creation."
    assert result["left"] == []
