"""The numbers of a post, now and over time."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.measured_posts import Scene

from signalpost.analytics import totals
from signalpost.kit.db import Database
from signalpost.plans import limits


@pytest.fixture
async def scene(make: Make, database: Database) -> Scene:
    owner = await make.owner()
    await make.account(owner)
    return Scene(make, database, owner)


async def test_a_post_has_its_newest_numbers_and_all_earlier_ones(api: Api, scene: Scene, database: Database) -> None:
    published_at = datetime.now(UTC) - timedelta(days=3)
    post_id, target_id = await scene.published(published_at, views=3, likes=1, watch_time_seconds=60)
    await scene.measured(target_id, published_at + timedelta(hours=6), views=10, likes=0, reach=0)

    found = (await api.get(f"/analytics/posts/{post_id}", key=scene.owner.key)).json()

    (metrics,) = found["metrics"]
    assert (metrics["views"], metrics["likes"], metrics["comments"], metrics["source"]) == (10, 0, None, "platform")
    assert (metrics["engagementRate"], metrics["rateBasis"]) == (None, None), "a basis of 0"
    assert metrics["nextCollectionAt"] is not None
    assert [(row["views"], row["watchTimeSeconds"]) for row in found["history"]] == [(3, 60), (10, None)]
    assert found["history"][0]["engagementRate"] == 33.33
    assert found["clipped"] is False

    async with database.connection() as db:
        await db.execute("update target set status = 'removed', removed_at = now() where id = $1", target_id)
    (metrics,) = (await api.get(f"/analytics/posts/{post_id}", key=scene.owner.key)).json()["metrics"]
    assert (metrics["status"], metrics["views"]) == ("removed", 10), "the last numbers stay"
    assert metrics["removedAt"] is not None


async def test_a_draft_has_no_numbers_and_a_new_post_has_unknown_ones(api: Api, scene: Scene) -> None:
    draft = await scene.make.post(scene.owner, publishMode="draft")
    found = (await api.get(f"/analytics/posts/{draft['id']}", key=scene.owner.key)).json()
    assert found == {"postId": draft["id"], "metrics": [], "history": [], "clipped": False}

    post_id, _ = await scene.published(datetime.now(UTC))
    (metrics,) = (await api.get(f"/analytics/posts/{post_id}", key=scene.owner.key)).json()["metrics"]
    assert (metrics["source"], metrics["views"], metrics["collectedAt"]) == ("none", None, None)


async def test_posts_of_others_do_not_exist(api: Api, scene: Scene, make: Make) -> None:
    post_id, _ = await scene.published(datetime.now(UTC), views=1)
    stranger = await make.owner()
    for key in (stranger.key, scene.owner.test_key):
        assert (await api.get(f"/analytics/posts/{post_id}", key=key)).status_code == 404


async def test_history_is_clipped_by_the_plan_and_by_its_length(
    api: Api, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(limits.ANALYTICS_DAYS.by_plan, limits.SELF_HOSTED, 30)
    published_at = datetime.now(UTC) - timedelta(days=60)
    post_id, target_id = await scene.published(published_at, views=1)
    for days in (50, 55, 59):
        await scene.measured(target_id, published_at + timedelta(days=days), views=days)

    found = (await api.get(f"/analytics/posts/{post_id}", key=scene.owner.key)).json()
    assert [row["views"] for row in found["history"]] == [50, 55, 59]
    assert found["clipped"] is True

    monkeypatch.setattr(totals, "HISTORY_ROWS_MAX", 2)
    found = (await api.get(f"/analytics/posts/{post_id}", key=scene.owner.key)).json()
    assert [row["views"] for row in found["history"]] == [55, 59], "the newest ones"
