"""People whom a post can mention, as each network that has such a search says it."""

from datetime import UTC, datetime
from typing import Any

import pytest
from simulator import Simulator
from tests.helpers.networks import FAKES
from tests.helpers.scenes import SCENES
from tests.helpers.scenes.stage import connected

from signalpost.conformance.harness import START, Clock, FakeHttp, FakeResponse, Request, json_response, session
from signalpost.kit.http import BadResponse, Client
from signalpost.networks import CONNECTORS
from signalpost.networks.connectors.bluesky.people import people as people_of_bluesky
from signalpost.networks.connectors.bluesky.rich_text import handles
from signalpost.networks.connectors.mastodon.people import people as people_of_mastodon
from signalpost.networks.contract import NetworkSession, Person
from signalpost.networks.results import RESULTS


async def test_mastodon_finds_those_whom_its_server_knows() -> None:
    """With their server, as posts name them; the sender's own server calls its people by their names alone."""
    async with Simulator(start=datetime.now(UTC)) as simulator, Client() as http:
        stage = await connected(simulator, "mastodon", SCENES["mastodon"], http)
        simulator.world.add_person("mastodon", "abel", name="Noor Abel")
        simulator.world.add_person("mastodon", "zoe", name="Zoë Abbott")
        host = stage.session().username.partition("@")[2]
        persons = await people_of_mastodon(stage.session(), "ab")

    assert RESULTS["people"](persons)
    assert [(person.handle, person.name) for person in persons] == [
        (f"abel@{host}", "Noor Abel"), (f"zoe@{host}", "Zoë Abbott"),
    ]  # fmt: skip


def answering(network: str, body: Any) -> tuple[list[Request], NetworkSession]:
    """A session with a server that answers everything with this."""
    requests: list[Request] = []

    def serve(request: Request) -> FakeResponse:
        requests.append(request)
        return json_response(200, body)

    return requests, session(FakeHttp(serve), Clock(START), **FAKES[network].account)


async def test_bluesky_finds_those_with_a_confirmed_handle() -> None:
    actors = [
        {"did": "did:plc:a", "handle": "abel.bsky.social", "displayName": "Noor\u202e Abel\n"},
        {"did": "did:plc:b", "handle": "handle.invalid", "displayName": "Nobody"},
        {"did": "did:plc:c", "handle": "Zoe.example"},
        {"did": "did:plc:d", "handle": "not a handle"},
        {"did": "did:plc:e"},
        "nothing",
    ]
    requests, account = answering("bluesky", {"actors": actors})
    persons = await people_of_bluesky(account, "ab")

    assert [(request.method, request.path, request.params["q"]) for request in requests] == [
        ("GET", "/xrpc/app.bsky.actor.searchActorsTypeahead", "ab")
    ]
    assert persons == [
        Person(handle="abel.bsky.social", name="Noor Abel"), Person(handle="Zoe.example", name="Zoe.example"),
    ]  # fmt: skip
    assert [handles(f"With @{person.handle} today") for person in persons] == [["abel.bsky.social"], ["zoe.example"]]


@pytest.mark.parametrize("body", [{}, [], {"actors": None}, {"actors": {}}, "x", None])
async def test_bluesky_that_lists_nobody(body: Any) -> None:
    assert await people_of_bluesky(answering("bluesky", body)[1], "ab") == []


async def test_mastodon_whose_entries_cannot_be_used() -> None:
    """Those are left out; what is no list is no answer."""
    accounts = [{"acct": "a b"}, {"acct": "x" * 300}, {"acct": "abel@far.example", "display_name": " "}]
    persons = await people_of_mastodon(answering("mastodon", accounts)[1], "ab")

    assert persons == [Person(handle="abel@far.example", name="abel@far.example")]
    for body in ({}, [{"id": "1"}], "x"):
        with pytest.raises(BadResponse):
            await people_of_mastodon(answering("mastodon", body)[1], "ab")


@pytest.mark.parametrize("handle", ["", "a b", "a\u202eb", "a\nb", "x" * 201])
def test_a_handle_that_no_post_can_have_is_refused(handle: str) -> None:
    with pytest.raises(BadResponse):
        Person(handle=handle, name="Name")


def test_who_lists_more_than_was_agreed_is_refused() -> None:
    persons = [Person(handle=f"p{number}", name="") for number in range(21)]

    assert (RESULTS["people"](persons[:20]), RESULTS["people"](persons)) == (True, False)
    assert {key for key, connector in CONNECTORS.items() if connector.people} == {"bluesky", "mastodon", "sandbox"}
