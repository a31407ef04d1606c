"""Callers are cached for a second at most, and dropped at once by the process that changes them."""

import asyncio
import dataclasses
import uuid
from contextlib import AsyncExitStack
from hashlib import blake2b

import pytest
from msgspec import structs
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.identity import register

from signalpost.context import AppContext
from signalpost.identity import caller_cache
from signalpost.identity.actions import workspaces
from signalpost.identity.authenticate import authenticator
from signalpost.identity.caller_cache import CallerCache, cache_key
from signalpost.identity.errors import KeyRevoked
from signalpost.kit import clock, problems
from signalpost.kit.tenant import Tenant
from signalpost.web.caller import Caller
from signalpost.web.guesses import Guesses
from signalpost.web.limits import PER_ADDRESS, Limiter
from signalpost.web.shared_buckets import SharedBuckets

ADA, BOB = cache_key("ada", None), cache_key("bob", None)


def new_caller() -> Caller:
    return Caller(
        user_id=uuid.uuid4(), user_name="Ada", workspace_id=uuid.uuid4(), tenant=Tenant(None), role="owner",
        scopes=frozenset(), mode="live", auth="session", credential="session:x", plan="free", session_id=uuid.uuid4(),
    )  # fmt: skip


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of the clock, to be moved."""
    seconds = [clock.monotonic()]
    monkeypatch.setattr(clock, "monotonic", lambda: seconds[0])
    return seconds


def test_a_caller_is_cached_for_a_second(now: list[float]) -> None:
    """Longer, and a key revoked in another process would live on."""
    cache, ada = CallerCache(), new_caller()
    cache.put(ADA, ada)

    assert cache.get(ADA) is ada
    assert cache.get(cache_key("ada", "wsp_1")) is None
    now[0] += 1
    assert cache.get(ADA) is None


@pytest.mark.parametrize("field", ["user_id", "workspace_id", "session_id"])
def test_an_invalidated_caller_is_not_cached_while_the_change_commits(now: list[float], field: str) -> None:
    """A request may read the old rows just before the commit, and must not cache them after it."""
    cache, ada, bob = CallerCache(), new_caller(), new_caller()
    cache.put(ADA, ada)
    cache.put(BOB, bob)

    cache.invalidate(getattr(ada, field))
    assert cache.get(ADA) is None
    assert cache.get(BOB) is bob

    cache.put(ADA, ada)
    assert cache.get(ADA) is None
    now[0] += caller_cache.CHANGING_SECONDS
    cache.put(ADA, ada)
    assert cache.get(ADA) is ada


def test_the_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many keys come along."""
    monkeypatch.setattr(caller_cache, "CALLERS_MAX", 100)
    monkeypatch.setattr(caller_cache, "CHANGING_MAX", 100)
    cache = CallerCache()
    for n in range(500):
        cache.put(cache_key(f"many-{n}", None), new_caller())
        cache.invalidate(uuid.uuid4())

    assert len(cache.entries) <= 100
    assert len(cache.changing) <= 100


async def test_a_key_revoked_elsewhere_lives_for_a_second_at_most(make: Make, context: AppContext) -> None:
    """Another process writes the row; this one does not learn of it."""
    owner = await make.owner()
    authenticate = authenticator(context)
    caller = await authenticate(owner.key, None, "127.0.0.1")
    async with context.database.connection() as db:
        await db.execute("update api_key set revoked_at = now() where id = $1", caller.key_id)

    entries, key = context.state(CallerCache).entries, cache_key(owner.key, None)
    entry = entries.get(key)
    assert entry is not None
    assert entry[0] - clock.monotonic() <= 1
    entries[key] = (clock.monotonic(), structs.replace(entry[1]))  # the second is over
    with pytest.raises(KeyRevoked):
        await authenticate(owner.key, None, "127.0.0.1")


async def test_a_new_plan_counts_at_the_next_request(make: Make, context: AppContext) -> None:
    """Who pays for more does not wait for a cache."""
    owner = await make.owner()
    sold = dataclasses.replace(context, settings=dataclasses.replace(context.settings, billing_enabled=True))
    authenticate = authenticator(sold)
    before = await authenticate(owner.key, None, "127.0.0.1")

    async with context.database.transaction() as db:
        await workspaces.set_plan(context, db, owner.workspace_id, "pro")

    after = await authenticate(owner.key, None, "127.0.0.1")
    assert (before.plan, after.plan) == ("free", "pro")


def expire(cache: CallerCache, key: str) -> None:
    """Let the second of a cached caller pass."""
    entry = cache.entries.get(cache_key(key, None))
    assert entry is not None
    cache.entries[cache_key(key, None)] = clock.monotonic(), entry[1]


async def use_up(context: AppContext, address: str) -> None:
    """Have the address no guess left at its next one, however long ago it made those before: one comes back every two
    seconds.
    """
    name = blake2b(f"address:{address}".encode(), digest_size=16).digest()
    update = "update request_bucket set full_at = now() + interval '1 hour' where name = $1"
    assert await context.database.pool.execute(update, name) == "UPDATE 1"


async def test_an_address_without_guesses_left_keeps_its_known_callers(
    api: Api, context: AppContext, make: Make
) -> None:
    """A neighbour behind the same proxy may guess as much as they like: who is known goes on, what is new waits."""
    owner, begun = await make.owner(), clock.monotonic()
    here = {"X-Forwarded-For": "203.0.113.201"}
    assert (await api.get("/auth/me", key=owner.key, headers=here)).status_code == 200
    refused = [await api.get("/auth/me", key=f"wrong-{number}", headers=here) for number in range(40)]
    come_back = int((clock.monotonic() - begun) * PER_ADDRESS / 60)
    assert [answer.status_code for answer in refused].count(401) in range(PER_ADDRESS, PER_ADDRESS + come_back + 1)
    expire(context.state(CallerCache), owner.key)
    await use_up(context, "203.0.113.201")

    assert (await api.get("/auth/me", key=owner.key, headers=here)).status_code == 200
    unknown = await api.get("/auth/me", key=owner.test_key, headers=here)
    assert (unknown.status_code, unknown.json()["code"]) == (429, "rate_limited")
    assert int(unknown.headers["retry-after"]) <= 3
    assert (await api.get("/auth/me", key=owner.test_key)).status_code == 200


async def test_a_credential_that_is_no_longer_good_is_no_longer_known(context: AppContext, make: Make) -> None:
    owner = await make.owner()
    cache = context.state(CallerCache)
    authenticate = authenticator(context)
    await authenticate(owner.key, None, "203.0.113.202")
    await context.database.pool.execute(
        "update api_key set revoked_at = now() where workspace_id = $1", owner.workspace_id
    )
    expire(cache, owner.key)

    with pytest.raises(KeyRevoked):
        await authenticate(owner.key, None, "203.0.113.202")
    assert not cache.knows(cache_key(owner.key, None))


async def test_a_killed_process_takes_no_guess_from_whoever_was_accepted_before(
    context: AppContext, make: Make
) -> None:
    """It held all places of their address. A key that was last used from there, and a session, need none."""
    owner, here = await make.owner(), "203.0.113.203"
    session = await register(make.api)
    await authenticator(context)(owner.key, None, here)
    killed, fresh = (Guesses(Limiter(SharedBuckets(context.database))) for _ in range(2))
    async with AsyncExitStack() as places:
        for _ in range(PER_ADDRESS):
            await places.enter_async_context(killed.admitted(here))
        context.state(CallerCache).forget(cache_key(owner.key, None))
        authenticate = authenticator(context, guesses=fresh)

        callers = await asyncio.gather(*(authenticate(owner.key, None, here) for _ in range(50)))
        signed_in = await authenticate(session["accessToken"], None, here)
        for unknown in (owner.test_key, owner.key[:-8] + "00000000", "nonsense"):
            await use_up(context, here)
            with pytest.raises(problems.RateLimited):
                await authenticate(unknown, None, here)

    assert {caller.workspace_id for caller in callers} == {owner.workspace_id}
    assert signed_in.auth == "session"


async def test_requests_that_repeat_a_new_credential_need_one_guess(context: AppContext, make: Make) -> None:
    """So a process that is killed while they come takes one place along, not all of them. A wrong one stays a guess."""

    class Counted(Limiter):
        borrowed = 0

        async def borrow(self, name: str, capacity: int) -> bool:
            self.borrowed += 1
            return await super().borrow(name, capacity)

    owner, limiter = await make.owner(), Counted()
    authenticate = authenticator(context, guesses=Guesses(limiter))

    await asyncio.gather(*(authenticate(owner.test_key, None, "203.0.113.204") for _ in range(50)))
    assert limiter.borrowed == 1
    wrong = (authenticate("nonsense", None, "203.0.113.204") for _ in range(20))
    assert {type(answer) for answer in await asyncio.gather(*wrong, return_exceptions=True)} == {
        problems.Unauthenticated
    }
    assert limiter.borrowed == 21
