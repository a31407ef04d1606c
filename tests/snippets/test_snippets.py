"""Snippets: texts of a workspace or of one profile, for those who see it, each name once."""

import asyncio
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.context import AppContext
from signalpost.kit import batches
from signalpost.snippets.actions import manage

TEXT = "Fresh on {weekday}: {link}\n\n#bakery #berlin "


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


async def create(api: Api, key: str, status: int = 201, **fields: Any) -> Any:
    answer = await api.post("/snippets", json={"name": "Friday", "text": TEXT} | fields, key=key)
    assert answer.status_code == status, answer.text
    return answer.json()


async def names(api: Api, key: str, **query: str) -> list[str]:
    answer = await api.get("/snippets", params=query, key=key)
    assert answer.status_code == 200, answer.text
    return [snippet["name"] for snippet in answer.json()["data"]]


async def test_a_snippet_is_kept_as_it_is_written(api: Api, owner: Login) -> None:
    """Variables included: only an editor fills them in, where people see what they become."""
    snippet = await create(api, owner.key, name="  Friday ")
    path = f"/snippets/{snippet['id']}"
    assert snippet["id"].startswith("snp_")
    assert (snippet["name"], snippet["text"], snippet["profileId"]) == ("Friday", TEXT, None)
    assert snippet["createdBy"]["type"] == "api_key"
    assert (await api.get(path, key=owner.key)).json() == snippet
    changed = await api.patch(path, json={"text": "#bread"}, key=owner.key)
    assert [changed.json()[member] for member in ("name", "text", "version")] == ["Friday", "#bread", 2]
    assert (await api.delete(path, key=owner.key)).status_code == 204
    assert (await api.get(path, key=owner.key)).status_code == 404


async def test_a_change_that_was_not_seen_is_not_written_over(api: Api, owner: Login) -> None:
    snippet = await create(api, owner.key)
    path = f"/snippets/{snippet['id']}"
    etag = (await api.get(path, key=owner.key)).headers["etag"]
    await api.patch(path, json={"text": "Mine"}, headers={"If-Match": etag}, key=owner.key)
    late = await api.patch(path, json={"text": "Theirs"}, headers={"If-Match": etag}, key=owner.key)
    assert (late.status_code, late.json()["code"]) == (412, "version_conflict")
    assert (await api.delete(path, headers={"If-Match": etag}, key=owner.key)).status_code == 412
    assert (await api.get(path, key=owner.key)).json()["text"] == "Mine"


async def test_a_name_is_unique_where_it_is_offered(api: Api, owner: Login, make: Make) -> None:
    """Among those for all, and among those of each client; regardless of case."""
    await create(api, owner.key, name="Ärzte")
    taken = await create(api, owner.key, 409, name="ÄRZTE")
    assert (taken["code"], taken["errors"][0]["path"]) == ("already_exists", "/name")
    await create(api, owner.key, name="Ärzte", profileId=owner.profile)
    await create(api, owner.key, 409, name="ärzte", profileId=owner.profile)
    other = await create(api, owner.key, name="Other")
    renamed = await api.patch(f"/snippets/{other['id']}", json={"name": "ärzte"}, key=owner.key)
    assert renamed.status_code == 409
    own = await api.patch(f"/snippets/{other['id']}", json={"name": "OTHER"}, key=owner.key)
    assert own.json()["name"] == "OTHER"
    await create(api, (await make.owner()).key, name="Ärzte")


async def test_two_at_once_with_one_name_end_with_one(api: Api, owner: Login) -> None:
    bodies = [{"name": name, "text": "t"} for name in ("Friday", "FRIDAY", "friday", "Friday")]
    answers = await asyncio.gather(*(api.post("/snippets", json=body, key=owner.key) for body in bodies))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]
    assert len(await names(api, owner.key)) == 1


async def test_those_of_another_client_are_not_seen(api: Api, owner: Login, make: Make) -> None:
    """Whoever sees some clients reads theirs and those for all, and writes only theirs."""
    other = (await make.profile(owner, name="Other"))["id"]
    ids = {
        name: (await create(api, owner.key, name=name, profileId=profile))["id"]
        for name, profile in (("common", None), ("first", owner.profile), ("other", other))
    }
    assert sorted(await names(api, owner.key, profileId=other)) == ["common", "other"]
    limited = await make.member(owner, role="editor", profile_ids=[owner.profile])
    assert sorted(await names(api, limited.key)) == ["common", "first"]
    paths = [f"/snippets/{ids[name]}" for name in ("common", "first", "other")]
    assert [(await api.get(path, key=limited.key)).status_code for path in paths] == [200, 200, 404]
    changes = [await api.patch(path, json={"text": "x"}, key=limited.key) for path in paths]
    assert [answer.status_code for answer in changes] == [403, 200, 404]
    assert [(await api.delete(path, key=limited.key)).status_code for path in paths] == [403, 204, 404]
    await create(api, limited.key, 403, name="n")
    refused = await create(api, limited.key, 422, name="n", profileId=other)
    assert refused["errors"][0]["path"] == "/profileId"
    await create(api, limited.key, name="n", profileId=owner.profile)
    unseen = await api.get("/snippets", params={"profileId": other}, key=limited.key)
    assert unseen.status_code == 404


@pytest.mark.parametrize(("role", "status"), [("contributor", 201), ("approver", 403), ("viewer", 403)])
async def test_who_writes_drafts_writes_snippets(api: Api, owner: Login, make: Make, role: str, status: int) -> None:
    member = await make.member(owner, role=role)
    await create(api, member.key, status)
    assert await names(api, member.key) == (["Friday"] if status == 201 else [])


async def test_a_test_key_neither_sees_nor_changes_them(api: Api, owner: Login) -> None:
    snippet = await create(api, owner.key)
    assert await names(api, owner.test_key) == []
    assert (await api.get(f"/snippets/{snippet['id']}", key=owner.test_key)).status_code == 404
    assert (await create(api, owner.test_key, 403, name="n"))["code"] == "test_mode_only_sandbox"


async def test_they_are_found_by_name_and_by_text(api: Api, owner: Login) -> None:
    """What looks like a pattern is looked for as it is."""
    await create(api, owner.key, name="Sign-off", text="Yours, the Bakery")
    await create(api, owner.key, name="100% rye", text="#rye_bread")
    await create(api, owner.key, name="Weekend", text="Übrigens: open")
    assert await names(api, owner.key, q="BAKERY") == ["Sign-off"]
    assert await names(api, owner.key, q="0%") == ["100% rye"]
    assert await names(api, owner.key, q="e_b") == ["100% rye"]
    assert await names(api, owner.key, q="übrig") == ["Weekend"]
    assert await names(api, owner.key, q="%") == ["100% rye"]
    first = (await api.get("/snippets", params={"limit": 2}, key=owner.key)).json()
    rest = await names(api, owner.key, limit="2", cursor=first["nextCursor"])
    assert ([snippet["name"] for snippet in first["data"]], rest) == (["Weekend", "100% rye"], ["Sign-off"])


@pytest.mark.parametrize(
    "fields", [{"name": " "}, {"name": "n" * 101}, {"text": ""}, {"text": " \n"}, {"text": "t" * 5_001}]
)
async def test_names_and_texts_have_bounds(api: Api, owner: Login, fields: dict[str, str]) -> None:
    await create(api, owner.key, 422, **fields)
    await create(api, owner.key, name="n" * 100, text="t" * 5_000)


async def test_a_workspace_has_so_many(
    api: Api, owner: Login, make: Make, context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of a deleted client do not count, and a job takes them away."""
    profile = (await make.profile(owner, name="Gone"))["id"]
    monkeypatch.setattr(manage, "SNIPPETS_MAX", 2)
    await create(api, owner.key, name="gone", profileId=profile)
    await create(api, owner.key, name="a")
    refused = await create(api, owner.key, 422, name="b")
    assert refused["code"] == "too_many_items"
    assert (await api.delete(f"/profiles/{profile}", key=owner.key)).status_code == 200
    await create(api, owner.key, name="b")
    assert sorted(await names(api, owner.key)) == ["a", "b"]
    stored = "select array_agg(name order by name) from snippet where workspace_id = $1"
    async with context.database.transaction() as db:
        assert await db.fetchval(stored, owner.workspace_id) == ["a", "b", "gone"]
        assert not await batches.run(db, manage.PURGES)
        assert await db.fetchval(stored, owner.workspace_id) == ["a", "b"]
