"""Whom a server may speak for. A Bluesky server claims a DID; the account's own document says where it is stored."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from tests.counterparts import reference_pds
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.sign_in_servers import DidDirectory, FakeBluesky, api_of, context_with, did_of

from signalpost import events
from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.kit.db import Database, Db
from signalpost.kit.http import Clients

HANDLE = "alice.test"
DID = did_of(HANDLE)


@dataclass
class Belief:
    """Two Bluesky servers that users name, and the directory that knows where accounts are stored."""

    api: Api
    owner: Login
    directory: DidDirectory
    directory_url: str
    network: FakeBluesky
    url: str
    other: FakeBluesky
    other_url: str

    async def connect(self, *, url: str | None = None, key: str | None = None, **more: Any) -> Any:
        fields = {"identifier": HANDLE, "appPassword": "right", "service": url or self.url}
        body = {"profileId": self.owner.profile, "fields": fields} | more
        return await self.api.post("/platforms/bluesky/connect", json=body, key=key or self.owner.key)

    async def accounts(self) -> list[Any]:
        return list((await self.api.get("/platforms/accounts/all", key=self.owner.key)).json()["data"])


@asynccontextmanager
async def opened(context: AppContext, make: Make, **settings: str) -> AsyncIterator[Belief]:
    directory, network, other = DidDirectory(), FakeBluesky(), FakeBluesky()
    async with (
        directory.serve() as directory_url,
        network.serve() as url,
        other.serve() as other_url,
        Clients.create(("127.0.0.1", "localhost")) as http,
    ):
        operated = context_with(context, BLUESKY_DIRECTORY_URL=settings.get("directory", directory_url))
        operated.http = http
        async with api_of(operated) as api:
            directory.add(HANDLE, url)
            owner = await make.owner()
            yield Belief(api, owner, directory, directory_url, network, url, other, other_url)


@pytest.fixture
async def belief(context: AppContext, make: Make) -> AsyncIterator[Belief]:
    async with opened(context, make) as found:
        yield found


async def test_an_account_is_connected_where_its_document_says(belief: Belief) -> None:
    response = await belief.connect()

    assert response.status_code == 201, response.text
    assert (response.json()["platformAccountId"], response.json()["username"]) == (DID, HANDLE)


async def test_a_server_cannot_take_over_an_account_of_another_one(belief: Belief, database: Database) -> None:
    """An editor's own server claims the company's DID: its posts would go there."""
    account = (await belief.connect()).json()
    stored = "select base_url, secrets, secrets_version from account where id = $1"
    before = await database.pool.fetchrow(stored, ids.decode("acc", account["id"]))
    response = await belief.connect(url=belief.other_url)

    assert (response.status_code, response.json()["errors"][0]["path"]) == (422, "/fields/service")
    assert belief.url in response.json()["errors"][0]["message"]
    assert await database.pool.fetchrow(stored, ids.decode("acc", account["id"])) == before


DOCUMENTS: dict[str, Any] = {
    "of another account": lambda document: document | {"id": did_of("bob.test")},
    "without an id": lambda document: {name: document[name] for name in ("alsoKnownAs", "service")},
    "of another handle": lambda document: document | {"alsoKnownAs": ["at://mallory.test"]},
    "with a handle that begins alike": lambda document: document | {"alsoKnownAs": ["at://alice.test.evil.example"]},
    "with the handle as a web address": lambda document: document | {"alsoKnownAs": ["https://alice.test"]},
    "without handles": lambda document: document | {"alsoKnownAs": None},
    "with odd handles": lambda document: document | {"alsoKnownAs": [7, None, {}, "at://\0"]},
    "without servers": lambda document: document | {"service": []},
    "with odd servers": lambda document: document | {"service": [7, None, {"id": "#atproto_pds"}]},
    "with another service": lambda document: document | {"service": [document["service"][0] | {"id": "#labeler"}]},
    "with another server": lambda document: (
        document | {"service": [document["service"][0] | {"serviceEndpoint": "https://honest.example"}]}
    ),
    "with a server that begins alike": lambda document: (
        document
        | {
            "service": [
                document["service"][0] | {"serviceEndpoint": document["service"][0]["serviceEndpoint"] + ".evil"}
            ]
        }
    ),
    "with a path": lambda document: (
        document
        | {"service": [document["service"][0] | {"serviceEndpoint": document["service"][0]["serviceEndpoint"] + "/x"}]}
    ),
    "that is a list": lambda document: [document],
    "that is empty": lambda _: {},
}


@pytest.mark.parametrize("name", DOCUMENTS)
async def test_a_document_that_contradicts_the_server_is_decisive(belief: Belief, name: str) -> None:
    document = belief.directory.documents[DID]
    belief.directory.documents[DID] = DOCUMENTS[name](document)
    response = await belief.connect()

    assert (response.status_code, response.json()["code"]) == (422, "validation_failed")
    assert await belief.accounts() == []


@pytest.mark.parametrize(
    "did",
    [
        "did:plc:x", "did:plc:" + "A" * 24, "did:plc:" + "a" * 25, "did:key:z6Mk", "did:web:", "did:web:x/../y",
        "alice.test",
        "did:web:evil.example:user", "did:web:a@b", "did:plc:../../../x", DID + "?a=b", DID + "#x", DID + " ",
        DID.upper(), "did:web:" + "a" * 300,
    ],
)  # fmt: skip
async def test_what_is_no_did_is_refused(belief: Belief, did: str) -> None:
    belief.network.did = did
    response = await belief.connect()

    assert (response.status_code, response.json()["errors"][0]["path"]) == (422, "/fields/service")
    assert await belief.accounts() == []


async def test_a_did_that_the_directory_does_not_know_is_refused(belief: Belief) -> None:
    del belief.directory.documents[DID]
    assert (await belief.connect()).status_code == 422


@pytest.mark.parametrize("host", ["127.0.0.1%3A9", "no-such-host.test", "localhost"])
async def test_a_did_web_is_looked_up_at_its_host_through_the_guard(belief: Belief, host: str) -> None:
    belief.network.did = f"did:web:{host}"
    response = await belief.connect()

    assert (response.status_code, response.json()["code"]) == (502, "platform_error")
    assert host.partition("%")[0] in response.json()["detail"]
    assert await belief.accounts() == []


async def test_a_did_web_cannot_reach_private_addresses(belief: Belief) -> None:
    belief.network.did = "did:web:169.254.169.254"
    response = await belief.connect()

    assert (response.status_code, response.json()["code"]) == (422, "validation_failed")


@pytest.mark.parametrize("status", [500, 503, 429, 302, 204])
async def test_a_directory_that_does_not_answer_may_do_so_later(belief: Belief, status: int) -> None:
    belief.directory.status = status
    response = await belief.connect()

    assert (response.status_code, response.json()["code"], response.json()["retryable"]) == (
        502,
        "platform_error",
        True,
    )
    assert "directory" in response.json()["detail"]
    assert await belief.accounts() == []
    belief.directory.status = 200
    assert (await belief.connect()).status_code == 201


async def test_without_a_directory_nothing_is_stored(context: AppContext, make: Make) -> None:
    async with opened(context, make, directory="http://127.0.0.1:9") as belief:
        response = await belief.connect()

        assert (response.status_code, response.json()["retryable"]) == (502, True)
        assert await belief.accounts() == []


async def test_a_handle_that_leads_nowhere_is_shown_as_the_did(belief: Belief) -> None:
    belief.network.handle = "handle.invalid"
    fields = {"identifier": DID, "appPassword": "right", "service": belief.url}
    belief.network.did = DID
    response = await belief.connect(fields=fields)

    assert (response.status_code, response.json()["username"]) == (201, DID)


async def test_only_admins_connect_an_account_at_another_server(belief: Belief, make: Make, database: Database) -> None:
    """The account has really moved. Its posts go elsewhere from then on: the owner is mailed, and the event says so."""
    editor, admin = [await make.member(belief.owner, role=role) for role in ("editor", "admin")]
    previous: list[str | None] = []

    async def receive(_context: AppContext, _db: Db, emitted: Sequence[Any]) -> None:
        previous.extend(
            event.data.previous_server for event in emitted if event.workspace_id == belief.owner.workspace_id
        )

    make.context.subscribe(events.AccountConnected, receive)
    account = (await belief.connect()).json()
    belief.directory.add(HANDLE, belief.other_url)
    refused = await belief.connect(url=belief.other_url, key=editor.key)
    moved = await belief.connect(url=belief.other_url, key=admin.key)

    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert (moved.status_code, moved.json()["id"]) == (201, account["id"])
    assert previous == [None, belief.url]
    [job] = await database.pool.fetch(
        "select payload from job where workspace_id = $1 and kind = 'mail.send'", belief.owner.workspace_id
    )
    message = job["payload"]
    assert (message["to"], message["template"]) == (belief.owner.email, "account_moved")
    assert (message["values"]["previous"], message["values"]["server"]) == (belief.url, belief.other_url)


@pytest.mark.parametrize("role", ["owner", "admin", "editor"])
async def test_everyone_who_connects_may_do_so_again_at_the_same_server(belief: Belief, make: Make, role: str) -> None:
    first = (await belief.connect()).json()
    member = belief.owner if role == "owner" else await make.member(belief.owner, role=role)
    again = await belief.connect(key=member.key, accountId=first["id"])

    assert (again.status_code, again.json()["id"]) == (201, first["id"])


@pytest.mark.slow
async def test_the_reference_server_and_its_directory_agree(context: AppContext, make: Make) -> None:
    async with reference_pds() as pds, Clients.create(("127.0.0.1", "localhost")) as http:
        operated = context_with(context, BLUESKY_DIRECTORY_URL=pds.plc_url)
        operated.http = http
        async with api_of(operated) as api:
            owner, person = await make.owner(), pds.accounts[0]
            fields = {"identifier": person.handle, "appPassword": person.app_password, "service": pds.url}
            body = {"profileId": owner.profile, "fields": fields}
            made = await api.post("/platforms/bluesky/connect", json=body, key=owner.key)

    assert made.status_code == 201, made.text
    assert (made.json()["platformAccountId"], made.json()["username"]) == (person.did, person.handle)
