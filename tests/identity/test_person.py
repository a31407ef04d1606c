"""A person changes what they say about themselves: name, language, time zone."""

from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.identity import register

from signalpost.kit.db import Database


async def test_a_person_changes_name_language_and_time_zone(api: Api) -> None:
    """What is not sent stays; the histories of their workspaces have it."""
    made = await register(api)
    key = made["accessToken"]
    body = {"name": "Ada L.", "locale": "de-AT", "timezone": "Asia/Tokyo"}
    changed = (await api.patch("/auth/me", json=body, key=key)).json()
    assert {name: changed["user"][name] for name in body} == body

    kept = (await api.patch("/auth/me", json={"name": None}, key=key)).json()
    assert (kept["user"]["name"], kept["user"]["locale"]) == (None, "de-AT")
    assert (await api.get("/auth/me", key=key)).json() == kept
    entries = (await api.get("/audit", key=key, params={"action": "update_user"})).json()["data"]
    assert len(entries) == 2


async def test_a_language_that_was_never_chosen_is_null(api: Api, database: Database) -> None:
    """This version does not write it. The next one does, and in an update both read the row: decision 0452."""
    made = await register(api)
    key = made["accessToken"]
    async with database.transaction() as db:
        await db.execute("update app_user set locale = null where email = $1", made["email"])

    assert (await api.get("/auth/me", key=key)).json()["user"]["locale"] is None
    renamed = await api.patch("/auth/me", json={"name": "Ada L."}, key=key)
    assert renamed.json()["user"]["locale"] is None
    chosen = await api.patch("/auth/me", json={"locale": "es"}, key=key)
    assert chosen.json()["user"]["locale"] == "es"


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"timezone": "Mars/Olympus"}, "/timezone"),
        ({"locale": "german, please"}, "/locale"),
        ({"locale": "de\n"}, "/locale"),
        ({"name": " "}, "/name"),
        ({"email": "other@example.test"}, "/email"),
    ],
)
async def test_what_nobody_can_be_is_refused(api: Api, body: dict[str, Any], path: str) -> None:
    made = await register(api)
    answer = await api.patch("/auth/me", json=body, key=made["accessToken"])
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, path)


async def test_a_key_lists_those_of_its_maker_and_changes_no_person(api: Api, make: Make) -> None:
    owner = await make.owner()
    other = await make.member(owner, role="admin")
    await api.post("/api-keys", json={"name": "Theirs"}, key=other.key)

    everyone = (await api.get("/api-keys", key=owner.key)).json()["data"]
    mine = (await api.get("/api-keys", key=owner.key, params={"mine": True})).json()["data"]
    assert {row["createdBy"]["id"] for row in mine} == {(await api.get("/auth/me", key=owner.key)).json()["user"]["id"]}
    assert len(mine) < len(everyone)
    assert (await api.patch("/auth/me", json={"name": "X"}, key=owner.key)).status_code == 403
