"""Whatever is handed out names its cell, and a router reads the name by the expressions of the guide on cells."""

import copy
import dataclasses
import hashlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from tests.helpers.api import Api
from tests.helpers.cells import ACCESS, CELL, GUIDE, HANDED, PATTERNS, RING, SINGLE, cell_in, older
from tests.helpers.factories import Login, Make

from signalpost.context import AppContext
from signalpost.identity import tokens
from signalpost.identity.actions import first_run
from signalpost.kit import cells
from signalpost.kit.db import Database
from signalpost.link_pages import views as link_pages
from signalpost.main import app


@pytest.mark.parametrize("name", HANDED)
def test_a_router_reads_the_cell(name: str) -> None:
    """And of what a cell makes that is alone, nothing, however often it is made."""
    place, shown, make, _ = HANDED[name]

    assert cell_in(place, shown.format(make(RING))) == CELL
    assert {cell_in(place, shown.format(make(SINGLE))) for _ in range(200)} == {None}
    assert {cell_in(place, shown.format(older(make(RING)))) for _ in range(200)} == {None}


@pytest.mark.parametrize("name", [name for name, handed in HANDED.items() if handed.accepts])
def test_it_is_accepted_by_its_cell_with_the_name_and_without(name: str) -> None:
    """The name proves nothing: what was made before the cell was called so stays valid, and so does what is older."""
    _, _, make, accepts = HANDED[name]
    assert accepts is not None
    text = make(RING)

    assert accepts(RING, text)
    assert accepts(RING, older(text))
    assert accepts(RING, make(SINGLE))
    assert not accepts(RING, re.sub(rf"(?<={CELL}\.).{{10}}", "A" * 10, text, count=1))
    assert not accepts(RING, text.replace(f"{CELL}.", "B7.", 1))


@pytest.mark.parametrize(
    "path",
    ["/", "/robots.txt", "/assets/app.js", "/docs/guides/invites.md", "/api/v1/posts?q=a.b", "/l/a/b.c", "/connect"],
)
def test_other_addresses_name_no_cell(path: str) -> None:
    assert [place for place in ("prefix", "path", "query") if cell_in(place, path)] == []


def test_the_first_part_of_an_access_token_is_that_of_its_cell() -> None:
    """It is a JWT, in whose text no name can be read; so a router compares."""
    command = re.search(r"printf '(\{.*?\})' b7", GUIDE)
    assert command
    first = {keys.cell: tokens.mint(keys, ACCESS, "owner").partition(".")[0] for keys in (RING, SINGLE)}

    assert first[CELL] == tokens._b64((command[1] % CELL).encode())
    assert first[cells.SINGLE] in GUIDE
    for keys in (RING, SINGLE):
        token = tokens.mint(keys, ACCESS, "viewer")
        assert re.match(PATTERNS["token"], f"Bearer {token}")[1] == first[keys.cell]  # type: ignore[index]
        assert tokens.read(RING, token) == ACCESS


# --- what is stored, by a cell that runs ------------------------------------------------------------


@pytest.fixture
async def cell(context: AppContext) -> AsyncIterator[Api]:
    """The same installation under a name."""
    keys = copy.copy(context.keys)
    keys.cell = CELL
    settings = dataclasses.replace(context.settings, cell=CELL)
    async with Api(app.create(dataclasses.replace(context, settings=settings, keys=keys, states={}))) as api:
        yield api


class Stored(NamedTuple):
    """A link whose token is stored as a hash."""

    page: str
    read: str
    table: str
    make: Callable[[Api, Make, Login], Awaitable[str]]


async def _approval(api: Api, make: Make, owner: Login) -> str:
    post = await make.draft(owner)
    created = await api.post("/approval-links", json={"postIds": [post["id"]]}, key=owner.key)
    return str(created.json()["url"])


async def _report(api: Api, _: Make, owner: Login) -> str:
    return str((await api.post("/report-links", json={"profileId": owner.profile}, key=owner.key)).json()["url"])


async def _calendar(api: Api, _: Make, owner: Login) -> str:
    created = await api.post("/calendar-links", json={"name": "A", "profileId": owner.profile}, key=owner.key)
    return str(created.json()["url"])


async def _invitation(api: Api, _: Make, owner: Login) -> str:
    data = {"profileId": owner.profile, "platforms": ["sandbox"]}
    return str((await api.post("/platform-invites", json=data, key=owner.key)).json()["url"])


STORED: dict[str, Stored] = {
    "approval link": Stored("/approvals/{}", "/approvals/{}", "approval_link", _approval),
    "report link": Stored("/reports/{}", "/reports/{}", "report_link", _report),
    "calendar link": Stored("/api/v1/calendar/{}.ics", "/calendar/{}.ics", "calendar_link", _calendar),
    "platform invitation": Stored(
        "/platform-invites/{}", "/platform-invites/{}/validate", "platform_invite", _invitation
    ),
}


@pytest.mark.parametrize("name", STORED)
async def test_a_link_names_its_cell_and_an_older_one_still_works(
    cell: Api, make: Make, database: Database, name: str
) -> None:
    page, read, table, create = STORED[name]
    url = urlsplit(await create(cell, make, await make.owner()))
    token = url.path.rpartition("/")[2].removesuffix(".ics")
    old = older(token)
    hashes = [hashlib.sha256(text.encode()).digest() for text in (token, old)]

    assert url.path == page.format(token)
    assert (cell_in("path", url.path), cell_in("path", page.format(old))) == (CELL, None)
    assert (await cell.get(read.format(token))).status_code == 200
    changed = await database.pool.execute(f"update {table} set token_hash = $2 where token_hash = $1", *hashes)
    assert changed == "UPDATE 1"
    assert (await cell.get(read.format(old))).status_code == 200
    assert (await cell.get(read.format(token))).status_code == 404


async def test_a_key_names_its_cell_and_an_older_one_still_works(cell: Api, make: Make) -> None:
    owner = await make.owner()
    for mode in ("live", "test"):
        created = (await cell.post("/api-keys", json={"name": "A", "mode": mode}, key=owner.key)).json()
        key, old = created["key"], older(created["key"])

        assert key.startswith(f"{created['prefix']}_{CELL}.")
        assert (cell_in("header", f"Bearer {key}"), cell_in("header", f"Bearer {old}")) == (CELL, None)
        for text in (key, old):
            assert (await cell.get("/auth/me", key=text)).json()["auth"]["mode"] == mode
    assert cell_in("header", f"Bearer {owner.key}") is None


async def test_codes_of_devices_and_the_first_run_name_their_cell(cell: Api, fresh_dsn: str) -> None:
    codes = (await cell.post("/device-logins", json={"deviceName": "laptop"})).json()
    database = await Database.open(fresh_dsn)
    async with database.transaction() as db:
        token = await first_run.issue_token(RING, db)
        assert token
        assert await first_run.is_valid(db, token)
    await database.close()

    assert cell_in("body", f'{{"deviceCode":"{codes["deviceCode"]}"}}') == CELL
    assert re.fullmatch(r"[A-Z]{4}-[A-Z]{4}", codes["userCode"]), "people type it where they are signed in"
    assert cell_in("query", f"/first-run?token={token}") == CELL


def test_a_public_address_has_the_name_where_there_are_several_cells(context: AppContext) -> None:
    paths = [link_pages.page_path(dataclasses.replace(context, keys=keys), "bakery") for keys in (RING, SINGLE)]

    assert paths == ["/l/b7.bakery", "/l/bakery"]
    assert [cell_in("path", path) for path in paths] == [CELL, None]


async def test_what_others_are_configured_with_has_the_cell_in_its_path(cell: Api, context: AppContext) -> None:
    """They send no credential of ours, so that the path alone can say whose it is."""
    query = {"hub.mode": "subscribe", "hub.verify_token": context.settings.whatsapp_verify_token, "hub.challenge": "1"}
    calls = {
        "/billing/webhook": ("POST", {}, 409),  # billing is off
        "/wa/webhook": ("GET", query, 200),
        "/platforms/x/webhook": ("POST", {}, 401),
    }
    for path, (method, params, status) in calls.items():
        paths = [f"{prefix}/api/v1{path}" for prefix in ("", f"/cells/{CELL}")]
        answers = [await cell.call(method, at, bare=True, params=params) for at in paths]
        assert [answer.status_code for answer in answers] == [status] * 2, path
        assert [cell_in("prefix", at) for at in paths] == [None, CELL]
    assert (await cell.call("GET", f"/cells/{CELL}/api/v1/posts", bare=True)).status_code == 404
