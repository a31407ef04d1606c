"""Which servers and limits of networks are in trouble, for all processes of an installation.

A row is written when something goes wrong, and deleted when it works again. A process reads the rows with a claim that
it makes anyway, once a second at most; so an account that publishes, and a process without work, cost no statement. See
decision 0479.
"""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Final
from uuid import UUID

import asyncpg

from signalpost.kit import clock, log
from signalpost.kit.db import DATABASE_UNREACHABLE, Database, Db, Row
from signalpost.kit.problems import Unavailable

ACCOUNTS_MIN: Final = 3
"""So many accounts have to be concerned within `WITHIN_SECONDS`, while it works for none: one may be what it fails on,
or may have used up a limit of its own, and so may all of one tenant."""
WITHIN_SECONDS: Final = 60.0
PROBE_SECONDS: Final = (5.0, 60.0)
"""The first and the longest wait before a broken server is asked again; each failure doubles it."""
LOOK_SECONDS: Final = 1.0
"""How often a process reads what others noted, at most."""
TROUBLES_MAX: Final = 1_000
WRITE_SECONDS: Final = 2.0
"""How long an attempt that has ended waits until what it met is noted."""
_FAILURES: Final = (Unavailable, TimeoutError, asyncpg.PostgresError, *DATABASE_UNREACHABLE)

_logger = log.get("publishing")

ALL: Final = f"""
select jsonb_object_agg(name, seconds) from (
    select name, extract(epoch from probe_at - clock_timestamp())::float8 as seconds from network_trouble
    where probe_at is not null or noted_at > now() - make_interval(secs => {WITHIN_SECONDS})
    order by noted_at desc limit {TROUBLES_MAX}
) t
"""  # noqa: S608 - constants only
"""Name -> seconds until the server may be asked; null: it is not taken for broken, but some accounts had trouble."""
# Nothing is noted of what is broken already: its row may be locked by a claim that is about to ask the server. What
# nobody noted for an hour nobody asks any more.
_NOTE: Final = """
with forgotten as (
    delete from network_trouble where name = any(array(
        select name from network_trouble where noted_at < now() - interval '1 hour' and name <> $1 limit 100
        for update skip locked))
)
insert into network_trouble as t (name, accounts)
select $1, jsonb_build_object($2::uuid, extract(epoch from clock_timestamp()))
where not exists (select from network_trouble where name = $1 and probe_at is not null)
on conflict (name) do update set (accounts, noted_at, wait_seconds, probe_at) = (
    select jsonb_object_agg(a.key, a.value), clock_timestamp(),
        case when count(*) >= $4 then $5::float8 end,
        case when count(*) >= $4 then clock_timestamp() + make_interval(secs => $5::float8) end
    from (
        select key, value from jsonb_each(t.accounts || excluded.accounts)
        where value::float8 > extract(epoch from clock_timestamp()) - $3::float8 order by value::float8 desc limit $4
    ) a
)
returning (select count(*) from jsonb_object_keys(t.accounts)) >= $4
"""
_PROBE: Final = """
with due as materialized (
    select name from network_trouble where name = any($1) and probe_at <= clock_timestamp()
    order by name for no key update skip locked
)
update network_trouble t set probe_at = clock_timestamp() + make_interval(secs => t.wait_seconds)
from due d where t.name = d.name returning t.name, t.wait_seconds
"""
_PROBE_FAILED: Final = """
with mine as materialized (
    select name, least(2 * wait_seconds, $2) as seconds from network_trouble where name = $1 and probe_at is not null
    for no key update skip locked
)
update network_trouble t set wait_seconds = m.seconds, noted_at = clock_timestamp(),
    probe_at = clock_timestamp() + make_interval(secs => m.seconds)
from mine m where t.name = m.name returning t.wait_seconds
"""
_WORKS: Final = """
delete from network_trouble where name = (select name from network_trouble where name = $1 for update skip locked)
"""


class Troubles:
    """What this process knows of it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._probe_at: dict[str, float | None] = {}  # by `clock.monotonic`
        self._looked_at = float("-inf")

    @property
    def is_outdated(self) -> bool:
        """Whether the next claim has to read what others noted."""
        return clock.monotonic() - self._looked_at >= LOOK_SECONDS

    def learn(self, troubles: Mapping[str, float | None] | None) -> None:
        """Take over what `ALL` returned; None: there is nothing."""
        now = self._looked_at = clock.monotonic()
        self._probe_at = {
            name: None if seconds is None else now + seconds for name, seconds in (troubles or {}).items()
        }

    def is_broken(self, name: str) -> bool:
        """Whether nobody asks this server but now and then."""
        return self._probe_at.get(name) is not None

    def seconds_left(self, name: str) -> float:
        """Return in how many seconds a broken server may be asked; 0 or less: now."""
        at = self._probe_at.get(name)
        return 0.0 if at is None else at - clock.monotonic()

    async def begin_probes(self, db: Db, names: Iterable[str]) -> set[str]:
        """Return which of these broken servers this process asks next; no other one does until it is their time again.

        Waits for no other process, and holds if the transaction does.
        """
        due = list(dict.fromkeys(names))
        if not due:
            return set()
        waits = {row["name"]: row["wait_seconds"] for row in await db.fetch(_PROBE, due)}
        now = clock.monotonic()
        for name in due:  # another process has the others, or will have
            self._probe_at[name] = now + waits.get(name, LOOK_SECONDS)
        return set(waits)

    async def failed(self, name: str, account_id: UUID) -> None:
        """Note that a server gave an account no usable answer: it may be broken now, or was so already."""
        row = await self._write(_NOTE, name, account_id, WITHIN_SECONDS, ACCOUNTS_MIN, PROBE_SECONDS[0])
        self._note(name, PROBE_SECONDS[0] if row is None or row[0] else None)

    async def probe_failed(self, name: str) -> None:
        """Note that a broken server gave no usable answer to the one who asked."""
        row = await self._write(_PROBE_FAILED, name, PROBE_SECONDS[1])
        if row is not None:
            self._note(name, row[0])

    async def met(self, name: str, account_id: UUID) -> bool:
        """Note that an account met a limit; return whether enough others did that it is the limit of all."""
        row = await self._write(_NOTE, name, account_id, WITHIN_SECONDS, ACCOUNTS_MIN, None)
        self._note(name, None)
        return row is not None and bool(row[0])

    async def works(self, name: str) -> None:
        """Note that a server answers, or that an account publishes; this writes only if there was trouble."""
        if name in self._probe_at:
            del self._probe_at[name]
            await self._write(_WORKS, name)

    def _note(self, name: str, seconds: float | None) -> None:
        self._probe_at[name] = None if seconds is None else clock.monotonic() + seconds

    async def _write(self, statement: str, name: str, *values: object) -> Row | None:
        """Write on a connection of its own. What cannot be written is noted with the next failure: posts go first."""
        try:
            async with asyncio.timeout(WRITE_SECONDS), self._database.reserve.connection() as db:
                return await db.fetchrow(statement, name, *values)
        except _FAILURES as error:
            _logger.warning("trouble.not_noted", name=name, error=str(error) or repr(error))
            return None
