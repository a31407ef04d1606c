"""JSON columns are stored in snake_case with plain ids, whatever the names of the API."""

from typing import Any

import pytest
from msgspec import Struct
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.posts.test_create import create
from tests.posts.test_create_media import a_file

from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.posts.rows import AuditRow, PostRow
from signalpost.posts.schemas.requests import PostAttributes
from signalpost.posts.target_errors import target_error


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="first")
    return login


async def a_full_post(api: Api, make: Make, database: Database, owner: Login) -> dict[str, Any]:
    """A draft in which every JSON column holds something, with a failed target and a history."""
    account = await make.account(owner, username="second")
    media_id, _ = await a_file(make, owner)
    media = [{"mediaId": media_id, "altText": "A dot", "userTags": [{"username": "ada", "x": 0.5}]}]
    targets = [{"accountId": account["id"], "text": "x" * 5_001, "media": media, "options": {"camelCase": {"aB": 1}}}]
    fields = {"platforms": ..., "targets": targets, "media": media, "thread": [{"text": "More", "media": media}]}
    post: dict[str, Any] = (await create(api, owner, draft=True, **fields)).json()
    changes = {"media": [], "options": {"sandbox": {"camelCase": True}}, "targets": targets[0:1], "firstComment": "Hi"}
    changed = await api.patch(f"/posts/{post['id']}", json=changes | {"thread": []}, key=owner.key)
    assert changed.status_code == 200
    error = target_error("auth_expired", "Expired.", clock.now(), platform_code="ExpiredToken")
    async with database.transaction() as db:
        await db.execute("update target set error = $2 where post_id = $1", ids.decode("pst", post["id"]), error)
    await api.patch(f"/posts/{post['id']}", json={"media": media, "thread": fields["thread"]}, key=owner.key)
    return await read(api, owner, f"/posts/{post['id']}")


async def read(api: Api, owner: Login, path: str) -> dict[str, Any]:
    body: dict[str, Any] = (await api.get(path, key=owner.key)).json()
    return body


async def test_stored_documents_do_not_use_the_names_of_the_api(
    api: Api, make: Make, database: Database, owner: Login
) -> None:
    post = await a_full_post(api, make, database, owner)
    async with database.connection() as db:
        stored = await db.fetchrow(
            "select media, thread, warnings, media_ids from post where id = $1", ids.decode("pst", post["id"])
        )
    assert stored is not None
    assert set(stored["media"][0]) == {
        "media_id", "alt_text", "thumbnail_media_id", "thumbnail_time_ms", "user_tags", "crops",
    }  # fmt: skip
    assert stored["media"][0]["media_id"] == str(stored["media_ids"][0])
    assert stored["warnings"][0]["account_id"] == str(ids.decode("acc", post["targets"][0]["accountId"]))


@pytest.mark.parametrize(("table", "row"), [("post", PostRow), ("audit", AuditRow)])
async def test_a_row_struct_names_every_column(database: Database, table: str, row: type[Struct]) -> None:
    """The statements of `write` insert whole rows: a column that the struct does not name would become null."""
    async with database.connection() as db:
        records = await db.fetch(
            "select attname from pg_attribute"
            " where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''",
            table,
        )
    assert {record["attname"] for record in records} == set(row.__struct_fields__)


def test_what_clients_set_is_stored_under_the_same_name() -> None:
    """`build_draft` copies these members by name."""
    assert set(PostAttributes.__struct_fields__) < set(PostRow.__struct_fields__)


async def test_no_first_comment_is_kept_in_the_shortest_form_and_the_former_one_reads_alike(
    api: Api, database: Database, owner: Login
) -> None:
    post = (await create(api, owner, draft=True, text="Without a comment")).json()
    post_id = ids.decode("pst", post["id"])
    async with database.transaction() as db:
        assert await db.fetchval("select first_comment::text from target where post_id = $1", post_id) == "{}"
        short = await read(api, owner, f"/posts/{post['id']}")
        await db.execute("""update target set first_comment = '{"status": "none"}' where post_id = $1""", post_id)
    former = await read(api, owner, f"/posts/{post['id']}")

    assert short["targets"][0]["firstComment"] == former["targets"][0]["firstComment"]
    assert short["targets"][0]["firstComment"] == {"status": "none", "id": None, "error": None}
