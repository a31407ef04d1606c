"""The connector of LinkedIn at the simulated network."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from linkedin_api.clients.restli.client import RestliClient
from simulator import Destination, Simulator
from simulator.networks.linkedin import rendered
from tests.helpers.networks.linkedin import VIDEO
from tests.helpers.redirected import Redirected
from tests.helpers.simulated_accounts import Account, connect

from signalpost.conformance.harness import MemoryJournal, image, outgoing
from signalpost.kit import clock
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.connectors.linkedin.little_text import little_text, visible_text
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

ORGANIZATION = "urn:li:organization:4711"
SCOPES = (
    "openid", "profile", "w_member_social", "w_organization_social", "r_organization_social", "rw_organization_admin",
    "r_member_postAnalytics", "w_member_social_feed", "w_organization_social_feed",
)  # fmt: skip
CREATE = "POST /rest/posts"
ME = "urn:li:person:a"
NO_CARD = {"disableLinkPreview": True}
PDF = image(None, b"%PDF-1.7" + bytes(100), "application/pdf", kind="document", file_name="plan.pdf")


@pytest.fixture
async def http() -> AsyncIterator[Client]:
    async with Client() as client:
        yield client


@pytest.fixture
async def member(simulator: Simulator, http: Client) -> Account:
    return await connect(simulator, http, "linkedin")


@pytest.fixture
async def partner(simulator: Simulator, http: Client) -> Account:
    """With a grant of today: the tokens that a code is redeemed for are dated by the clock of the service."""
    simulator.world.clock.set(clock.now())
    acme = Destination("4711", "organization", "Acme Inc")
    watched = Destination("4712", "organization", "Watched", {"roles": ["ANALYST"]})
    details = {"partner": True}
    return await connect(
        simulator, http, "linkedin", scopes=SCOPES, details=details, person={"destinations": [acme, watched]}
    )


def posts(account: Account) -> list[Any]:
    return [entry for entry in account.simulator.world.ledger.of("linkedin") if entry.kind == "post"]


async def test_connecting_checking_and_revoking(member: Account) -> None:
    identity, connector = member.identity, member.connector

    assert identity.remote_id == f"urn:li:person:{member.person.id}"
    assert (identity.display_name, identity.refreshable) == ("Me", False)
    assert identity.token_expires_at is not None
    assert connector.check is not None
    assert connector.revoke is not None
    assert connector.destinations is not None
    assert (await connector.check(member.session())).can_post
    assert [one.identity.remote_id for one in await connector.destinations(member.session())] == [identity.remote_id]
    await connector.revoke(member.session())
    with pytest.raises(ApiError) as refused:
        await connector.check(member.session())
    assert isinstance(connector.explain(refused.value), NeedsReconnect)


async def test_a_partners_app_renews_tokens_until_the_grant_ends(partner: Account) -> None:
    clock = partner.simulator.world.clock
    ends_at = clock() + timedelta(days=365)
    clock.set(datetime.fromisoformat(partner.identity.secrets["accessExpiresAt"]))

    assert isinstance(await partner.publish(outgoing("renewed")), Published)
    [(secrets, expires_at)] = partner.saved
    assert secrets["accessToken"] != partner.identity.secrets["accessToken"]
    assert expires_at is not None
    assert abs(expires_at - ends_at) < timedelta(seconds=5)  # renewing does not move the end of the grant


async def test_a_check_renews_the_token_too(partner: Account) -> None:
    partner.simulator.world.clock.set(datetime.fromisoformat(partner.identity.secrets["accessExpiresAt"]))
    assert partner.connector.check is not None

    assert (await partner.connector.check(partner.session())).valid
    assert len(partner.saved) == 1


async def test_organizations_are_destinations(partner: Account) -> None:
    connector = partner.connector
    assert connector.destinations is not None
    assert connector.check is not None
    me, acme, watched = await connector.destinations(partner.session())

    assert me.identity.remote_id == partner.identity.remote_id
    assert (acme.identity.remote_id, acme.identity.username, acme.can_post) == (ORGANIZATION, "acme-inc", True)
    assert (watched.tasks, watched.can_post) == (("ANALYST",), False)
    as_acme = {"remote_id": ORGANIZATION, "facts": acme.identity.facts}
    assert (await connector.check(partner.session(**as_acme))).can_post
    assert not (await connector.check(partner.session(remote_id=watched.identity.remote_id))).can_post
    assert isinstance(await partner.publish(outgoing("as Acme"), **as_acme), Published)
    assert isinstance(await partner.publish(outgoing("by option", options={"author": ORGANIZATION})), Published)
    assert [entry.account_id for entry in posts(partner)] == [ORGANIZATION] * 2
    refused = await partner.publish(outgoing("no role", options={"author": watched.identity.remote_id}))
    assert isinstance(refused, Refused)
    assert refused.code == "permission_missing"


@pytest.mark.parametrize(
    ("post", "content"),
    [
        (outgoing("text only"), []),
        (outgoing("an image", media=(image(),)), ["media"]),
        (outgoing("images", media=(image(), image("second"))), ["multiImage"]),
        (outgoing("a video", media=(VIDEO,)), ["media"]),
        (outgoing("a document", media=(PDF,), options={"documentTitle": "The plan"}), ["media"]),
        (outgoing("a card", link="https://page.invalid/x"), ["article"]),
        (outgoing("see https://page.invalid/x."), ["article"]),
        (outgoing("none: https://page.invalid/x", options={"disableLinkPreview": True}), []),
    ],
    ids=lambda value: value.text if isinstance(value, Outgoing) else None,
)
async def test_what_is_published(member: Account, post: Outgoing, content: list[str]) -> None:
    """A self-serve app may not look whether its files are ready: it waits a little."""
    outcome = await member.publish(post)
    [entry] = posts(member)

    assert isinstance(outcome, Published), outcome
    assert outcome.url == f"https://www.linkedin.com/feed/update/{entry.remote_id}/"
    assert entry.text == post.text
    assert list(entry.details["content"]) == content
    assert [*entry.media] == [_sha256(await media.bytes()) for media in post.media]


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def test_details_of_a_post(member: Account) -> None:
    options = {"visibility": "connections", "disableLinkPreview": True}
    await member.publish(outgoing("Hello", link="https://page.invalid/x", options=options))
    await member.publish(outgoing("pictures", media=(image("a dot"), image(None))))
    await member.publish(outgoing("card", link="https://page.invalid/y", title="Read this"))
    link, pictures, card = posts(member)

    assert (link.text, link.details["visibility"]) == ("Hello\n\nhttps://page.invalid/x", "CONNECTIONS")
    assert [one.get("altText") for one in pictures.details["content"]["multiImage"]["images"]] == ["a dot", None]
    assert card.details["content"]["article"] == {"source": "https://page.invalid/y", "title": "Read this"}


@pytest.mark.parametrize(
    "text",
    [
        "50% (or more) <of> {this} [and] that* _x_ ~y~ a|b \\ @home",
        "#launch day, #über_uns and c# or # alone",
        "https://en.wikipedia.org/wiki/Foo_(bar)#history #now",
        "(#first)",
        "",
    ],
)
def test_little_text_shows_what_was_written(text: str) -> None:
    assert rendered(little_text(text)) == text


def test_little_text_has_mentions_and_hashtags() -> None:
    text = "With @[Acme (UK), Inc.](urn:li:organization:1) and @[Acme Inc](urn:li:organization:1) at #launch_day"
    marked = little_text(text)

    assert "@[Acme Inc](urn:li:organization:1)" in marked
    assert r"{hashtag|\#|launch\_day}" in marked
    assert visible_text("@[Acme Inc](urn:li:organization:1) wins") == "Acme Inc wins"
    assert rendered("unescaped (text is cut") == "unescaped "  # so the simulator would notice


@pytest.mark.parametrize(
    "mention",
    [
        "@[Acme](urn:li:company:1)", "@[Acme (UK)](urn:li:organization:1)", "@[](urn:li:organization:1)",
        "@[Acme] (urn:li:organization:1)", "@[Acme](urn:li:organization:)", "@[Acme](urn:li:organization:1/2)",
        f"@[{'x' * 201}](urn:li:person:1)",
    ],
)  # fmt: skip
def test_a_broken_mention_is_refused_where_it_stands(mention: str) -> None:
    """Readers would see its markup."""
    text = f"With {mention} and @[Beta & Sons](urn:li:person:a-B_1)"
    (issue,) = preflight.check(CONNECTORS["linkedin"], outgoing(text), {})

    assert (issue.rule, issue.path, issue.severity) == ("linkedin.text.mention", "/text", "error")
    assert issue.params == {"mention": mention[:200]}
    assert rendered(little_text(mention)) == mention  # and a post that is checked no more is not cut off by it


def test_a_first_comment_mentions_nobody() -> None:
    issues = preflight.check(
        CONNECTORS["linkedin"], outgoing("Hello", first_comment="Thanks @[Acme](urn:li:organization:1)"), {}
    )
    plain = preflight.check(
        CONNECTORS["linkedin"], outgoing("Hello", first_comment="@[Acme](https://acme.example) @Acme [a](urn)"), {}
    )

    assert [(issue.rule, issue.path) for issue in issues] == [("linkedin.comment.mention", "/firstComment")]
    assert plain == []


async def test_a_first_comment(partner: Account, member: Account) -> None:
    outcome = await partner.publish(outgoing("post", first_comment="and a comment"))
    assert isinstance(outcome, Published)
    assert outcome.first_comment_id is not None
    older = "w_member_social_feed w_organization_social_feed"
    partner.simulator.world.networks["linkedin"].oauth.grants[0].scopes -= set(older.split())
    lacking = await partner.publish(outgoing("third post", first_comment="with the permissions of 2024"))
    assert isinstance(lacking, Published)  # the post is there, and the sentence says what its comment lacks
    assert "w_member_social_feed" in (lacking.first_comment_error or "")
    refused = await member.publish(outgoing("other post", first_comment="of a self-serve app"))
    assert isinstance(refused, Published)
    assert "Not enough permissions" in (refused.first_comment_error or "")
    ledger = partner.simulator.world.ledger.of("linkedin")
    assert [entry.text for entry in ledger if entry.kind == "comment"] == ["and a comment"]


async def test_deleting_is_final_and_repeatable(member: Account) -> None:
    outcome = await member.publish(outgoing("to be deleted"))
    assert isinstance(outcome, Published)
    assert member.connector.delete is not None
    for _ in range(2):
        await member.connector.delete(member.session(), outcome.remote_id, ())
    assert posts(member) == []


async def test_linkedins_own_client_creates_a_post(simulator: Simulator) -> None:
    """Unmodified, with its own headers and encoding of URNs."""
    world = simulator.world
    alice, app = world.add_person("linkedin", "alice"), world.add_app("linkedin", "https://service.example/callback")
    oauth = world.networks["linkedin"].oauth
    assert oauth is not None
    token = oauth.grant(app, alice).access_token
    client = RestliClient()
    client.session.mount("https://api.linkedin.com", Redirected(simulator.url("linkedin")))
    post = {
        "author": f"urn:li:person:{alice.id}",
        "commentary": r"Hello \(from the client\)",
        "visibility": "PUBLIC",
        "distribution": {"feedDistribution": "MAIN_FEED", "targetEntities": [], "thirdPartyDistributionChannels": []},
        "lifecycleState": "PUBLISHED",
        "isReshareDisabledByAuthor": False,
    }
    to_posts: dict[str, Any] = {"resource_path": "/posts", "access_token": token, "version_string": "202609"}

    def use() -> str:
        created = client.create(entity=post, **to_posts)
        again = client.create(entity=post, **to_posts)
        old = client.create(entity=post, **to_posts | {"version_string": "202001"})
        assert [one.status_code for one in (created, again, old)] == [201, 422, 426]
        assert created.entity_id in again.response.json()["message"]
        return str(created.entity_id)

    urn = await asyncio.to_thread(use)
    assert [(entry.remote_id, entry.text) for entry in world.ledger.of("linkedin")] == [
        (urn, "Hello (from the client)")
    ]
    delete = {"path_keys": {"urn": urn}, "resource_path": "/posts/{urn}"}
    deleted = await asyncio.to_thread(lambda: client.delete(**to_posts | delete))
    assert deleted.status_code == 204
    assert world.ledger.of("linkedin") == []


# --- lost answers --------------------------------------------------------------------------------------------------


async def test_a_lost_answer_of_a_member_is_found_by_sending_again(member: Account) -> None:
    world, journal, post = member.simulator.world, MemoryJournal(), outgoing("once")
    world.add_fault("linkedin", "lost", CREATE)
    reconcile = member.connector.reconcile
    assert reconcile is not None

    assert isinstance(await member.publish(post, journal), OutcomeUnknown)
    early = await reconcile(member.session(), post, journal)
    assert isinstance(early, OutcomeUnknown)
    assert early.tells_after_seconds
    world.clock.advance(early.tells_after_seconds)
    assert isinstance(await reconcile(member.session(), post, journal), Absent)
    journal.settle()  # the service begins the step afresh; that the call was made stays known
    found = await member.publish(post, journal)
    assert isinstance(found, Published)
    assert [found.remote_id] == [entry.remote_id for entry in posts(member)]


async def test_a_duplicate_without_the_name_of_the_first_leaves_a_lost_post_open(member: Account) -> None:
    world, journal, post = member.simulator.world, MemoryJournal(), outgoing("once")
    world.add_fault("linkedin", "lost", CREATE)
    assert isinstance(await member.publish(post, journal), OutcomeUnknown)
    world.clock.advance(60)
    body = {"status": 422, "code": "DUPLICATE_POST", "message": "Content is a duplicate"}
    world.add_fault("linkedin", "answer", CREATE, status=422, body=body)

    assert isinstance(await member.publish(post, journal), OutcomeUnknown)
    assert len(posts(member)) == 1


async def _lost_and_absent(member: Account, journal: MemoryJournal, post: Outgoing) -> None:
    """The call is lost before LinkedIn saw it; a look finds nothing, so the same call may be made again."""
    member.simulator.world.add_fault("linkedin", "dropped", CREATE)
    reconcile = member.connector.reconcile
    assert reconcile is not None
    assert isinstance(await member.publish(post, journal), OutcomeUnknown)
    member.simulator.world.clock.advance(60)
    assert isinstance(await reconcile(member.session(), post, journal), Absent)
    journal.settle()


async def test_a_corrected_post_is_not_the_one_that_was_lost(member: Account) -> None:
    """The lost one was refused when it was sent again, so neither was accepted."""
    world, journal, post = member.simulator.world, MemoryJournal(), outgoing("wrong", options=NO_CARD)
    await _lost_and_absent(member, journal, post)
    world.add_fault("linkedin", "status", CREATE, status=400)
    assert isinstance(await member.publish(post, journal), Refused)
    # As the service does with a definite refusal: the intent is closed.
    journal.settle()

    assert isinstance(await member.publish(outgoing("right", options=NO_CARD), journal), Published)
    assert [entry.text for entry in posts(member)] == ["right"]


async def test_what_a_person_sends_again_as_a_new_post_is_one(member: Account) -> None:
    """They looked and did not find it; long after, LinkedIn could not tell any more."""
    journal, post = MemoryJournal(), outgoing("once", options=NO_CARD)
    await _lost_and_absent(member, journal, post)
    member.simulator.world.clock.advance(3_600)

    assert isinstance(await member.publish(replace(post, dedupe_key="another"), journal), Published)
    assert len(posts(member)) == 1


async def test_a_members_post_is_not_sent_again_when_linkedin_has_forgotten_it(member: Account) -> None:
    world, journal, post = member.simulator.world, MemoryJournal(), outgoing("once")
    world.add_fault("linkedin", "lost", CREATE)
    reconcile = member.connector.reconcile
    assert reconcile is not None

    await member.publish(post, journal)
    world.clock.advance(601)
    assert isinstance(await reconcile(member.session(), post, journal), OutcomeUnknown)
    assert len(posts(member)) == 1


async def test_a_lost_answer_of_an_organization_is_found_in_its_list(partner: Account) -> None:
    world, journal, post = partner.simulator.world, MemoryJournal(), outgoing("once (more)")
    world.add_fault("linkedin", "lost", CREATE)
    reconcile = partner.connector.reconcile
    assert reconcile is not None

    await partner.publish(post, journal, remote_id=ORGANIZATION)
    world.clock.advance(3_600)
    found = await reconcile(partner.session(remote_id=ORGANIZATION), post, journal)
    assert isinstance(found, Published)
    assert [found.remote_id] == [entry.remote_id for entry in posts(partner)]


async def test_a_duplicate_that_nobody_lost_is_refused(member: Account) -> None:
    assert isinstance(await member.publish(outgoing("twice")), Published)
    again = await member.publish(outgoing("twice"))

    assert isinstance(again, Refused)
    assert again.code == "duplicate_content"


# --- files ---------------------------------------------------------------------------------------------------------


async def test_an_interrupted_video_continues_with_its_next_part(partner: Account) -> None:
    world, journal, post = partner.simulator.world, MemoryJournal(), outgoing("film", media=(VIDEO,))
    world.add_fault("linkedin", "dropped", "PUT /dms-uploads/video/{name}/{number}", after=1)

    assert isinstance(await partner.publish(post, journal), TryLater)
    assert isinstance(await partner.publish(post, journal), Published)
    parts = [one.target for one in world.log if one.target.startswith("/dms-uploads/")]
    assert [part.rpartition("/")[2] for part in parts] == ["0", "1", "1"]


async def test_an_upload_whose_address_expired_begins_again(member: Account) -> None:
    world, journal, post = member.simulator.world, MemoryJournal(), outgoing("dot", media=(image(),))
    world.add_fault("linkedin", "dropped", "PUT /dms-uploads/{kind}/{name}")
    assert isinstance(await member.publish(post, journal), TryLater)
    member.simulator.world.networks["linkedin"].files.clear()  # type: ignore[attr-defined]  # of this network

    assert isinstance(await member.publish(post, journal), Refused | TryLater)
    assert isinstance(await member.publish(post, journal), Published)


async def test_a_file_that_cannot_be_processed_is_refused(partner: Account) -> None:
    partner.simulator.world.add_fault("linkedin", "processing_fails")
    outcome = await partner.publish(outgoing("film", media=(VIDEO,)))

    assert isinstance(outcome, Refused)
    assert outcome.code == "media_processing_failed"
    assert posts(partner) == []


# --- limits, versions, numbers -------------------------------------------------------------------------------------


async def test_a_daily_limit_lasts_until_midnight(member: Account) -> None:
    member.simulator.world.add_fault("linkedin", "status", CREATE, status=429)
    with clock.at(datetime(2026, 11, 22, 23, 59, 30, tzinfo=UTC)):
        outcome = await member.publish(outgoing("x"))

    assert isinstance(outcome, TryLater)
    assert (outcome.code, outcome.after_seconds) == ("platform_quota", 30 + 60)


async def test_a_version_that_ended_is_the_operators_business(simulator: Simulator, http: Client) -> None:
    account = await connect(simulator, http, "linkedin", details={"versions": frozenset({"203001"})})
    outcome = await account.publish(outgoing("x"))

    assert isinstance(outcome, Refused)
    assert outcome.code == "internal_error"


async def test_numbers_grow(partner: Account) -> None:
    read, clock = partner.connector.metrics, partner.simulator.world.clock
    assert read is not None
    mine, acmes = await partner.publish(outgoing("mine")), await partner.publish(outgoing("x"), remote_id=ORGANIZATION)
    assert isinstance(mine, Published)
    assert isinstance(acmes, Published)
    for remote_id, session in ((mine.remote_id, {}), (acmes.remote_id, {"remote_id": ORGANIZATION})):
        before = (await read(partner.session(**session), [remote_id]))[remote_id]
        clock.advance(7_200)
        after = (await read(partner.session(**session), [remote_id, "urn:li:share:1"]))[remote_id]
        assert isinstance(before, Metrics)
        assert isinstance(after, Metrics)
        assert (after.impressions or 0) > (before.impressions or 0)
        assert (after.likes or 0) > 0


async def test_a_self_serve_app_reads_no_numbers(member: Account) -> None:
    outcome = await member.publish(outgoing("mine"))
    assert isinstance(outcome, Published)
    assert member.connector.metrics is not None
    assert await member.connector.metrics(member.session(), [outcome.remote_id]) == {}


@pytest.mark.parametrize(
    ("post", "facts", "rule"),
    [
        (outgoing("x" * 3_001), {}, "linkedin.text.max_utf16"),
        (outgoing("x" * 2_990, link="https://e.org/x", options=NO_CARD), {}, "linkedin.text.max_utf16"),
        (outgoing("x", first_comment="y" * 1_251), {}, "linkedin.comment.max"),
        (outgoing("x", options={"visibility": "connections"}), {"author": ORGANIZATION}, "linkedin.options.visibility"),
        (outgoing("x", options={"author": "urn:li:person:b"}), {"author": ME}, "linkedin.options.author"),
        (outgoing("x", options={"author": "Acme"}), {}, "linkedin.options.type"),
        (outgoing("x", media=(replace(VIDEO, size_bytes=1_000),)), {}, "linkedin.media.min_bytes"),
        (outgoing("x", media=(replace(VIDEO, size_bytes=600_000_000),)), {}, "linkedin.media.large_video"),
        (outgoing("x", media=(replace(VIDEO, duration_ms=2_000),)), {}, "linkedin.media.min_duration"),
        (outgoing("x", media=(replace(VIDEO, width=3_000),)), {}, "linkedin.media.ratio"),
        (outgoing("x", media=(image(size_bytes=6_000_000),)), {}, "linkedin.media.large_image"),
        (outgoing("x", media=(VIDEO, image())), {}, "linkedin.media.mixed"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)  # fmt: skip
def test_preflight(post: Outgoing, facts: dict[str, Any], rule: str) -> None:
    assert [issue.rule for issue in preflight.check(CONNECTORS["linkedin"], post, facts)] == [rule]
