"""The files of a new post: named by id, path or address."""

from uuid import UUID

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.posts.test_create import codes, create

from signalpost.kit import ids
from signalpost.kit.db import Database


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="first")
    return login


async def test_media_are_taken_by_id_path_and_address(api: Api, make: Make, owner: Login) -> None:
    media_id, path = await a_file(make, owner)
    by_id = (await create(api, owner, draft=True, media=[{"mediaId": media_id, "altText": "A dot"}])).json()
    by_path = (await create(api, owner, draft=True, mediaUrl=path)).json()

    assert by_id["media"][0] == {
        "mediaId": media_id, "altText": "A dot", "thumbnailMediaId": None, "thumbnailTimeMs": None, "userTags": [],
        "crops": {},
    }  # fmt: skip
    assert by_path["media"][0]["mediaId"] == media_id
    assert (await create(api, owner, draft=True, media=[{"mediaUrl": path}])).json()["media"][0]["mediaId"] == media_id


async def test_a_target_may_have_files_of_its_own_and_a_thread_too(api: Api, make: Make, owner: Login) -> None:
    first, _ = await a_file(make, owner)
    second, _ = await a_file(make, owner)
    account = await make.account(owner, username="second")
    media = [{"mediaId": second, "userTags": [{"username": "ann", "x": 0.5}]}, {"mediaId": first}]
    fields = {
        "platforms": ..., "targets": [{"accountId": account["id"], "media": media, "options": {}}],
        "media": [{"mediaId": first}], "thread": [{"text": "More", "media": [{"mediaId": second}]}], "draft": True,
    }  # fmt: skip
    post = (await create(api, owner, **fields)).json()

    assert [file["mediaId"] for file in post["targets"][0]["media"]] == [second, first]
    assert post["targets"][0]["media"][0]["userTags"] == [{"username": "ann", "x": 0.5, "y": None}]
    assert [file["mediaId"] for file in post["thread"][0]["media"]] == [second]
    assert (await api.get(f"/posts/{post['id']}", key=owner.key)).json() == post
    edited = (await api.patch(f"/posts/{post['id']}", json={"title": "T"}, key=owner.key)).json()
    assert edited["targets"] == post["targets"]
    assert edited["thread"] == post["thread"]
    used = (await api.get(f"/media/{second}", key=owner.key)).json()["usedByPosts"]
    assert used == 1


async def test_a_post_keeps_a_file_that_was_deleted_meanwhile(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    media_id, _ = await a_file(make, owner)
    post = (await create(api, owner, draft=True, media=[{"mediaId": media_id}])).json()
    async with database.transaction() as db:
        sql = (
            "update media set status = 'deleted', deleted_at = now(), expires_at = now() + interval '7 d' where id = $1"
        )
        await db.execute(sql, ids.decode("med", media_id))
    edited = await api.patch(f"/posts/{post['id']}", json={"text": "Edited"}, key=owner.key)
    assert edited.json()["media"] == post["media"]
    assert codes(await create(api, owner, media=[{"mediaId": media_id}])) == {("/media/0/mediaId", "not_found")}


async def test_another_picture_is_another_post_and_the_same_one_is_not(api: Api, make: Make, owner: Login) -> None:
    media_id, path = await a_file(make, owner)
    other, _ = await a_file(make, owner, sha=b"b" * 32)
    assert (await create(api, owner, text="Look", mediaUrl=path)).status_code == 201
    assert (await create(api, owner, text="Look", media=[{"mediaId": media_id}])).status_code == 409
    assert (await create(api, owner, text="Look", media=[{"mediaId": other}])).status_code == 201


async def test_media_of_others_do_not_exist(api: Api, make: Make, owner: Login) -> None:
    stranger = await make.owner()
    media_id, path = await a_file(make, stranger)
    refused = await create(api, owner, media=[{"mediaId": media_id}, {"mediaUrl": path}])
    assert codes(refused) == {("/media/0/mediaId", "not_found"), ("/media/1", "not_found")}


async def test_media_that_are_not_ready_wait(api: Api, make: Make, owner: Login) -> None:
    media_id, _ = await a_file(make, owner, status="processing")
    assert codes(await create(api, owner, media=[{"mediaId": media_id}])) == {("/media/0", "not_allowed")}


async def test_addresses_inside_the_network_are_not_fetched(api: Api, owner: Login) -> None:
    refused = await create(api, owner, mediaUrls=["https://10.0.0.1/a.png"])
    assert (refused.status_code, refused.json()["code"]) == (422, "unsafe_url")
    assert (await api.get("/posts", key=owner.key)).json()["data"] == []


async def a_file(make: Make, owner: Login, *, sha: bytes = b"a" * 32, status: str = "ready") -> tuple[str, str]:
    """A media row without its bytes: nothing here reads them."""
    media_id: UUID = ids.new_id()
    path = f"{owner.workspace_id}/{media_id}.png"
    async with make.context.database.transaction() as db:
        await db.execute(
            "insert into media (id, workspace_id, kind, file_name, mime_type, size_bytes, sha256, storage_path, status,"
            " created_by, created_by_user_id) values ($1, $2, 'image', 'a.png', 'image/png', 10, $3, $4, $5,"
            " json_build_object('type', 'user', 'id', null, 'name', null), $6)",
            media_id, owner.workspace_id, sha, path, status, owner.user_id,
        )  # fmt: skip
    return ids.encode("med", media_id), path
