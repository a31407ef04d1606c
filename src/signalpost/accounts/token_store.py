"""An account's secrets: sealed when they are stored, opened for a session, renewed by one holder at a time.

Some refresh tokens work only once: whoever uses one while someone else does loses the account. So a renewal takes a
short claim on the account's row, across all processes; everyone else waits for the result and uses it. What the network
answers is stored whatever becomes of the work that needed it: only the end of the process can lose it.
"""

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from signalpost import networks
from signalpost.accounts import states
from signalpost.accounts.moves import move
from signalpost.accounts.platforms import operator_app, server_of
from signalpost.accounts.secrets import NoCredentials, grant_secrets, seal, session_secrets, unseal
from signalpost.context import AppContext
from signalpost.kit import clock, foreign, ids, log
from signalpost.kit.db import DATABASE_UNREACHABLE, RETRYABLE, Db
from signalpost.kit.http import Client, HttpFailure, MaybeSent, NotSent
from signalpost.kit.loop_watch import Watched
from signalpost.kit.patience import patience
from signalpost.kit.problems import Unavailable
from signalpost.networks.contract import ApiError, Http, NeedsReconnect, NetworkSession

RENEWAL_SECONDS_MAX = 45.0
SAVE_SECONDS_MAX = 300.0
"""How long new tokens are kept for a database that cannot store them."""
CLAIM_SECONDS = 360.0
"""Longer than renewing and saving take at most: as long as new tokens may still be stored, nobody sends the old one."""
RELEASE_SECONDS_MAX = 10.0
WAIT_SECONDS_MAX = 50.0
SHUTDOWN_SECONDS_MIN = 1.0
SECRET_LENGTH_MIN = 8
"""What is shorter is not a secret, and may be a part of any word."""
_NOT_SAVED = (Unavailable, TimeoutError, *DATABASE_UNREACHABLE, *RETRYABLE)

_logger = log.get("accounts")


class Superseded(Exception):
    """Other credentials were stored meanwhile; ours must not overwrite them."""


_READ = "select secrets, secrets_version from account where id = $1 and workspace_id = $2 and status <> 'disconnected'"
_SHARES_GRANT = "f.workspace_id = a.workspace_id and f.platform = a.platform and f.grant_remote_id = a.grant_remote_id"
# Accounts of one grant are renewed by one holder: the claim is always on the first of their rows. It is locked before
# the version of the account's own row is looked at: whoever has just renewed them has changed both.
_FIRST = f"""
select coalesce((select f.id from account f where {_SHARES_GRANT} order by f.id limit 1), a.id)
from account a where a.id = $1
"""  # noqa: S608 - constants only
_LOCK = "select from account where id = $1 for no key update"
_CLAIM = """
update account set renewing_by = $3, renewing_until = now() + make_interval(secs => $4)
where id = $5 and (id <> $1 or secrets_version = $2 and status <> 'disconnected')
    and exists (select from account where id = $1 and secrets_version = $2 and status <> 'disconnected')
    and (renewing_until is null or renewing_until < now())
returning true
"""
_RELEASE = """
update account set renewing_by = null, renewing_until = null where id = $1 and renewing_by = $2 returning true
"""
_SET_ERROR = "update account set last_refresh_error = $2 where id = $1"
_LOCK_SHARING = f"""
select f.id, f.secrets from account a join account f on {_SHARES_GRANT}
where a.id = $1 and f.status <> 'disconnected' order by f.id for no key update of f
"""  # noqa: S608 - constants only
# $5: when the tokens need attention next if renewing moves their end on, $6: if it does not.
_SAVE = """
update account set secrets = $3, secrets_version = secrets_version + 1, token_expires_at = $4,
    upkeep_at = case when refreshable then $5::timestamptz else $6 end,
    last_refreshed_at = now(), last_refresh_error = null, renewing_by = null, renewing_until = null, updated_at = now()
where id = $1 and ($2::int is null or secrets_version = $2) and status <> 'disconnected'
returning secrets_version, refreshable
"""


class SessionAccount(Protocol):
    """What a session needs to know of an account."""

    @property
    def id(self) -> UUID: ...
    @property
    def workspace_id(self) -> UUID: ...
    @property
    def platform(self) -> str: ...
    @property
    def remote_id(self) -> str: ...
    @property
    def username(self) -> str: ...
    @property
    def base_url(self) -> str | None: ...
    @property
    def facts(self) -> dict[str, Any]: ...


class Renewals:
    """The renewals under way in this process. They go on when whoever waits for them gives up."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[bool]] = set()

    async def run(self, renewal: Coroutine[None, None, bool]) -> bool:
        """Run a renewal and return its result; if this call is cancelled, the renewal is not."""
        task = asyncio.create_task(_watched(renewal), name="accounts.renewal")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def end(self, until: float = 0.0) -> None:
        """Wait for what is under way, before the process ends: until then on the monotonic clock, at least a moment."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=max(until - clock.monotonic(), SHUTDOWN_SECONDS_MIN))
        if self._tasks:
            _logger.error("account.renewals_lost", renewals=len(self._tasks))


async def _watched(renewal: Coroutine[None, None, bool]) -> bool:
    patience.set(None)  # the tokens that a network has answered are stored, however soon the request gives up
    return await Watched(renewal, "accounts.renewal")


async def open_session(context: AppContext, account: SessionAccount, http: Client | None = None) -> NetworkSession:
    """Open a session of the account at its network, without calling the network. `http` as in `TokenStore.session`.

    Raises:
        NoCredentials: there is nothing to open; the account has to be connected again.
    """
    store = TokenStore(context, account)
    await store.read()
    return store.session(http)


class TokenStore:
    """The stored tokens of one account, as one session sees them: it remembers which version it holds.

    Raises:
        NoCredentials: there is no connector for the account's network.
    """

    def __init__(self, context: AppContext, account: SessionAccount) -> None:
        connector = networks.get(account.platform)
        if connector is None:
            raise NoCredentials(f"there is no connector for {account.platform}")
        self.version = 0
        """Of the stored secrets that the session uses."""
        self.used_secrets: set[str] = set()
        """All values that it used, for records of its calls: none of them may be written down."""
        self._context = context
        self._account = account
        self._connector = connector
        self._holder_id = ids.new_id()
        self._claimed_id = account.id
        self._secrets: dict[str, str] = {}
        """As they are stored, see `grant_secrets`."""

    def session(self, http: Client | None = None, *, of_grant: bool = False) -> NetworkSession:
        """Return a session with the secrets that were read last.

        Args:
            http: the client that reaches the network; None: that for accounts.
            of_grant: without the secrets that only this account has of those that share a grant.
        """
        account, connector = self._account, self._connector
        clients = self._context.http
        http = http or clients.accounts
        return NetworkSession(
            server=server_of(self._context, connector, account.base_url, http),
            pages=clients.pages,
            secrets=grant_secrets(self._secrets) if of_grant else session_secrets(self._secrets),
            remote_id=account.remote_id,
            username=account.username,
            facts=account.facts,
            save_tokens=self.save,
            now=clock.now,
            app=operator_app(self._context, connector),
            refresh_exclusively=self.renew if connector.refresh is not None else None,
        )

    async def read(self) -> None:
        """Read the stored secrets.

        Raises:
            NoCredentials: there are none.
        """
        account = self._account
        async with self._context.database.connection() as db:
            row = await db.fetchrow(_READ, account.id, account.workspace_id)
        self.open(*(row or (None, 0)))

    def open(self, sealed: bytes | None, version: int) -> None:
        """Open secrets that were read from the account's row.

        Raises:
            NoCredentials: there are none.
        """
        if sealed is None:
            raise NoCredentials("the account is disconnected")
        self._use(unseal(self._context.keys, self._account.workspace_id, self._account.id, sealed), version)

    def _use(self, secrets: dict[str, str], version: int) -> None:
        self._secrets, self.version = secrets, version
        self._note(secrets)

    def _note(self, secrets: Mapping[str, str]) -> None:
        self.used_secrets.update(value for value in secrets.values() if len(value) >= SECRET_LENGTH_MIN)

    async def save(self, renewed: Mapping[str, str], expires_at: datetime | None) -> None:
        """Store renewed secrets before anyone uses them; an empty or unusable value never replaces a stored one.

        All accounts that share the grant get them.

        Raises:
            Superseded: the account was disconnected or connected again meanwhile.
        """
        account, now, expires_at = self._account, clock.now(), foreign.instant(expires_at)
        usable = {name: value for name, value in renewed.items() if foreign.identifier(value, foreign.SECRET_MAX)}
        secrets = self._secrets | usable
        upkeep_at = states.upkeep_at(now, expires_at, refreshable=True, chance=random.random())  # noqa: S311 - jitter
        ends_at = states.upkeep_at(now, expires_at, refreshable=False, chance=0.0)

        async def write(db: Db, account_id: UUID, version: int | None, values: Mapping[str, str]) -> int | None:
            sealed = seal(self._context.keys, account.workspace_id, account_id, values)
            row = await db.fetchrow(_SAVE, account_id, version, sealed, expires_at, upkeep_at, ends_at)
            if row is None:
                return None
            to = states.state_of_token(now, expires_at, refreshable=row[1])
            if to == "active":
                await move(db, account_id, to, None, only_from="expiring")
            new_version: int = row[0]
            return new_version

        async with self._context.database.transaction() as db:
            sharing = await db.fetch(_LOCK_SHARING, account.id)
            version = await write(db, account.id, self.version, secrets)
            if version is None:
                raise Superseded
            for other_id, sealed in sharing:
                if other_id != account.id and sealed is not None:
                    theirs = unseal(self._context.keys, account.workspace_id, other_id, sealed)
                    await write(db, other_id, None, theirs | usable)
        self._use(secrets, version)
        _logger.info("account.token_renewed", account=ids.encode("acc", account.id), platform=account.platform)

    async def renew(self, session: NetworkSession, http: Http | None = None) -> None:
        """Renew the tokens, or wait for whoever is renewing them; `session.secrets` are the newest afterwards.

        Args:
            session: whose tokens they are.
            http: the client that asks the network for them; None: that of the session. It must not end a request
                before its response: the tokens in it would be lost.

        Raises:
            ApiError: the network refuses the renewal, and nobody else's succeeded.
            HttpFailure: there was no response, or another process did not finish in time.
            NoCredentials: the account was disconnected meanwhile.
            Unavailable: the database cannot be reached.
        """
        deadline = clock.monotonic() + WAIT_SECONDS_MAX
        server = session.server if http is None else replace(session.server, http=http)
        renewals = self._context.state(Renewals)
        while not await renewals.run(self._renew_unless_claimed(replace(session, server=server))):
            if await self._reload():
                break
            if clock.monotonic() > deadline:
                raise NotSent("another process is still renewing this account's token", stage="pool")
            await asyncio.sleep(random.uniform(0.03, 0.1))  # noqa: S311 - jitter
        session.secrets = session_secrets(self._secrets)

    async def _renew_unless_claimed(self, session: NetworkSession) -> bool:
        """Return False, and do nothing, if someone else is renewing the tokens, or has."""
        async with self._context.database.transaction() as db:
            account_id = self._account.id
            self._claimed_id = await db.fetchval(_FIRST, account_id) or account_id
            if self._claimed_id != account_id:
                await db.execute(_LOCK, self._claimed_id)
            arguments = account_id, self.version, self._holder_id, CLAIM_SECONDS, self._claimed_id
            if not await db.fetchval(_CLAIM, *arguments):
                return False
        failure: str | None = "ended without a result"
        try:
            await self._ask(session)
            failure = None
        except Superseded:
            failure = None
            await self.read()
        except ApiError as error:
            failure = self._reason(error)
            if not await self._reload():
                raise
            failure = None
        except HttpFailure as error:
            failure = f"no response: {error.detail}"
            raise
        except TimeoutError:
            failure = "no response in time"
            raise MaybeSent("the platform did not respond in time", timed_out=True) from None
        finally:
            await self._release(failure)
        return True

    async def _ask(self, session: NetworkSession) -> None:
        """Have the connector renew the tokens, and store what it got, even if it failed after that."""
        assert self._connector.refresh is not None  # noqa: S101 - otherwise `renew` is not handed out
        renewed: list[tuple[Mapping[str, str], datetime | None]] = []

        async def keep(secrets: Mapping[str, str], expires_at: datetime | None) -> None:
            renewed.append((secrets, expires_at))
            self._note(secrets)

        try:
            async with asyncio.timeout(RENEWAL_SECONDS_MAX):
                await self._connector.refresh(replace(session, save_tokens=keep, secrets=grant_secrets(self._secrets)))
        finally:
            if renewed:
                await self._save_in_spite_of_faults(*renewed[-1])

    async def _save_in_spite_of_faults(self, renewed: Mapping[str, str], expires_at: datetime | None) -> None:
        """Store secrets that exist nowhere else. If the answer of the database is lost, they are `Superseded`."""
        if not await _persist(lambda: self.save(renewed, expires_at), SAVE_SECONDS_MAX):
            raise Unavailable("The renewed tokens could not be stored.")

    async def _reload(self) -> bool:
        """Read the stored secrets again; return whether they are another version than ours."""
        before = self.version
        await self.read()
        return self.version != before

    async def _release(self, failure: str | None) -> None:
        """Let others renew at once; if the database cannot write that down, they wait until the claim ends."""

        async def release() -> None:
            async with self._context.database.transaction() as db:
                if await db.fetchval(_RELEASE, self._claimed_id, self._holder_id) and failure is not None:
                    await db.execute(_SET_ERROR, self._account.id, failure)

        await _persist(release, RELEASE_SECONDS_MAX)

    def _reason(self, error: ApiError) -> str:
        dead = isinstance(self._connector.explain(error), NeedsReconnect)
        return f"{'the grant is dead' if dead else 'refused'} (status {error.response.status})"


async def _persist(write: Callable[[], Awaitable[None]], seconds_max: float) -> bool:
    """Write again and again while the database is away; return whether that succeeded in this time."""
    pause = 0.1
    try:
        async with asyncio.timeout(seconds_max):
            while True:
                with contextlib.suppress(*_NOT_SAVED):
                    await write()
                    return True
                await asyncio.sleep(pause)
                pause = min(pause * 2, 2.0)
    except TimeoutError:
        return False
