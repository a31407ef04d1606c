"""How files end: deleted by a user, unused for too long, or interrupted while they were uploaded."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from tests.helpers import media_files
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.media import sweep

from signalpost.context import AppContext, MediaUse
from signalpost.kit import ids
from signalpost.kit.db import Db
from signalpost.media import queries


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch, context: AppContext) -> dict[UUID, MediaUse]:
    """The uses of files, to be filled by the test."""
    uses: dict[UUID, MediaUse] = {}

    async def count(db: Db, workspace_id: UUID, media_ids: Sequence[UUID]) -> dict[UUID, MediaUse]:
        return {media_id: uses[media_id] for media_id in media_ids if media_id in uses}

    monkeypatch.setattr(context, "hooks", replace(context.hooks, count_media_uses=count))
    return uses


async def upload(api: Api, who: Login) -> tuple[dict[str, Any], UUID]:
    media = (await api.post("/media/upload", files={"file": ("a", media_files.image("PNG"))}, key=who.key)).json()
    media_id = ids.decode("med", media["id"])
    assert media_id
    return media, media_id


async def is_served(api: Api, media: dict[str, Any]) -> bool:
    return (await api.get(media["url"].partition("/api/v1")[2])).status_code == 200


async def test_an_unused_file_is_deleted_with_its_bytes(api: Api, make: Make, context: AppContext) -> None:
    owner = await make.owner()
    media, media_id = await upload(api, owner)

    answer = await api.delete(f"/media/{media['id']}", key=owner.key)
    await sweep(context)

    assert answer.status_code == 200
    assert (answer.json()["id"], answer.json()["deleted"]) == (media["id"], True)
    assert (await api.get(f"/media/{media['id']}", key=owner.key)).status_code == 404
    assert (await api.delete(f"/media/{media['id']}", key=owner.key)).status_code == 404
    assert not await is_served(api, media)
    assert not list((context.settings.data_dir / "media").rglob(f"{media['id']}*"))
    async with context.database.connection() as db:
        assert await db.fetchval("select status from media where id = $1", media_id) == "deleted"
        assert not await queries.for_publishing(db, owner.workspace_id, [media_id])


async def test_bytes_that_a_post_used_are_kept_for_a_week(
    api: Api, make: Make, context: AppContext, used: dict[UUID, MediaUse]
) -> None:
    owner = await make.owner()
    media, media_id = await upload(api, owner)
    used[media_id] = MediaUse(posts=1)
    assert (await api.get(f"/media/{media['id']}", key=owner.key)).json()["usedByPosts"] == 1

    assert (await api.delete(f"/media/{media['id']}", key=owner.key)).status_code == 200
    await sweep(context)

    assert await is_served(api, media)
    async with context.database.transaction() as db:
        assert await queries.for_publishing(db, owner.workspace_id, [media_id])
        await db.execute("update media set expires_at = now() where id = $1", media_id)
    await sweep(context)
    assert not await is_served(api, media)


async def test_a_file_that_is_still_needed_is_not_deleted(api: Api, make: Make, used: dict[UUID, MediaUse]) -> None:
    owner = await make.owner()
    media, media_id = await upload(api, owner)
    used[media_id] = MediaUse(posts=2, waiting=1)

    answer = await api.delete(f"/media/{media['id']}", key=owner.key)

    assert (answer.status_code, answer.json()["code"]) == (409, "invalid_state")
    assert (await api.get(f"/media/{media['id']}", key=owner.key)).status_code == 200


async def test_only_owners_and_admins_delete_what_others_uploaded(api: Api, make: Make) -> None:
    owner = await make.owner()
    editor, admin = await make.member(owner, role="editor"), await make.member(owner, role="admin")
    media, own = (await upload(api, owner))[0], (await upload(api, editor))[0]

    assert (await api.delete(f"/media/{media['id']}", key=editor.key)).status_code == 403
    assert (await api.delete(f"/media/{own['id']}", key=editor.key)).status_code == 200
    assert (await api.delete(f"/media/{media['id']}", key=admin.key)).status_code == 200


async def test_the_sweep_deletes_unused_files_and_keeps_used_ones(
    api: Api, make: Make, context: AppContext, used: dict[UUID, MediaUse]
) -> None:
    owner = await make.owner()
    (idle, idle_id), (busy, busy_id) = await upload(api, owner), await upload(api, owner)
    used[busy_id] = MediaUse(posts=1)
    async with context.database.transaction() as db:
        await db.execute("update media set expires_at = now() where id = any($1)", [idle_id, busy_id])

    await sweep(context)

    assert (await api.get(f"/media/{idle['id']}", key=owner.key)).status_code == 404
    assert (await api.get(f"/media/{busy['id']}", key=owner.key)).status_code == 200
    assert [await is_served(api, media) for media in (idle, busy)] == [False, True]


async def test_an_interrupted_upload_leaves_nothing(api: Api, make: Make, context: AppContext) -> None:
    """The process was killed between writing the row and storing the bytes: no client ever got the id."""
    owner = await make.owner()
    media, media_id = await upload(api, owner)
    async with context.database.transaction() as db:
        await db.execute("update media set status = 'processing', expires_at = now() where id = $1", media_id)

    await sweep(context)

    async with context.database.connection() as db:
        assert await db.fetchval("select count(*) from media where id = $1", media_id) == 0
    assert not list((context.settings.data_dir / "media").rglob(f"{media['id']}*"))
