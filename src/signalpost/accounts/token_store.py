"""An account's secrets: sealed when they are stored, opened for a session, renewed by one holder at a time.

Tokens that are renewed may be single use: whoever spends one while another does loses the account. So a renewal takes
a short claim on the account's row, in all processes; everyone else waits for its result and takes that.
"""

import asyncio
import random
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from signalpost import networks
from signalpost.accounts import states
from signalpost.accounts.queries import AccountRow
from signalpost.context import AppContext
from signalpost.kit import clock, ids, log
from signalpost.kit.crypto import KeyRing, Undecipherable
from signalpost.kit.http import HttpFailure, MaybeSent, NotSent
from signalpost.networks.contract import ApiError, Connector, NeedsReconnect, NetworkSession, Server

CLAIM_SECONDS = 60
RENEWAL_SECONDS_MAX = 45.0
"""Shorter than the claim, so that a claim never runs out under its holder."""
WAIT_SECONDS_MAX = 50.0

_logger = log.get("accounts")


class NoCredentials(Exception):
    """The account holds no credentials that could be opened: it is disconnected, or sealed under a lost key."""


class Superseded(Exception):
    """Other credentials were stored meanwhile: ours must not overwrite them."""


_READ = "select secrets, secrets_version from account where id = $1 and workspace_id = $2 and status <> 'disconnected'"
_CLAIM = """
update account set renewing_by = $3, renewing_until = now() + make_interval(secs => $4)
where id = $1 and secrets_version = $2 and status <> 'disconnected'
    and (renewing_until is null or renewing_until < now())
returning true
"""
_LET_GO = """
update account set renewing_by = null, renewing_until = null, last_refresh_error = coalesce($3, last_refresh_error)
where id = $1 and renewing_by = $2
"""
_STORE = """
update account set secrets = $3, secrets_version = secrets_version + 1, token_expires_at = $4, upkeep_at = $5,
    last_refreshed_at = now(), last_refresh_error = null, renewing_by = null, renewing_until = null,
    status = case when status = 'expiring' then 'active' else status end, updated_at = now()
where id = $1 and secrets_version = $2 and status <> 'disconnected'
returning secrets_version
"""


def seal(keys: KeyRing, workspace_id: UUID, account_id: UUID, secrets: Mapping[str, str]) -> bytes:
    """Return the secrets as they are stored: only this row's value opens in this row."""
    return keys.seal(msgspec.json.encode(dict(secrets)), context=_context(workspace_id, account_id))


def unseal(keys: KeyRing, workspace_id: UUID, account_id: UUID, blob: bytes) -> dict[str, str]:
    """Return the secrets of an account.

    Raises:
        NoCredentials: they cannot be opened.
    """
    try:
        return msgspec.json.decode(keys.open(blob, context=_context(workspace_id, account_id)), type=dict[str, str])
    except Undecipherable:
        raise NoCredentials("the account's credentials cannot be opened with the present master key") from None


def server_of(context: AppContext, connector: Connector, base_url: str | None) -> Server:
    """Return the server of an account; `base_url` is the account's own, if it has one.

    The operator's SIGNALPOST_<NETWORK>_BASE_URL replaces the network's one address; for networks where every account
    brings its own server it names one server among many, the only one that may have a private address.
    """
    facts = connector.facts
    operator_url = _operator_url(context, connector)
    if operator_url is not None and (facts.base_url is not None or base_url in {None, operator_url}):
        return Server(base_url=operator_url, trusted=True, http=context.http)
    if base_url is not None:
        return Server(base_url=base_url.rstrip("/"), trusted=False, http=context.http)
    return Server(base_url=facts.base_url or "", trusted=True, http=context.http)


def entry_server(context: AppContext, connector: Connector) -> Server:
    """Return the server to sign in at before the account's own is known: the operator's, else the network's."""
    operator_url = _operator_url(context, connector)
    base_url = operator_url or connector.facts.base_url or ""
    return Server(base_url=base_url, trusted=operator_url is not None, http=context.http)


def _operator_url(context: AppContext, connector: Connector) -> str | None:
    url = context.settings.network(connector.facts.key, "base_url")
    return None if url is None else url.rstrip("/")


async def open_session(context: AppContext, account: AccountRow) -> NetworkSession:
    """Open the account's way to its network. Makes no call there.

    Raises:
        NoCredentials: there is nothing to open; the account has to be connected again.
    """
    connector = networks.CONNECTORS.get(account.platform)
    if connector is None:
        raise NoCredentials(f"there is no connector for {account.platform}")
    store = TokenStore(context, account, connector)
    return NetworkSession(
        server=server_of(context, connector, account.base_url),
        secrets=await store.read(),
        remote_id=account.remote_id,
        username=account.username,
        facts=account.facts,
        save_tokens=store.save,
        now=clock.now,
        refresh_exclusively=store.renew if connector.refresh is not None else None,
    )


class TokenStore:
    """Knows which generation of an account's secrets a session holds."""

    def __init__(self, context: AppContext, account: AccountRow, connector: Connector) -> None:
        self._context = context
        self._account = account
        self._connector = connector
        self._me = ids.new_id()
        self._secrets: dict[str, str] = {}
        self._version = 0

    async def read(self) -> dict[str, str]:
        """Return the stored secrets, and hold on to their generation.

        Raises:
            NoCredentials: there are none.
        """
        account = self._account
        async with self._context.database.connection() as db:
            row = await db.fetchrow(_READ, account.id, account.workspace_id)
        if row is None or row["secrets"] is None:
            raise NoCredentials("the account is disconnected")
        self._secrets = unseal(self._context.keys, account.workspace_id, account.id, row["secrets"])
        self._version = row["secrets_version"]
        return self._secrets

    async def save(self, renewed: Mapping[str, str], expires_at: datetime | None) -> None:
        """Store renewed secrets before anybody uses them; an empty value never replaces one that is there.

        Raises:
            Superseded: the account was disconnected or connected anew meanwhile.
        """
        account, now = self._account, clock.now()
        secrets = self._secrets | {name: value for name, value in renewed.items() if value}
        upkeep_at = states.upkeep_at(now, expires_at, refreshable=True, chance=random.random())  # noqa: S311 - jitter
        blob = seal(self._context.keys, account.workspace_id, account.id, secrets)
        async with self._context.database.transaction() as db:
            version = await db.fetchval(_STORE, account.id, self._version, blob, expires_at, upkeep_at)
        if version is None:
            raise Superseded
        self._secrets, self._version = secrets, version
        _logger.info("account.token_renewed", account=str(account.id), platform=account.platform)

    async def renew(self, session: NetworkSession) -> None:
        """Renew the tokens, or wait for whoever does it right now; `session.secrets` are the newest then.

        Raises:
            ApiError: the network refuses the renewal, and nobody else got one through.
            HttpFailure: no answer, or another process did not come to an end in time.
            NoCredentials: the account was disconnected meanwhile.
        """
        if not await self._claimed():
            session.secrets = self._secrets
            return
        assert self._connector.refresh is not None  # noqa: S101 - only then is `renew` handed out
        failure: str | None = "ended without a result"
        try:
            async with asyncio.timeout(RENEWAL_SECONDS_MAX):
                await self._connector.refresh(session)
            failure = None
        except Superseded:
            failure = None
            await self.read()
        except ApiError as error:
            failure = self._reason(error)
            if not await self._changed():
                raise
            failure = None
        except HttpFailure as lost:
            failure = f"no answer: {lost.detail}"
            raise
        except TimeoutError:
            failure = "no answer in time"
            raise MaybeSent("the platform did not answer in time", timed_out=True) from None
        finally:
            await self._let_go(failure)
        session.secrets = self._secrets

    async def _claimed(self) -> bool:
        """Wait until the renewal is ours (True), or somebody else's result is there (False)."""
        deadline = clock.monotonic() + WAIT_SECONDS_MAX
        while True:
            async with self._context.database.transaction() as db:
                mine = await db.fetchval(_CLAIM, self._account.id, self._version, self._me, CLAIM_SECONDS)
            if mine:
                return True
            if await self._changed():
                return False
            if clock.monotonic() > deadline:
                raise NotSent("another process renews this account's token and does not come to an end", stage="pool")
            await asyncio.sleep(random.uniform(0.03, 0.1))  # noqa: S311 - jitter

    async def _changed(self) -> bool:
        """Take over what is stored; return whether it is another generation than ours."""
        before = self._version
        await self.read()
        return self._version != before

    async def _let_go(self, failure: str | None) -> None:
        async with self._context.database.transaction() as db:
            await db.execute(_LET_GO, self._account.id, self._me, failure)

    def _reason(self, error: ApiError) -> str:
        outcome: Any = self._connector.explain(error)
        kind = "the grant is dead" if isinstance(outcome, NeedsReconnect) else "refused"
        return f"{kind} (status {error.response.status})"


def _context(workspace_id: UUID, account_id: UUID) -> str:
    return f"account.secrets|{account_id}|{workspace_id}"
