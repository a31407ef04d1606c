"""Posts of an organization for a part of its followers, at the simulated network."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from simulator import Destination, Simulator
from tests.helpers.simulated_accounts import Account, connect

from signalpost.conformance.harness import MemoryJournal, outgoing
from signalpost.kit import clock
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.contract import Absent, OutcomeUnknown, Outgoing, Published, Refused

ORGANIZATION = "urn:li:organization:4711"
TEST_COMPANY = "urn:li:organization:2414183"
ME = "urn:li:person:a"
SCOPES = ("openid", "profile", "w_member_social", "w_organization_social", "r_organization_social",
          "rw_organization_admin")  # fmt: skip
CREATE = "POST /rest/posts"
GERMANY, AUSTRIA = "urn:li:geo:101282230", "urn:li:geo:103883259"
DIRECTOR, OWNER = "urn:li:seniority:6", "urn:li:seniority:10"
FOLLOWERS = [
    (200, {"geoLocations": [GERMANY], "seniorities": [DIRECTOR]}),
    (150, {"geoLocations": [AUSTRIA], "seniorities": [DIRECTOR]}),
    (900, {"geoLocations": [GERMANY], "seniorities": [OWNER]}),
]


@pytest.fixture
async def http() -> AsyncIterator[Client]:
    async with Client() as client:
        yield client


@pytest.fixture
async def partner(simulator: Simulator, http: Client) -> Account:
    """A member who posts for an organization with few directors, and for LinkedIn's test organization."""
    simulator.world.clock.set(clock.now())
    acme = Destination("4711", "organization", "Acme", {"followers": FOLLOWERS})
    test = Destination("2414183", "organization", "DevTestCo", {"followers": [(1, {"seniorities": [OWNER]})]})
    person = {"destinations": [acme, test]}
    return await connect(simulator, http, "linkedin", scopes=SCOPES, details={"partner": True}, person=person)


def for_audience(audience: Any, text: str = "Hello", author: str = ORGANIZATION, **options: Any) -> Outgoing:
    return outgoing(text, options={"author": author, "audience": audience, "disableLinkPreview": True, **options})


def posts(account: Account) -> list[Any]:
    return [entry for entry in account.simulator.world.ledger.of("linkedin") if entry.kind == "post"]


async def test_ids_and_urns_become_what_linkedin_takes(partner: Account) -> None:
    del partner.person.destinations[0].details["followers"]
    audience = {
        "geoLocations": ["101282230", AUSTRIA, GERMANY], "industries": ["96"], "jobFunctions": ["urn:li:function:4"],
        "seniorities": ["6"], "staffCountRanges": ["SIZE_11_TO_50", "SIZE_1", "SIZE_1"], "degrees": ["700"],
        "interfaceLocales": ["de_DE", "de-DE", "en_US"], "fieldsOfStudy": ["100220"], "organizations": ["1035"],
    }  # fmt: skip

    outcome = await partner.publish(for_audience(audience))

    assert isinstance(outcome, Published), outcome
    (entry,) = posts(partner)
    assert entry.account_id == ORGANIZATION
    assert entry.details["target_entities"] == [
        {
            "geoLocations": [GERMANY, AUSTRIA],
            "industries": ["urn:li:industry:96"],
            "jobFunctions": ["urn:li:function:4"],
            "seniorities": [DIRECTOR],
            "staffCountRanges": ["SIZE_11_TO_50", "SIZE_1"],
            "interfaceLocales": [{"language": "de", "country": "DE"}, {"language": "en", "country": "US"}],
            "degrees": ["urn:li:degree:700"],
            "fieldsOfStudy": ["urn:li:fieldOfStudy:100220"],
            "organizations": ["urn:li:organization:1035"],
        }
    ]


async def test_an_account_of_an_organization_is_its_author(partner: Account) -> None:
    post = outgoing("Hello", options={"audience": {"seniorities": ["10"]}, "visibility": "loggedIn"})

    assert isinstance(await partner.publish(post, remote_id=ORGANIZATION), Published)
    assert posts(partner)[0].details["target_entities"] == [{"seniorities": [OWNER]}]


@pytest.mark.parametrize(
    ("audience", "author", "is_shown"),
    [
        ({"seniorities": ["6"]}, ORGANIZATION, True),  # 350, of two countries
        ({"seniorities": ["6"], "geoLocations": [GERMANY]}, ORGANIZATION, False),  # 200
        ({"seniorities": ["6"], "geoLocations": [GERMANY, AUSTRIA]}, ORGANIZATION, True),
        ({"seniorities": ["6", "10"], "geoLocations": [AUSTRIA]}, ORGANIZATION, False),  # 150
        ({"industries": ["96"]}, ORGANIZATION, False),
        ({"seniorities": ["10"]}, TEST_COMPANY, True),  # one is enough there
        ({"seniorities": ["6"]}, TEST_COMPANY, False),
    ],
)
async def test_an_audience_that_is_too_small_is_refused_with_what_to_do(
    partner: Account, audience: dict[str, list[str]], author: str, is_shown: bool
) -> None:
    outcome = await partner.publish(for_audience(audience, author=author))

    assert len(posts(partner)) == is_shown
    if not is_shown:
        assert isinstance(outcome, Refused), outcome
        assert outcome.code == "content_rejected"
        assert "at least 300 followers" in (outcome.remediation or "")


async def test_ids_that_linkedin_does_not_find_are_a_matter_of_the_audience(partner: Account) -> None:
    """People saw 404 for such a post: without an audience that says that a place to post to is gone."""
    body = {"status": 404, "code": "NOT_FOUND", "message": "Could not find entity"}
    for options in ({"audience": {"geoLocations": ["1"]}}, {}):
        partner.simulator.world.add_fault("linkedin", "answer", CREATE, status=404, body=body)
        outcome = await partner.publish(outgoing("Hello", options={"author": ORGANIZATION, **options}))

        assert isinstance(outcome, Refused), outcome
        assert outcome.code == ("content_rejected" if options else "destination_missing")
        assert ("audience" in (outcome.remediation or "")) is bool(options)


@pytest.mark.parametrize(("audience", "rule"), [({"industries": ["96"]}, "member"), ({}, "empty")])
async def test_what_preflight_could_not_know_is_never_shown_to_everyone(
    partner: Account, audience: dict[str, list[str]], rule: str
) -> None:
    author = ORGANIZATION if rule == "empty" else partner.identity.remote_id

    outcome = await partner.publish(for_audience(audience, author=author))

    assert isinstance(outcome, Refused), outcome
    assert (outcome.code, outcome.rule) == ("content_rejected", f"linkedin.audience.{rule}")
    assert posts(partner) == []


# --- lost answers --------------------------------------------------------------------------------------------------


async def reconciled(account: Account, post: Outgoing, journal: MemoryJournal) -> Any:
    assert account.connector.reconcile is not None
    return await account.connector.reconcile(account.session(), post, journal)


async def test_a_lost_post_for_an_audience_is_found_in_the_list(partner: Account) -> None:
    world, journal = partner.simulator.world, MemoryJournal()
    post = for_audience({"seniorities": ["10", "6"], "geoLocations": [GERMANY]})
    world.add_fault("linkedin", "lost", CREATE)
    assert isinstance(await partner.publish(post, journal), OutcomeUnknown)
    world.clock.advance(3_600)
    (entry,) = posts(partner)
    entry.details["target_entities"] = [{"geoLocations": [GERMANY], "seniorities": [DIRECTOR, OWNER]}]  # in its order

    found = await reconciled(partner, post, journal)

    assert isinstance(found, Published)
    assert found.remote_id == entry.remote_id


async def test_the_same_text_for_others_is_not_the_lost_post(partner: Account) -> None:
    """One text for two audiences is what they are for: nobody is told that one is there because the other is."""
    world, journal = partner.simulator.world, MemoryJournal()
    directors, owners = for_audience({"seniorities": ["6"]}), for_audience({"seniorities": ["10"]})
    world.add_fault("linkedin", "dropped", CREATE)
    assert isinstance(await partner.publish(directors, journal), OutcomeUnknown)
    world.clock.advance(60)
    assert isinstance(await partner.publish(owners), Published)

    assert isinstance(await reconciled(partner, directors, journal), Absent)
    journal.settle()
    again = await partner.publish(directors, journal)
    assert isinstance(again, Refused), again
    assert again.code == "duplicate_content"
    journal.settle()
    world.clock.advance(601)
    assert isinstance(await partner.publish(directors, journal), Published)
    assert [entry.details["target_entities"] for entry in posts(partner)] == [
        [{"seniorities": [OWNER]}], [{"seniorities": [DIRECTOR]}],
    ]  # fmt: skip


# --- before anything is sent ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("audience", "options", "facts", "rules"),
    [
        ({"seniorities": ["6"]}, {}, {"author": ORGANIZATION}, []),
        ({"seniorities": ["6"]}, {"author": ORGANIZATION}, {"author": ME}, []),
        ({"seniorities": ["6"]}, {}, {"author": ME}, ["audience.member"]),
        ({"seniorities": ["6"]}, {}, {}, []),  # nobody knows whose account it is
        ({"seniorities": ["6"]}, {"visibility": "connections"}, {}, ["audience.member"]),
        ({"seniorities": ["6"]}, {"visibility": "connections"}, {"author": ORGANIZATION}, ["options.visibility"]),
        ({"seniorities": []}, {}, {"author": ORGANIZATION}, ["audience.empty"]),
        ({}, {}, {"author": ME}, ["audience.empty", "audience.member"]),
        ({"seniorities": ["director"]}, {}, {"author": ORGANIZATION}, ["options.type"]),
        ({"seniorities": [GERMANY]}, {}, {"author": ORGANIZATION}, ["options.type"]),
        ({"geoLocations": ["1"] * 51}, {}, {"author": ORGANIZATION}, ["options.type"]),
        ({"staffCountRanges": ["SIZE_3"]}, {}, {"author": ORGANIZATION}, ["options.type"]),
        ({"interfaceLocales": ["German"]}, {}, {"author": ORGANIZATION}, ["options.type"]),
        ({"countries": ["DE"]}, {}, {"author": ORGANIZATION}, ["options.type"]),
        ([GERMANY], {}, {"author": ORGANIZATION}, ["options.type"]),
    ],
)
def test_preflight(audience: Any, options: dict[str, Any], facts: dict[str, Any], rules: list[str]) -> None:
    post = outgoing("x", options={"audience": audience, **options})

    found = preflight.check(CONNECTORS["linkedin"], post, facts)

    assert sorted(issue.rule for issue in found) == sorted(f"linkedin.{rule}" for rule in rules)
    assert all(issue.path.startswith(("/options/audience", "/options/visibility")) for issue in found)


@pytest.mark.parametrize(
    "targets",
    [
        {"seniorities": [OWNER]},
        [{}],
        [{"seniorities": []}],
        [{"seniorities": ["10"]}],
        [{"seniorities": [GERMANY]}],
        [{"locations": [GERMANY]}],
        [{"staffCountRanges": ["SIZE_3"]}],
        [{"interfaceLocales": ["de_DE"]}],
    ],
)
async def test_the_simulator_refuses_what_linkedin_does_not_take(partner: Account, targets: Any) -> None:
    session = partner.session()
    body = {
        "author": ORGANIZATION, "commentary": "x", "visibility": "PUBLIC", "lifecycleState": "PUBLISHED",
        "distribution": {"feedDistribution": "MAIN_FEED", "targetEntities": targets},
    }  # fmt: skip
    headers = {
        "LinkedIn-Version": "202609", "X-Restli-Protocol-Version": "2.0.0",
        "Authorization": f"Bearer {session.secrets['accessToken']}",
    }  # fmt: skip

    for author in (ORGANIZATION, partner.identity.remote_id):
        given = {**body, "author": author}
        await session.server.call("POST", "/rest/posts", json=given, headers=headers, expect=(400,))
    assert posts(partner) == []
