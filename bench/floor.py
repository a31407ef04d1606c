"""The least program that keeps posts with their targets: `python -m bench.floor DSN PORT`, on tables of its own.

The HTTP server, the JSON library and the database driver of the product. One key, kept in memory; one statement per
request; a post with its targets is one durable transaction. No limits, no log, no history, no validation, no events.
"""

import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import msgspec
import uvloop
from granian.constants import Interfaces
from granian.server.embed import Server

KEY = "floor"
PROFILE = UUID(int=2)
_WORKSPACE = UUID(int=1)
SCHEMA = """
create table if not exists floor_post (
    id uuid primary key, workspace_id uuid not null, profile_id uuid not null, text text not null, status text not null,
    scheduled_at timestamptz, media jsonb not null default '[]', options jsonb not null default '{}',
    tags text[] not null default '{}', version integer not null default 1,
    created_at timestamptz not null default now(), updated_at timestamptz not null default now());
create index if not exists floor_post_listing on floor_post (workspace_id, created_at desc, id desc);
create table if not exists floor_target (
    id uuid primary key, post_id uuid not null references floor_post, account_id uuid not null, platform text not null,
    status text not null, due_at timestamptz, attempts integer not null default 0, url text, error jsonb,
    published_at timestamptz);
create index if not exists floor_target_post on floor_target (post_id);
create index if not exists floor_target_due on floor_target (account_id, due_at) where due_at is not null;
"""
_CREATE = """
with post as (insert into floor_post (id, workspace_id, profile_id, text, status, scheduled_at)
    values ($1, $2, $3, $4, 'scheduled', $5))
insert into floor_target (id, post_id, account_id, platform, status, due_at)
select t.id, $1, t.account_id, 'sandbox', 'pending', $5 from unnest($6::uuid[], $7::uuid[]) as t(id, account_id)
"""
_COLUMNS = """
p.id, p.profile_id, p.text, p.status, p.scheduled_at, p.media, p.options, p.tags, p.version, p.created_at, p.updated_at,
t.id, t.account_id, t.platform, t.status, t.due_at, t.attempts, t.url, t.error
"""
_GET = f"""
select {_COLUMNS} from floor_post p join floor_target t on t.post_id = p.id where p.id = $1 and p.workspace_id = $2
"""
_LIST = f"""
select {_COLUMNS} from (select * from floor_post where workspace_id = $1 order by created_at desc, id desc limit 20) p
join floor_target t on t.post_id = p.id order by p.created_at desc, p.id desc
"""
_POST_FIELDS = (
    "id", "profileId", "text", "status", "scheduledAt", "media", "options", "tags", "version", "createdAt", "updatedAt"
)  # fmt: skip
_TARGET_FIELDS = ("id", "accountId", "platform", "status", "dueAt", "attempts", "url", "error")


class _Target(msgspec.Struct, rename="camel"):
    account_id: UUID


class _Post(msgspec.Struct, rename="camel"):
    targets: list[_Target]
    text: str
    scheduled_at: datetime


_decode = msgspec.json.Decoder(_Post).decode
_encode = msgspec.json.Encoder().encode


def _posts(rows: Iterable[Any]) -> list[dict[str, Any]]:
    posts: dict[UUID, dict[str, Any]] = {}
    for row in rows:
        values = tuple(row)
        post = posts.get(values[0])
        if post is None:
            post = posts[values[0]] = dict(zip(_POST_FIELDS, values, strict=False)) | {"targets": []}
            post["media"], post["options"] = msgspec.Raw(post["media"].encode()), msgspec.Raw(post["options"].encode())
        post["targets"].append(dict(zip(_TARGET_FIELDS, values[len(_POST_FIELDS) :], strict=True)))
    return list(posts.values())


class Floor:
    """Create, get, list, and a path that does nothing."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        key = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        status, path = 200, scope["path"]
        if key != b"Bearer " + KEY.encode():
            status, body = 401, b"{}"
        elif scope["method"] == "POST":
            status, body = 201, await self._create(await _read(receive))
        elif path == "/posts":
            body = _encode(_posts(await self._pool.fetch(_LIST, _WORKSPACE)))
        elif path.startswith("/posts/"):
            body = _encode(_posts(await self._pool.fetch(_GET, UUID(path[7:]), _WORKSPACE))[0])
        else:
            body = b"{}"
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _create(self, body: bytes) -> bytes:
        data, post_id, now = _decode(body), uuid4(), datetime.now(UTC)
        targets = [(uuid4(), target.account_id) for target in data.targets]
        target_ids, account_ids = map(list, zip(*targets, strict=True))
        await self._pool.execute(
            _CREATE, post_id, _WORKSPACE, PROFILE, data.text, data.scheduled_at, target_ids, account_ids
        )
        post = (post_id, PROFILE, data.text, "scheduled", data.scheduled_at, [], {}, [], 1, now, now)
        rows = [(*target, "sandbox", "pending", data.scheduled_at, 0, None, None) for target in targets]
        return _encode(
            dict(zip(_POST_FIELDS, post, strict=True))
            | {"targets": [dict(zip(_TARGET_FIELDS, row, strict=True)) for row in rows]}
        )


async def _read(receive: Any) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    return body


async def main(dsn: str, port: int) -> None:
    pool = await asyncpg.create_pool(dsn, min_size=12, max_size=12)
    await pool.execute(SCHEMA)
    server = Server(
        Floor(pool), address="127.0.0.1", port=port, interface=Interfaces.ASGI, log_enabled=False, websockets=False
    )
    await server.serve()


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], int(sys.argv[2])))
