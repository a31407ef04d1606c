"""A blog with a feed on a real server, and the worker that reads it when the test says so."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.utils import format_datetime
from html import escape
from typing import Any

from tests.helpers.api import Api
from tests.helpers.factories import Login
from tests.helpers.http_servers import Connection, response, serve

from signalpost.context import AppContext
from signalpost.engine.engine import Engine
from signalpost.feeds.work import FeedSource
from signalpost.identity.queries import tenant_sql
from signalpost.kit import clock, ids

_DUE = "update feed set next_attempt_at = now() where id = $1 and next_attempt_at is not null"
_WAKE = "update lane set next_due_at = now(), not_before = null where kind = 'feed' and key = $1"


def entry(
    name: str, *, guid: str | None = None, link: str | None = None, at: datetime | None = None, text: str = ""
) -> str:
    """An item, by default of this moment, whose id and link follow from its name."""
    slug = name.lower().replace(" ", "-")
    published = format_datetime(at or clock.actual() + timedelta(seconds=1))
    return (
        f"<item><title>{escape(name)}</title><guid>{guid or slug}</guid><pubDate>{published}</pubDate>"
        f"<link>{link or f'/posts/{slug}'}</link><description>{escape(text)}</description></item>"
    )


def feed_of(*entries: str) -> bytes:
    return f"<rss version='2.0'><channel><title>Bakery blog</title>{''.join(entries)}</channel></rss>".encode()


@dataclass
class Blog:
    """Serves a page at / that names the feed at /feed.xml, which has `entries`, unless `answer` says otherwise.

    `everything`: what any address answers.
    """

    url: str = ""
    entries: list[str] = field(default_factory=list)
    answer: bytes | None = None
    everything: bytes | None = None
    requests: list[str] = field(default_factory=list)

    def publish(self, *names: str, **options: Any) -> None:
        """Add entries above all others, the last name uppermost."""
        for name in names:
            self.entries.insert(0, entry(name, **options))

    async def script(self, connection: Connection) -> None:
        while True:
            request = (await connection.request()).decode()
            self.requests.append(request)
            await connection.send(self._answer(request.split(" ")[1]))

    def _answer(self, path: str) -> bytes:
        if self.everything is not None:
            return self.everything
        if path.startswith("/feed.xml"):
            return self.answer or response(200, feed_of(*self.entries), "Content-Type: application/rss+xml")
        page = b"<html><head><link rel='alternate' type='application/rss+xml' href='/feed.xml'></head></html>"
        return response(200, page, "Content-Type: text/html")


@asynccontextmanager
async def blog_server() -> AsyncIterator[Blog]:
    blog = Blog()
    async with serve(blog.script) as server:
        blog.url = server.url
        yield blog


class Reader:
    """A worker that reads feeds, and nothing else."""

    def __init__(self, context: AppContext, api: Api) -> None:
        self.context, self.api = context, api
        self._engine = Engine(context.database, [FeedSource(context)], tenant_sql=tenant_sql)

    async def stop(self) -> None:
        await self._engine.stop(0)

    async def feed(self, owner: Login, url: str, *, key: str | None = None, **fields: Any) -> dict[str, Any]:
        """A new feed, which was read once."""
        body = {"profileId": owner.profile, "url": url} | fields
        answer = await self.api.post("/feeds", json=body, key=key or owner.key)
        assert answer.status_code == 201, answer.text
        return await self.read(owner, answer.json())

    async def read(self, owner: Login, feed: dict[str, Any]) -> dict[str, Any]:
        """The feed after it was read, unless it rests."""
        async with self.context.database.transaction() as db:
            feed_id = ids.decode("fed", feed["id"])
            await db.execute(_WAKE, feed_id)  # first: as the engine locks them
            await db.execute(_DUE, feed_id)
        await self._engine.tick(500)  # feeds that other tests left come first
        return await self.shown(owner, feed)

    async def shown(self, owner: Login, feed: dict[str, Any]) -> dict[str, Any]:
        answer = await self.api.get(f"/feeds/{feed['id']}", key=owner.key)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def items(self, owner: Login, feed: dict[str, Any]) -> dict[str, str]:
        """Title -> state of what was seen, the newest first."""
        answer = await self.api.get(f"/feeds/{feed['id']}/items", key=owner.key)
        return {item["title"]: item["state"] for item in answer.json()["data"]}

    async def posts(self, owner: Login, **query: str) -> list[dict[str, Any]]:
        """The posts of a workspace, the newest first."""
        found: list[dict[str, Any]] = (await self.api.get("/posts", params=query, key=owner.key)).json()["data"]
        return found
