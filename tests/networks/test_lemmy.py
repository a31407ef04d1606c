"""Lemmy: signing in, what a post is made of, what a community takes, and that nothing is there twice."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from simulator import Simulator
from simulator.networks.lemmy import LANGUAGES, Lemmy

from signalpost.conformance.harness import MemoryJournal, image, outgoing, publish_until_settled, server_at, session
from signalpost.kit import clock
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, languages, preflight
from signalpost.networks.connectors.lemmy import find as finding
from signalpost.networks.connectors.lemmy.account import check, choices, connect
from signalpost.networks.contract import (
    Absent,
    ApiError,
    BadCredentials,
    InvalidField,
    NeedsReconnect,
    NetworkSession,
    OutcomeUnknown,
    Published,
    Refused,
    TryLater,
)
from signalpost.networks.threads import RESTORED

LEMMY = CONNECTORS["lemmy"]
CREATE = "POST /api/v3/post"
PASSWORD = "a long password"


@pytest.fixture(scope="module")
async def http() -> AsyncIterator[Client]:
    async with Client() as client:
        yield client


@pytest.fixture(scope="module")
async def listening() -> AsyncIterator[Simulator]:
    async with Simulator(start=datetime.now(UTC).replace(microsecond=0)) as simulator:
        yield simulator


class Place:
    """A user at an instance, who is signed in."""

    def __init__(self, simulator: Simulator, http: Client) -> None:
        simulator.world.reset()
        network = simulator.world.networks["lemmy"]
        assert isinstance(network, Lemmy)
        self.network, self.world, self.http = network, simulator.world, http
        self.server = server_at(http, simulator.url("lemmy"), trusted=True)
        self.alice = simulator.world.add_person("lemmy", "alice")
        self.user = network.add_user(self.alice, PASSWORD)
        self.jwt = network.add_session(self.alice)
        self.bread = network.add_community()
        self.journal = MemoryJournal()

    def account(self) -> NetworkSession:
        return session(
            self.http, self.world.clock, server=self.server, secrets={"jwt": self.jwt},
            remote_id=f"{self.alice.id}@bakery.example", facts={},
        )  # fmt: skip

    async def attempt(self, post: Any) -> Any:
        return await LEMMY.publish(self.account(), post, self.journal)

    async def published(self, post: Any) -> Any:
        """Publish a post, and return it as it is at the instance."""
        outcome = await publish_until_settled(LEMMY, self.account, post, MemoryJournal(), self.world.clock)
        assert isinstance(outcome, Published), outcome
        return self.network.posts[int(outcome.remote_id)]

    async def lost(self, post: Any) -> Any:
        """Lose the answer to a post that was made, and return what becomes of it once it can be told."""
        self.world.add_fault("lemmy", "lost", CREATE)
        assert isinstance(await self.attempt(post), OutcomeUnknown)
        self.world.clock.advance(200)
        return await self.attempt(post)

    def form(self, **fields: str) -> dict[str, str]:
        return {"instanceUrl": self.server.base_url, "username": "alice", "password": PASSWORD} | fields


@pytest.fixture
def place(listening: Simulator, http: Client) -> Place:
    return Place(listening, http)


def named(text: str = "x", *, options: Any = None, **rest: Any) -> Any:
    return outgoing(text, **{"title": "Rye", "options": {"community": "bread"} | (options or {})} | rest)


# --- signing in ----------------------------------------------------------------------------------------------------


async def test_a_session_is_kept_and_the_password_is_not(place: Place) -> None:
    identity = await connect(place.server, place.form(username=" @alice "))
    host = place.server.base_url.removeprefix("http://")

    assert (identity.remote_id, identity.username) == (f"{place.alice.id}@{host}", f"alice@{host}")
    assert identity.secrets["jwt"] in place.network.sessions
    assert PASSWORD not in repr(identity)


async def test_what_is_wrong_with_a_sign_in_is_said(place: Place) -> None:
    with pytest.raises(BadCredentials, match="password is another one"):
        await connect(place.server, place.form(password="wrong"))
    for reason, sentence in {
        "site_ban": "banned", "email_not_verified": "e-mail", "registration_denied": "not let",
        "registration_application_is_pending": "not let this account in yet",
    }.items():  # fmt: skip
        place.user.refusal = reason
        with pytest.raises(BadCredentials, match=sentence):
            await connect(place.server, place.form())
    place.world.add_fault("lemmy", "answer", "POST /api/v3/user/login", status=400, body={"error": "rate_limit_error"})
    with pytest.raises(ApiError) as raised:
        await connect(place.server, place.form())
    assert isinstance(LEMMY.explain(raised.value), TryLater)


async def test_two_factor_authentication_asks_for_the_code(place: Place) -> None:
    place.user.code = "123456"
    for code in ("", "000000"):
        with pytest.raises(InvalidField) as raised:
            await connect(place.server, place.form(code=code))
        assert raised.value.name == "code"
    assert await connect(place.server, place.form(code="123 456"))


async def test_no_password_goes_to_what_is_not_lemmy_0_19(place: Place) -> None:
    for version in ("1.0.0-beta.1", "0.18.5", "0.190.1"):
        place.network.version = version
        with pytest.raises(InvalidField, match=version) as raised:
            await connect(place.server, place.form())
        assert raised.value.name == "instanceUrl"
    place.world.add_fault("lemmy", "answer", "GET /api/v3/site", status=404, body={})
    with pytest.raises(InvalidField, match="no Lemmy"):
        await connect(place.server, place.form())
    assert not [call for call in place.world.log if "login" in call.call]


async def test_an_account_is_told_what_ails_it(place: Place) -> None:
    assert (await check(place.account())).can_post
    place.network.version = "1.0.0"
    health = await check(place.account())
    assert (health.can_post, health.restricted) == (False, False)
    assert "1.0.0" in (health.message or "")
    place.alice.details["banned"] = True
    assert (await check(place.account())).restricted


async def test_communities_are_listed_with_those_that_take_nothing(place: Place) -> None:
    alice = place.alice.id
    place.bread.followers.add(alice)
    place.network.add_community("rolls", host="lemmy.example", moderators={alice}, followers={alice}, mods_only=True)
    place.network.add_community("news", followers={alice}, mods_only=True)
    place.network.add_community("gone", followers={alice}, removed=True)

    listed = (await choices(place.account(), ["community"], None))["community"]

    assert [(choice.value, choice.reason is None) for choice in listed] == [
        ("rolls@lemmy.example", True), ("bread", True), ("news", False),
    ]  # fmt: skip
    assert listed[0].label == "Rolls (!rolls@lemmy.example)"


# --- what a post is made of ----------------------------------------------------------------------------------------


async def test_a_link_is_the_address_of_the_post(place: Place) -> None:
    options = {"language": "de", "nsfw": True, "thumbnailUrl": "https://bakery.example/rye.png"}
    post = await place.published(
        named("*Dark*", link="https://bakery.example/rye", media=(image(alt="A [rye]"),), options=options)
    )

    assert (post["name"], post["url"], post["nsfw"]) == ("Rye", "https://bakery.example/rye", True)
    assert (post["language_id"], post["custom_thumbnail"]) == (LANGUAGES["de"], "https://bakery.example/rye.png")
    assert post["body"].startswith("*Dark*\n\n![A \\[rye\\]](http")
    assert "alt_text" not in post


async def test_without_a_link_the_first_picture_is(place: Place) -> None:
    post = await place.published(named("", media=(image(alt="First"), image(alt="Second"), image(alt=None))))
    assert post["alt_text"] == "First"
    assert "/pictrs/image/" in post["url"]
    assert [line.partition("(")[0] for line in post["body"].split("\n\n")] == ["![Second]", "![]"]


async def test_a_title_alone_is_enough(place: Place) -> None:
    assert "body" not in await place.published(named("", title=" Rye? "))


async def test_a_community_of_another_instance_is_named_with_it(place: Place) -> None:
    other = place.network.add_community("bread", host="lemmy.example")
    post = await place.published(named(options={"community": "bread@lemmy.example"}))
    assert post["community_id"] == other.id


def test_the_language_of_a_profile_is_taken_without_its_region() -> None:
    assert languages.options_of(LEMMY.facts, "de-AT") == {"language": "de"}


@pytest.mark.parametrize(
    ("post", "rules"),
    [
        (named(), []),
        (named(title="Ry"), ["lemmy.title.one_line"]),
        (named(title="Rye\nand wheat"), ["lemmy.title.one_line"]),
        (named(options={"community": ""}), ["lemmy.community.required"]),
        (named(options={"community": "bread@a@b"}), ["lemmy.options.type"]),
        (named(first_comment="🎉" * 5_001), ["lemmy.comment.max"]),
        (named(link="https://bakery.example/" + "a" * 2_000), ["lemmy.link.max"]),
        (named(options={"thumbnailUrl": "https://bakery.example/a"}), ["lemmy.thumbnail.without_link"]),
        (named("🎉" * 25_001), ["lemmy.text.max_utf16"]),
    ],
)
def test_what_every_instance_refuses_is_said_before(post: Any, rules: list[str]) -> None:
    found = [issue.rule for issue in preflight.check(LEMMY, post, {})]
    assert [rule for rule in rules if rule not in found] == [], found
    assert bool(found) == bool(rules)


# --- what a community takes ----------------------------------------------------------------------------------------


async def test_what_a_community_refuses_is_said_before_files_are_sent(place: Place) -> None:
    changes = {
        "may_not_post": {"banned": {place.alice.id}}, "may_not_post ": {"mods_only": True}, "closed": {"removed": True},
    }  # fmt: skip
    for rule, values in changes.items():
        name = f"bread{len(place.network.communities)}"
        place.network.add_community(name, **values)
        outcome = await place.attempt(named(media=(image(),), options={"community": name}))
        assert isinstance(outcome, Refused), outcome
        assert outcome.rule == f"lemmy.community.{rule.strip()}"
        assert outcome.remediation
    missing = await place.attempt(named(options={"community": "bread@nowhere.example"}))
    assert (missing.code, missing.rule) == ("destination_missing", "lemmy.community.missing")
    assert place.network.pictures == place.network.posts == {}


async def test_a_language_that_a_community_does_not_take_is_named(place: Place) -> None:
    place.bread.languages = (LANGUAGES["und"], LANGUAGES["en"], LANGUAGES["fr"])
    outcome = await place.attempt(named(options={"language": "de"}))
    assert (outcome.rule, outcome.code) == ("lemmy.language.not_allowed", "content_rejected")
    assert "only in: en, fr." in outcome.message
    assert (await place.attempt(named(options={"language": "xx"}))).rule == "lemmy.language.unknown"
    assert (await place.published(named(options={"language": "fr"})))["language_id"] == LANGUAGES["fr"]


@pytest.mark.parametrize(
    ("post", "code"),
    [
        (named(title="A scurvy dog"), "content_rejected"),
        (named(link="https://spam.example/a"), "content_rejected"),
        (named("https://spam.example/a"), "content_rejected"),
    ],
)
async def test_what_an_instance_refuses_is_not_tried_again(place: Place, post: Any, code: str) -> None:
    outcome = await place.attempt(post)
    assert isinstance(outcome, Refused)
    assert (outcome.code, bool(outcome.remediation)) == (code, True)
    assert place.world.ledger.of("lemmy") == []


async def test_a_seventh_post_waits_until_the_instance_takes_it(place: Place) -> None:
    for number in range(6):
        await LEMMY.publish(place.account(), named(title=f"Rye {number}"), MemoryJournal())
    outcome = await place.attempt(named(title="Rye again"))
    assert isinstance(outcome, TryLater)
    assert (outcome.code, outcome.after_seconds) == ("rate_limited", 100.0)


async def test_a_session_that_ended_needs_a_person(place: Place) -> None:
    """Also where an instance that lets strangers read answers as to a stranger."""
    place.network.sessions.clear()
    for place.network.private in (False, True):
        assert isinstance(await LEMMY.publish(place.account(), named(), MemoryJournal()), NeedsReconnect)


# --- lost answers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "post",
    [
        named("see https://bakery.example/rye?utm_source=newsletter&utm_medium=mail now"),
        named("", media=(image(), image(alt="Second"))),
        named("x\n\ny", link="https://bakery.example/rye", media=(image(),), options={"language": "en"}),
    ],
)
async def test_a_post_is_found_although_the_instance_changed_it(place: Place, post: Any) -> None:
    outcome = await place.lost(post)
    assert isinstance(outcome, Published), outcome
    assert [*place.network.posts] == [int(outcome.remote_id)]


@pytest.mark.parametrize("fault", ["breaks", "purged"])
async def test_a_post_is_found_after_an_error_of_the_instance_and_after_its_removal(place: Place, fault: str) -> None:
    """Moderators remove by robots, at once: it was there, and is not sent a second time."""
    place.world.add_fault("lemmy", fault)
    outcome = await place.lost(named()) if fault == "purged" else await place.attempt(named())
    if fault == "breaks":
        assert isinstance(outcome, OutcomeUnknown)
        outcome = await place.attempt(named())
    assert isinstance(outcome, Published)
    assert len(place.network.posts) == 1


async def test_pinned_posts_and_other_communities_do_not_hide_it(place: Place) -> None:
    pinned = await place.published(named("old"))
    pinned["featured_local"] = True
    place.world.clock.advance(3_600)
    place.network.add_community("bread", host="lemmy.example")
    await place.published(named(options={"community": "bread@lemmy.example"}))
    outcome = await place.lost(named())

    assert isinstance(outcome, Published)
    assert place.network.posts[int(outcome.remote_id)]["community_id"] == place.bread.id
    assert len(place.network.posts) == 3


async def test_the_same_title_with_another_text_is_for_a_person_to_see(place: Place) -> None:
    """The instance has replaced a word in it."""
    outcome = await place.lost(named("a scurvy dog"))
    assert isinstance(outcome, OutcomeUnknown)
    assert "other content" in outcome.message
    assert len(place.network.posts) == 1


@pytest.mark.parametrize(
    ("details", "values", "options"),
    [
        ({"settings": {"show_nsfw": False}}, {}, {"nsfw": True}),
        ({"settings": {"show_nsfw": False}}, {"nsfw": True}, {}),
        ({"settings": {"show_bot_accounts": False}, "bot": True}, {}, {}),
        ({"languages": [LANGUAGES["en"]]}, {}, {"language": "de"}),
        ({"languages": [LANGUAGES["en"]]}, {}, {}),
        ({}, {"hidden": True}, {}),
        ({"blocks": True}, {}, {}),
    ],
)
async def test_what_the_settings_hide_is_not_taken_for_absent(
    place: Place, details: dict[str, Any], values: dict[str, Any], options: dict[str, Any]
) -> None:
    for name, value in values.items():
        setattr(place.bread, name, value)
    place.alice.details |= details | ({"blocks": [place.bread.id]} if details.get("blocks") else {})
    outcome = await place.lost(named(options=options))
    assert isinstance(outcome, OutcomeUnknown), outcome
    assert len(place.network.posts) == 1


async def test_a_session_that_ended_meanwhile_proves_nothing(place: Place) -> None:
    """As a stranger it would see no post for adults, and send it again once it is connected anew."""
    post = named(options={"nsfw": True})
    place.world.add_fault("lemmy", "lost", CREATE)
    await place.attempt(post)
    place.world.clock.advance(200)
    place.network.sessions.clear()
    assert isinstance(await place.attempt(post), OutcomeUnknown)

    place.network.add_session(place.alice, place.jwt)
    assert isinstance(await place.attempt(post), Published)
    assert len(place.network.posts) == 1


async def test_after_a_restore_a_post_is_known_by_title_and_text(place: Place) -> None:
    since = place.world.clock() - timedelta(seconds=1)
    await place.published(named("as it was"))
    place.world.clock.advance(300)
    assert LEMMY.reconcile is not None
    outcomes = []
    for title in ("Rye", "Wheat"):
        journal = MemoryJournal.of_backup({"at": clock.wire(since), RESTORED: True})
        outcomes.append(await LEMMY.reconcile(place.account(), named("as it was", title=title), journal))

    assert isinstance(outcomes[0], Published)
    assert isinstance(outcomes[1], Absent)


async def test_more_than_is_read_is_unknown(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never sent again while it may be there."""
    monkeypatch.setattr(finding, "PAGES_MAX", 1)
    monkeypatch.setattr(finding, "PAGE_LENGTH", 2)
    for number in range(2):
        await place.published(named(title=f"Rye {number}"))
    place.world.add_fault("lemmy", "dropped", CREATE)
    await place.attempt(named())
    place.world.clock.advance(200)
    assert isinstance(await place.attempt(named()), OutcomeUnknown)


async def test_more_removed_posts_than_are_read_are_unknown(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """What moderators removed long ago does not count: the post cannot be before it in the log."""
    numbers = [(await place.published(named(title=f"Rye {number}")))["id"] for number in range(4)]
    for number in numbers[:2]:
        place.network.remove(number)
    monkeypatch.setattr(finding, "PAGE_LENGTH", 2)
    place.world.clock.advance(3_600)
    place.world.add_fault("lemmy", "dropped", CREATE)
    await place.attempt(named())
    place.world.clock.advance(200)
    assert LEMMY.reconcile is not None
    assert isinstance(await LEMMY.reconcile(place.account(), named(), place.journal), Absent)

    for number in numbers[2:]:
        place.network.remove(number)
    assert isinstance(await LEMMY.reconcile(place.account(), named(), place.journal), OutcomeUnknown)


# --- afterwards ----------------------------------------------------------------------------------------------------


async def test_numbers_of_what_is_gone_are_none(place: Place) -> None:
    kept, removed = [(await place.published(named(title=f"Rye {number}")))["id"] for number in range(2)]
    place.world.clock.advance(36_000)
    place.network.remove(removed)
    assert LEMMY.metrics is not None
    numbers = await LEMMY.metrics(place.account(), [str(kept), str(removed), "999"])

    assert numbers[str(removed)] is numbers["999"] is None
    counted = numbers[str(kept)]
    assert counted is not None
    assert (counted.likes or 0) > (counted.comments or 0) > 0


async def test_signing_out_ends_this_session_alone(place: Place) -> None:
    other = place.network.add_session(place.alice)
    assert LEMMY.revoke is not None
    await LEMMY.revoke(place.account())
    assert [*place.network.sessions] == [other]
