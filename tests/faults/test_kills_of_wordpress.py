"""Workers are killed while they publish at a real WordPress, which loses answers: each post is there exactly once."""

from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.counterparts import WordPressSite, wordpress_site
from tests.faults import sabotage
from tests.faults.lossy_proxy import LossyProxy
from tests.faults.processes import Process
from tests.faults.scene import Scene, open_scene, sizes
from tests.faults.test_kills import kill_workers
from tests.helpers import media_files

from signalpost.settings import Settings

SEED = 20261129
CREATE = "POST /wp-json/wp/v2/posts"
_NOT_PUBLISHED = "select post_id, status, error from target where status <> 'published'"
_PATIENCE = partial(sabotage.constants, TOO_EARLY_SECONDS=20, RECONCILE_SECONDS=(3.0, 21.0, 30.0, 30.0))
"""After that long a post that PHP still works on is there."""
_KINDS: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("publish", 0, {}),
    ("draft", 0, {"status": "draft", "tags": ["rye"]}),
    ("publish", 1, {"categories": ["Uncategorized"], "excerpt": "Short"}),
    ("private", 2, {"status": "private", "featuredImage": False}),
    ("publish", 3, {"tags": ["rye", "wheat"], "slug": "the-same"}),
)
"""How a post of each kind is stored, how many images it has, and its options."""


@pytest.fixture
async def proxy() -> AsyncIterator[LossyProxy]:
    async with LossyProxy(CREATE, share=0.15, seed=SEED) as opened:
        yield opened


@pytest.fixture
async def site(proxy: LossyProxy) -> AsyncIterator[WordPressSite]:
    """A site of its own behind the proxy."""
    async with wordpress_site(proxy.url) as opened:
        proxy.port = opened.port
        yield opened


@pytest.fixture
async def scene(settings: Settings, fresh_dsn: str, tmp_path: Path, proxy: LossyProxy) -> AsyncIterator[Scene]:
    """An installation whose operator has named the site, which is reached without https."""
    settings = replace(settings, networks={"WORDPRESS_BASE_URL": proxy.url})
    async with open_scene(settings, fresh_dsn, tmp_path) as opened:
        yield opened


@sizes("size", quick=(2, 5), heavy=(60, 200))
async def test_each_post_is_there_once(
    scene: Scene, site: WordPressSite, proxy: LossyProxy, size: tuple[int, int]
) -> None:
    """`size`: kills, posts of all kinds by two users. What is there, WordPress's own functions say."""
    kills, posts = size
    tenant = await scene.tenant()
    await tenant.late_policy()
    writers = [site.users[role] for role in ("editor", "author")]
    accounts = [
        await tenant.connect("wordpress", siteUrl=proxy.url, username=one.login, applicationPassword=one.app_password)
        for one in writers
    ]
    files = {"file": ("bread.png", media_files.image("PNG"), "image/png")}
    picture = (await tenant.call("POST", "/media/upload", None, files=files))["id"]
    for number in range(posts):
        _, images, options = _KINDS[number % len(_KINDS)]
        rest = {"title": f"post {number}", "media": [{"mediaId": picture}] * images, "options": {"wordpress": options}}
        await tenant.post(accounts[number % 2], text=f"Text of {number}.", **rest)

    def start() -> Process:
        return scene.start_worker(sabotage.short_waits, _PATIENCE, SIGNALPOST_WORDPRESS_BASE_URL=proxy.url)

    workers = [start() for _ in range(2)]
    await kill_workers(workers, kills, (0.3, 3.0), start)
    await scene.all_done(900 if posts > 100 else 240)

    stored = await site.posts()
    assert [dict(row) for row in await scene.query(_NOT_PUBLISHED)] == []
    assert sorted(one["title"] for one in stored) == sorted(f"post {number}" for number in range(posts))
    for post in stored:
        number = int(post["title"].split()[1])
        status, images, options = _KINDS[number % len(_KINDS)]
        assert f"<p>Text of {number}.</p>" in post["content"]
        assert (post["author"], post["status"]) == (writers[number % 2].id, status)
        shown = images - bool(images and options.get("featuredImage", True))
        assert (post["featured"] > 0, post["content"].count("<img ")) == (images > shown, shown)
        assert sorted(post["tags"]) == sorted(options.get("tags", []))
    assert proxy.lost_answers > 0
