"""Polls and reshared posts of LinkedIn, at the simulated network."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from simulator import Destination, Simulator
from tests.helpers.simulated_accounts import Account, connect

from signalpost.conformance.harness import MemoryJournal, image, outgoing
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.connectors.linkedin.attached import reshared_urn
from signalpost.networks.contract import Absent, OutcomeUnknown, Outgoing, Published, Refused

A = {"text": "a"}
CREATE = "POST /rest/posts"
POLL = {"question": "Which bread?", "options": ["Rye", "Wheat"], "duration": "THREE_DAYS"}
SHARE, UGC_POST = "urn:li:share:7300000000000000001", "urn:li:ugcPost:7300000000000000002"


@pytest.fixture
async def http() -> AsyncIterator[Client]:
    async with Client() as client:
        yield client


@pytest.fixture
async def member(simulator: Simulator, http: Client) -> Account:
    return await connect(
        simulator, http, "linkedin", person={"destinations": [Destination("4711", "organization", "Acme")]}
    )


def posts(account: Account) -> list[Any]:
    return [entry for entry in account.simulator.world.ledger.of("linkedin") if entry.kind == "post"]


async def test_a_poll_is_below_the_text(member: Account) -> None:
    outcome = await member.publish(
        outgoing("Vote! https://page.invalid/x", link="https://e.org/y", options={"poll": POLL})
    )
    [entry] = posts(member)

    assert isinstance(outcome, Published), outcome
    assert outcome.remote_id.startswith("urn:li:ugcPost:")
    assert entry.text == "Vote! https://page.invalid/x\n\nhttps://e.org/y"
    assert entry.details["content"] == {
        "poll": {
            "question": "Which bread?",
            "options": [{"text": "Rye"}, {"text": "Wheat"}],
            "settings": {"duration": "THREE_DAYS", "voteSelectionType": "SINGLE_VOTE", "isVoterVisibleToAuthor": True},
        }
    }


async def test_a_poll_lasts_a_week_unless_it_says_otherwise(member: Account) -> None:
    options = {"poll": {"question": "Which?", "options": ["1", "2", "3", "4"]}}
    assert isinstance(await member.publish(outgoing("Vote!", options=options)), Published)

    assert posts(member)[0].details["content"]["poll"]["settings"]["duration"] == "SEVEN_DAYS"


@pytest.mark.parametrize("form", ["{urn}", "https://www.linkedin.com/feed/update/{urn}/?utm_source=share"])
async def test_a_post_is_reshared(member: Account, form: str) -> None:
    first = await member.publish(outgoing("Read this"))
    assert isinstance(first, Published)
    options = {"reshareOf": form.format(urn=first.remote_id), "visibility": "connections"}

    outcome = await member.publish(outgoing("I agree: see https://page.invalid/x", options=options))

    assert isinstance(outcome, Published), outcome
    _, entry = posts(member)
    assert entry.details["reshare_of"] == first.remote_id
    assert (entry.details["content"], entry.details["visibility"]) == ({}, "CONNECTIONS")


async def test_a_lost_reshare_is_found_by_sending_it_again(member: Account) -> None:
    world, journal = member.simulator.world, MemoryJournal()
    first = await member.publish(outgoing("Read this"))
    assert isinstance(first, Published)
    post = outgoing("I agree", options={"reshareOf": first.remote_id})
    world.add_fault("linkedin", "lost", CREATE)
    assert isinstance(await member.publish(post, journal), OutcomeUnknown)
    world.clock.advance(60)
    assert member.connector.reconcile is not None
    assert isinstance(await member.connector.reconcile(member.session(), post, journal), Absent)
    journal.settle()

    found = await member.publish(post, journal)

    assert isinstance(found, Published)
    assert [entry.remote_id for entry in posts(member)] == [first.remote_id, found.remote_id]


async def test_a_post_that_nobody_may_reshare_is_refused_with_what_to_do(member: Account) -> None:
    """LinkedIn answers with 403, as if the account lacked a permission: connecting it again would not help."""
    outcome = await member.publish(outgoing("I agree", options={"reshareOf": SHARE}))

    assert isinstance(outcome, Refused), outcome
    assert outcome.code == "content_rejected"
    assert "post to reshare" in (outcome.remediation or "")
    refused = await member.publish(outgoing("x", options={"author": "urn:li:organization:4712"}))
    assert isinstance(refused, Refused)
    assert refused.code == "permission_missing"


@pytest.mark.parametrize(
    ("address", "urn"),
    [
        (SHARE, SHARE),
        ("urn:li:groupPost:123-456", "urn:li:groupPost:123-456"),
        (f"https://www.linkedin.com/feed/update/{SHARE}", SHARE),
        ("https://linkedin.com/feed/update/urn%3Ali%3AugcPost%3A7300000000000000002/", UGC_POST),
        ("https://de.linkedin.com/posts/ada_bread-share-7300000000000000001-aB_c?utm_source=x", SHARE),
        ("https://www.linkedin.com/posts/ada_a-ugcPost-7300000000000000002-x1Yz/", UGC_POST),
        ("https://www.linkedin.com/posts/ada_share-17-tips-activity-7300000000000000003-aBcd", None),
        ("https://www.linkedin.com/feed/update/urn:li:activity:7300000000000000003/", None),
        ("urn:li:activity:7300000000000000003", None),
    ],
)  # fmt: skip
async def test_which_post_an_address_names(member: Account, address: str, urn: str | None) -> None:
    """The number of an activity can be that of another post, so none is made of it: not even what preflight missed."""
    post = outgoing("I agree", options={"reshareOf": address})

    assert reshared_urn(post) == urn
    issues = preflight.check(CONNECTORS["linkedin"], post, {})
    assert [issue.rule for issue in issues] == ([] if urn else ["linkedin.reshare.address"])
    if urn is None:
        outcome = await member.publish(post)
        assert isinstance(outcome, Refused)
        assert outcome.rule == "linkedin.reshare.address"
        assert posts(member) == []


@pytest.mark.parametrize(
    ("post", "rules"),
    [
        (outgoing("x", options={"poll": POLL}), []),
        (outgoing("x", media=(image(),), options={"poll": POLL}), ["poll.with_media"]),
        (outgoing("x", media=(image(),), options={"reshareOf": SHARE}), ["reshare.with_media"]),
        (outgoing("x", options={"poll": POLL, "reshareOf": SHARE}), ["reshare.with_media"]),
        (outgoing("x", options={"poll": {**POLL, "question": "?" * 141}}), ["options.type"]),
        (outgoing("x", options={"poll": {**POLL, "options": ["a", "b" * 31]}}), ["options.type"]),
        (outgoing("x", options={"poll": {**POLL, "options": ["a"]}}), ["options.type"]),
        (outgoing("x", options={"poll": {**POLL, "options": ["a"] * 5}}), ["options.type"]),
        (outgoing("x", options={"poll": {**POLL, "duration": "A_YEAR"}}), ["options.type"]),
        (outgoing("x", options={"reshareOf": "https://example.com/posts/ada"}), ["options.type", "reshare.address"]),
        (outgoing("x" * 2_990, link="https://e.org/x", options={"poll": POLL}), ["text.max_utf16"]),
    ],
)  # fmt: skip
def test_preflight(post: Outgoing, rules: list[str]) -> None:
    found = [issue.rule for issue in preflight.check(CONNECTORS["linkedin"], post, {})]

    assert found == [f"linkedin.{rule}" for rule in rules]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"content": {"poll": {"question": "Q", "options": [A], "settings": {"duration": "ONE_DAY"}}}}, 400),
        ({"content": {"poll": {"question": "Q", "options": [A, A]}}}, 400),
        ({"reshareContext": {"parent": "urn:li:activity:7300000000000000001"}}, 422),
        ({"reshareContext": {"parent": SHARE}}, 403),
    ],
)  # fmt: skip
async def test_the_simulator_refuses_what_linkedin_refuses(
    member: Account, http: Client, change: dict[str, Any], status: int
) -> None:
    session = member.session()
    body = {
        "author": member.identity.remote_id, "commentary": "x", "visibility": "PUBLIC", "lifecycleState": "PUBLISHED",
        "distribution": {"feedDistribution": "MAIN_FEED"}, **change,
    }  # fmt: skip
    headers = {
        "LinkedIn-Version": "202609", "X-Restli-Protocol-Version": "2.0.0",
        "Authorization": f"Bearer {session.secrets['accessToken']}",
    }  # fmt: skip

    response = await session.server.call("POST", "/rest/posts", json=body, headers=headers, expect=(status,))

    assert response.status == status
    assert posts(member) == []
