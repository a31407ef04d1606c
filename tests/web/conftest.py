"""A small application of its own: web knows no rooms, so its tests need none."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import msgspec
import pytest
from msgspec import Meta
from tests.helpers.api import Api

from signalpost.context import AppContext
from signalpost.kit import clock, ids, problems, wire
from signalpost.kit.crypto import KeyRing
from signalpost.kit.db import Database, Db
from signalpost.kit.http import Clients
from signalpost.kit.tenant import Tenant
from signalpost.settings import Settings
from signalpost.web import limits
from signalpost.web.app import build
from signalpost.web.caller import PUBLIC, SIGNED_IN, Caller
from signalpost.web.fields import PostId
from signalpost.web.inputs import IfMatch, Mine, Segment
from signalpost.web.operations import Operation
from signalpost.web.paging import LIST_ALL, Page, keyset
from signalpost.web.request import Request
from signalpost.web.response import Response
from signalpost.web.router import Route
from signalpost.web.routing import Routes
from signalpost.web.serve import Web
from signalpost.web.shared_buckets import SharedBuckets

CALLERS = {
    name: Caller(
        user_id=ids.new_id(), user_name=name, workspace_id=ids.new_id(), tenant=Tenant(name), role="owner",
        mode=mode, auth="api_key",
        scopes=frozenset(scopes), credential=f"key:{ids.new_id().hex}", plan="self_hosted", key_id=ids.new_id(),
        key_name=name, requests_per_minute=per_minute, writes_per_minute=per_minute,
    )
    for name, mode, scopes, per_minute in (
        ("ann", "live", ("posts:read", "posts:write"), 10_000),
        ("ben", "live", ("posts:read", "posts:write"), 10_000),
        ("reader", "live", ("posts:read",), 10_000),
        ("tester", "test", ("posts:read", "posts:write"), 10_000),
        ("slow", "live", ("posts:read", "posts:write"), 3),
    )
}  # fmt: skip


class Inner(wire.Input):
    label: Annotated[str, Meta(max_length=5)]


class ThingCreate(wire.Input):
    name: Annotated[str, Meta(min_length=1, max_length=8)]
    number: Annotated[int, Meta(ge=0, le=10)] = 0
    tags: Annotated[list[Annotated[str, Meta(max_length=3)]], Meta(max_length=2)] = msgspec.field(default_factory=list)
    inner: Inner | None = None
    extra: dict[str, Any] = msgspec.field(default_factory=dict)


class Thing(wire.Output):
    id: str
    name: str
    at: wire.Instant
    version: int = 1


class ThingQuery(wire.Input):
    color: str | None = None


@dataclass
class SmallApp:
    """The application, what it wrote and how often its handlers ran."""

    api: Api
    database: Database
    limiter: limits.Limiter
    runs: dict[str, int] = field(default_factory=dict)
    gate: asyncio.Event = field(default_factory=asyncio.Event)


@pytest.fixture(scope="session")
async def small_app(settings: Settings, dsn: str) -> AsyncIterator[SmallApp]:
    database = await Database.open(dsn)
    async with database.connection() as db:
        # Not beside the tables of the product, of which other tests look at all.
        await db.execute("create schema small")
        await db.execute("create table small.thing (id uuid primary key, name text, created_at timestamptz)")
    async with Clients.create() as http:
        found = SmallApp(None, database, limits.Limiter(SharedBuckets(database)))  # type: ignore[arg-type]  # the api needs the routes first
        keys = KeyRing.from_master("k1:" + "A" * 43 + "=")
        context = AppContext(settings=settings, database=database, http=http, keys=keys, storage=None)
        web = Web(
            context=context, authenticate=_authenticate, page_key=b"k" * 32, limiter=found.limiter, record=_record,
        )  # fmt: skip
        async with Api(build(web, _routes(found), pages=[Route("GET", "/links/{state}", _broken_page)])) as api:
            found.api = api
            yield found
    await database.close()


async def _broken_page(_request: Request) -> Response:
    raise RuntimeError


async def _record(_db: Db, _operation: Operation, _result: object) -> None:
    """Nobody reads history here."""


async def _authenticate(bearer: str, _workspace: str | None, _address: str) -> Caller:
    if bearer == "database is away":
        raise problems.Unavailable
    if bearer not in CALLERS:
        raise problems.Unauthenticated
    return CALLERS[bearer]


async def _find(db: Db, _caller: Caller, thing_id: UUID) -> Any:
    return await db.fetchrow("select id, name, created_at from small.thing where id = $1", thing_id)


def _thing(row: Any) -> Thing:
    return Thing(ids.encode("pst", row["id"]), row["name"], clock.wire(row["created_at"]))


def _routes(small_app: SmallApp) -> Routes:  # noqa: C901, PLR0915 - a list of small handlers
    routes = Routes("Things")

    def count(name: str) -> None:
        small_app.runs[name] = small_app.runs.get(name, 0) + 1

    async def write(db: Db, name: str) -> Any:
        return await db.fetchrow(
            "insert into small.thing (id, name, created_at) values ($1, $2, $3) returning id, name, created_at",
            ids.new_id(), name, clock.now(),
        )  # fmt: skip

    @routes.post("/things", scope="posts:write", etag=True)
    async def create_thing(db: Db, caller: Caller, data: ThingCreate) -> Thing:
        """Create a thing."""
        count(data.name)
        row = await write(db, data.name)
        match data.name:
            case "refused":
                raise problems.InvalidState("Written, then refused.")
            case "broken":
                raise RuntimeError("a secret of the inside")
            case "os error":
                datetime.fromtimestamp(1 << 60, UTC)  # what a careless use of a foreign number does: an OSError
            case "argument":
                await db.fetchval("select $1::int", 1 << 40)
            case "cut off":
                await db.close()
                await db.fetchval("select 1")
            case "late":
                # A constraint that speaks at commit: the answer must not be 201.
                await db.execute("create temp table t (a int unique deferrable initially deferred) on commit drop")
                await db.execute("insert into t values (1), (1)")
            case "waits":
                await small_app.gate.wait()
        return _thing(row)

    @routes.post("/reserved", scope="posts:write")
    async def create_reserved(database: Database, data: ThingCreate) -> Thing:
        """Create a thing with work between two transactions."""
        count("reserved:" + data.name)
        if data.name == "waits":
            await small_app.gate.wait()
        if data.name == "refused":
            raise problems.InvalidState
        if data.name == "busy":
            raise problems.Unavailable
        async with database.transaction() as db:
            return _thing(await write(db, data.name))

    @routes.get("/things/{id}", scope="posts:read", etag=True)
    async def get_thing(row: Annotated[Any, Mine(PostId, _find)]) -> Thing:
        """Return a thing."""
        return _thing(row)

    @routes.patch("/things/{id}", scope="posts:write")
    async def update_thing(row: Annotated[Any, Mine(PostId, _find)], if_match: IfMatch) -> Thing:
        """Change a thing."""
        if not if_match.allows(1):
            raise problems.VersionConflict
        return _thing(row)

    @routes.get("/things", scope="posts:read")
    async def list_things(db: Db, page: Page, query: ThingQuery) -> wire.Listing[Thing]:
        """List things, newest first."""
        rows = await db.fetch(
            f"select id, name, created_at from small.thing where ($1::text is null or name = $1)"
            f" and {keyset('created_at', 'id', first=2)}",
            query.color, *page.bounds,
        )  # fmt: skip
        return page.of(rows, _thing, position=lambda row: (row["created_at"], row["id"]))

    @routes.get("/everything", scope="posts:read", limit_default=LIST_ALL)
    async def list_everything(page: Page) -> wire.Listing[Thing]:
        """Answer how many rows would be read."""
        return wire.Listing([Thing(str(page.limit), "", "")])

    @routes.get("/open", scope=PUBLIC)
    async def read_open() -> Thing:
        """Answer anybody."""
        return Thing("open", "open", clock.wire(clock.now()))

    @routes.get("/links/{token}/{how}", scope=PUBLIC)
    async def follow_link(
        token: Annotated[str, Segment("token", "A secret.", "t")], how: Annotated[str, Segment("how", "What.", "well")]
    ) -> Thing:
        """Break, or not; whoever has the token may."""
        if how == "badly":
            raise RuntimeError("a secret of the inside")
        if how == "late":
            raise TimeoutError
        return Thing("open", "open", clock.wire(clock.now()))

    @routes.get("/healthy", scope=PUBLIC, unlimited=True)
    async def read_healthy() -> Thing:
        """Answer anybody, always."""
        return Thing("open", "open", clock.wire(clock.now()))

    @routes.post("/sign-in", scope=PUBLIC, bucket="login", history="nothing")
    async def sign_in() -> Thing:
        """Take a guess."""
        return Thing("open", "open", clock.wire(clock.now()))

    @routes.get("/archive", scope=PUBLIC)
    async def write_archive() -> Thing:
        """Write to a disk that is full."""
        with Path("/dev/full").open("wb") as file:  # noqa: ASYNC230 - it never waits
            file.write(b"archive")
        raise AssertionError("it was full")

    @routes.get("/me", scope=SIGNED_IN)
    async def read_me(caller: Caller) -> Thing:
        """Answer who asks."""
        return Thing(caller.user_name, caller.user_name, clock.wire(clock.now()))

    @routes.delete("/things/{id}", scope="posts:write", status=204)
    async def delete_thing(row: Annotated[Any, Mine(PostId, _find)], db: Db) -> None:
        """Delete a thing."""
        await db.execute("delete from small.thing where id = $1", row["id"])

    return routes
