"""From a bearer token to a Caller: a checksum or a signature is verified first, then one row is read."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol
from uuid import UUID

from signalpost.context import AppContext
from signalpost.identity import queries, roles, tokens
from signalpost.identity.caller_cache import CallerCache, cache_key
from signalpost.identity.errors import KeyRevoked, TokenExpired
from signalpost.identity.ip_allow_list import require_allowed_address
from signalpost.identity.queries import KeyCredential, Membership, SessionCredential
from signalpost.kit import crypto, problems
from signalpost.kit.crypto import ApiKeyParts, KeyRing
from signalpost.kit.db import Db
from signalpost.kit.tenant import Tenant, across_workspaces
from signalpost.settings import BRAND_KEY, Settings
from signalpost.web.caller import Caller, Mode, Role
from signalpost.web.fields import WorkspaceId
from signalpost.web.guesses import Guesses
from signalpost.web.limits import Limiter
from signalpost.web.serve import Authenticate

Rates = Callable[[str], tuple[int, int]]
"""Plan in force -> requests and writes per minute. `plans` knows them; it is above this room."""

KeysMax = Callable[[str], int | None]
"""Plan in force -> how many API keys it covers; None: all."""

_NO_SECRET = bytes(32)  # the secret of an unknown key is compared with this: as much work as for a known one
_NEW_KEY = "Whoever is signed in creates another with `POST /api-keys`, an operator with `signalpost keys create`."
_CHALLENGE = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
_PREFIXES = (f"{BRAND_KEY}_live", f"{BRAND_KEY}_test")
APP_TOKEN_PREFIX = f"{BRAND_KEY}_oat"
"""Of access tokens of apps, each of which acts by a key of its own: decision 0429."""
_TOUCH_KEY = """
update api_key set last_used_at = now(), last_used_ip = $2
where id = $1 and coalesce(last_used_at < now() - interval '1 minute', true)
"""
_ACCEPTED = """
select secret_hmac from api_key
where key_id = $1 and last_used_ip = $2 and last_used_at > now() - interval '30 days' and revoked_at is null
"""
# Where the member was active is noted as well: the next sign-in starts there.
_TOUCH_MEMBER = """
with seen as (
    update member set last_active_at = now()
    where user_id = $1 and workspace_id = $2 and status = 'active'
        and coalesce(last_active_at < now() - interval '1 minute', true)
)
update app_user set last_workspace_id = $2 where id = $1 and last_workspace_id is distinct from $2
"""
_TOUCH_SESSION = """
update session set last_used_at = now()
where id = $1 and coalesce(last_used_at, created_at) < now() - interval '1 minute'
"""


def authenticator(
    context: AppContext, *, rates: Rates | None = None, keys_max: KeysMax | None = None, guesses: Guesses | None = None
) -> Authenticate:
    """Return the function that `web` calls with bearer, X-Workspace-Id and address."""
    return _Credentials(context, rates, keys_max, guesses or Guesses(Limiter())).caller


def secret_hmacs(keys: KeyRing, secret: str) -> list[bytes]:
    """Return what is stored of a key's secret: under the current master key first, then under the older ones."""
    return [crypto.hmac_sha256(pepper, secret.encode()) for pepper in keys.derive_each("api-key")]


class _Credentials:
    def __init__(self, context: AppContext, rates: Rates | None, keys_max: KeysMax | None, guesses: Guesses) -> None:
        settings = context.settings
        self._context = context
        self._hooks = context.hooks
        self._database = context.database
        self._keys = context.keys
        self._settings = settings
        self._cache = context.state(CallerCache)
        self._guesses = guesses
        self._first: dict[bytes, asyncio.Future[bool]] = {}  # credentials that are read for the first time right now
        self._keys_max = keys_max or (lambda _plan: None)
        self._rates = rates or (lambda _plan: (settings.requests_per_minute, settings.writes_per_minute))

    async def caller(self, bearer: str, workspace: str | None, address: str) -> Caller:
        """Find the caller.

        Raises:
            Unauthenticated, TokenExpired, KeyRevoked: the credential is not valid.
            Forbidden: the membership is suspended, or the key may not be used from this address.
            NotFound: X-Workspace-Id is not a workspace of the user.
            RateLimited: the credential is unknown here, and the address has sent too many wrong ones.
        """
        key = cache_key(bearer, workspace)
        if (cached := self._cache.get(key)) is not None:
            require_allowed_address(cached, address)
            return cached
        if self._cache.knows(key):
            try:
                caller = await self._read(bearer, workspace, address)
            except problems.Problem:
                self._cache.forget(key)
                raise
        else:
            caller = await self._unknown(key, bearer, workspace, address)
        self._cache.put(key, caller)
        return caller

    async def _unknown(self, key: bytes, bearer: str, workspace: str | None, address: str) -> Caller:
        """Find the caller of a credential that this process does not know. Requests that repeat it need one guess.

        Those that come meanwhile wait for the first: if it is right, theirs are no guesses.
        """
        while (first := self._first.get(key)) is not None:
            if await asyncio.shield(first):
                return await self._read(bearer, workspace, address)
        first = self._first[key] = asyncio.get_running_loop().create_future()
        try:
            caller = await self._guessed(bearer, workspace, address)
            first.set_result(True)
            return caller
        finally:
            del self._first[key]
            if not first.done():
                first.set_result(False)

    async def _guessed(self, bearer: str, workspace: str | None, address: str) -> Caller:
        """Find the caller of a credential that may be a guess, unless we signed it or accepted it from here before."""
        if self._is_signed(bearer):
            return await self._read(bearer, workspace, address)
        try:
            async with self._guesses.admitted(address):
                return await self._read(bearer, workspace, address)
        except problems.RateLimited:
            # Other processes read as many, or one that was killed kept its places.
            if not await self._was_accepted(bearer, address):
                raise
        return await self._read(bearer, workspace, address)

    def _is_signed(self, bearer: str) -> bool:
        if bearer.startswith(BRAND_KEY + "_"):
            return False
        return self._read_token(bearer) is not None

    def _read_token(self, bearer: str) -> tokens.Access | None:
        is_cookie = bearer.startswith(tokens.COOKIE_PREFIX)
        return tokens.read_cookie_token(self._keys, bearer) if is_cookie else tokens.read(self._keys, bearer)

    async def _was_accepted(self, bearer: str, address: str) -> bool:
        """Whether the last use of this key came from this address. Few such looks, so that guesses cost no reads."""
        parts = crypto.parse_api_key(bearer)
        if parts is None or not self._guesses.may_look(address):
            return False
        with across_workspaces():
            async with self._database.connection() as db:
                stored = await db.fetchval(_ACCEPTED, parts.key_id, address)
        return stored is not None and any(
            crypto.equal(stored, secret) for secret in secret_hmacs(self._keys, parts.secret)
        )

    async def _read(self, bearer: str, workspace: str | None, address: str) -> Caller:
        with across_workspaces():  # a credential tells the workspace
            if bearer.startswith(BRAND_KEY + "_"):
                return await self._from_key(bearer, workspace, address)
            return await self._from_token(bearer, workspace)

    async def _from_key(self, bearer: str, workspace: str | None, address: str) -> Caller:
        parts = crypto.parse_api_key(bearer)
        if parts is None or parts.prefix not in (*_PREFIXES, APP_TOKEN_PREFIX):
            raise problems.Unauthenticated(
                "This is not an API key of this service, or a part of it is missing.",
                headers=_CHALLENGE,
                remediation=f"Check that the whole key was copied. {_NEW_KEY}",
            )
        async with self._database.connection() as db:
            row = await self._verified(db, parts)
            caller = self._key_caller(row)
            if workspace and WorkspaceId.parse(workspace) != caller.workspace_id:
                raise problems.NotFound(
                    "This API key belongs to another workspace than the one in X-Workspace-Id.",
                    remediation="Leave X-Workspace-Id out: a key has one workspace.",
                )
            require_allowed_address(caller, address)
            if row.stale:
                await db.execute(_TOUCH_KEY, row.id, address)
        return caller

    async def _verified(self, db: Db, parts: ApiKeyParts) -> KeyCredential:
        """Return the key of a text: the one with its secret, or the one by which the app of an access token acts."""
        if parts.prefix != APP_TOKEN_PREFIX:
            return self._verify(await queries.find_key_credential(db, parts.key_id), parts)
        key_id = await self._hooks.key_of_app(self._context, db, parts.text)
        row = None if key_id is None else await queries.find_key_by_id(db, key_id)
        if row is None:
            raise problems.Unauthenticated(
                "This access token of an app is unknown.",
                headers=_CHALLENGE,
                remediation="Use the refresh token to get another, or ask the person again.",
            )
        return row

    def _verify(self, row: KeyCredential | None, parts: ApiKeyParts) -> KeyCredential:
        stored = _NO_SECRET if row is None else row.secret_hmac
        matches = [crypto.equal(stored, secret) for secret in secret_hmacs(self._keys, parts.secret)]
        if row is None or not any(matches) or parts.prefix != f"{BRAND_KEY}_{row.mode}":
            raise problems.Unauthenticated(
                "This API key is unknown.",
                headers=_CHALLENGE,
                remediation=f"Check that it is of this instance. {_NEW_KEY}",
            )
        return row

    def _key_caller(self, row: KeyCredential) -> Caller:
        plan = queries.plan_in_force(self._settings, row.plan)
        role = _role_of(row, plan, self._keys_max)
        requests, writes = self._rates(plan)
        is_staff = row.is_staff and row.mode == "live"  # nothing of an installation is in test mode
        granted = roles.scopes_of(role, is_staff=is_staff) & frozenset(row.scopes)
        return Caller(
            user_id=row.user_id,
            user_name=row.user_name,
            workspace_id=row.workspace_id,
            tenant=Tenant(row.tenant_id, row.workspace_id),
            role=role,
            scopes=roles.restrict(granted, row.permission),
            mode=row.mode,
            auth="api_key",
            credential=f"key:{row.id.hex}",
            plan=plan,
            workspace_timezone=row.workspace_timezone,
            workspace_zone_chosen=row.workspace_zone_chosen,
            profile_ids=_intersect(row.profile_ids, row.member_profile_ids),
            key_id=row.id,
            key_name=row.name,
            is_staff="instance:admin" in granted,
            requests_per_minute=requests,
            writes_per_minute=writes,
            ip_allow_list=tuple(row.ip_allow_list or ()),
        )

    async def _from_token(self, bearer: str, workspace: str | None) -> Caller:
        access = self._read_token(bearer)
        if access is None:
            raise problems.Unauthenticated(
                "What follows Bearer is neither an API key nor an access token of this service.",
                headers=_CHALLENGE,
                remediation="An API key begins with sp_. Sign in with `POST /auth/login` for an access token.",
            )
        workspace_id = WorkspaceId.parse(workspace) if workspace else access.workspace_id
        if workspace_id is None:
            raise _not_a_member()
        async with self._database.connection() as db:
            row = await queries.find_session_credential(db, access.session_id, access.user_id, workspace_id)
            if row is None or row.ended:
                raise problems.Unauthenticated("This session has ended. Sign in again.", headers=_CHALLENGE)
            if row.membership is None:
                if workspace:
                    raise _not_a_member()
                raise problems.Unauthenticated("You are no longer a member of this workspace.", headers=_CHALLENGE)
            if row.membership.status == "suspended":
                raise problems.Forbidden("Your membership in this workspace is suspended.")
            if row.membership.stale:
                await db.execute(_TOUCH_MEMBER, row.user_id, workspace_id)
            if row.stale:
                await db.execute(_TOUCH_SESSION, access.session_id)
        return self._session_caller(row, row.membership, access.session_id)

    def _session_caller(self, row: SessionCredential, membership: Membership, session_id: UUID) -> Caller:
        plan = queries.plan_in_force(self._settings, membership.plan)
        requests, writes = self._rates(plan)
        return Caller(
            user_id=row.user_id,
            user_name=row.user_name,
            workspace_id=membership.workspace_id,
            tenant=Tenant(membership.tenant_id, membership.workspace_id),
            role=membership.role,
            scopes=roles.scopes_of(membership.role, is_staff=row.is_staff),
            mode="live",
            auth="session",
            credential=f"session:{session_id.hex}",
            plan=plan,
            workspace_timezone=membership.timezone,
            workspace_zone_chosen=membership.zone_chosen,
            profile_ids=_intersect(None, membership.profile_ids),
            session_id=session_id,
            is_staff=row.is_staff,
            requests_per_minute=requests,
            writes_per_minute=writes,
            has_second_factor=row.has_second_factor,
            needs_second_factor=not row.has_second_factor
            and roles.needs_second_factor(membership.granted_role, membership.second_factor),
        )


def _role_of(row: KeyCredential, plan: str, keys_max: KeysMax) -> Role:
    """Return the role in which a key acts.

    Raises:
        KeyRevoked, TokenExpired: the key does not work any more.
    """
    if row.revoked or row.role is None:
        what = "access of this app" if row.is_of_app else "API key"
        raise KeyRevoked(f"This {what} was revoked, or its issuer left the workspace.", headers=_CHALLENGE)
    if row.expired:
        raise TokenExpired("This API key has expired.", headers=_CHALLENGE, remediation=_NEW_KEY)
    if not row.is_of_app and (maximum := keys_max(plan)) is not None and row.older_keys >= maximum:
        raise KeyRevoked(
            f"This API key is more than the plan {plan} covers, which is {maximum}.",
            headers=_CHALLENGE,
            remediation="Revoke an older key, or choose a larger plan: then this one works again.",
        )
    return row.role


class Grant(Protocol):
    """A row of what acts for a user: rights, profiles and mode of the credential with which they allowed it.

    `profile_ids` None: all of the workspace; `key_id` None: of a session.
    """

    @property
    def user_id(self) -> UUID: ...
    @property
    def workspace_id(self) -> UUID: ...
    @property
    def scopes(self) -> Sequence[str]: ...
    @property
    def mode(self) -> Mode: ...
    @property
    def profile_ids(self) -> list[UUID] | None: ...
    @property
    def key_id(self) -> UUID | None: ...


async def caller_by_grant(
    settings: Settings, db: Db, grant: Grant, credential: str, keys_max: KeysMax
) -> Caller | None:
    """Return the user as a caller with what is left of a grant now; None: they are not a member any more.

    Raises:
        KeyRevoked, TokenExpired: it was made with a key that does not work any more.
        Forbidden: the membership is suspended.
    """
    record = await queries.find_membership(db, grant.user_id, grant.workspace_id)
    if record is None:
        return None
    name, membership = record
    if membership.status == "suspended":
        raise problems.Forbidden("Your membership in this workspace is suspended.")
    scopes, profile_ids = frozenset(grant.scopes), grant.profile_ids
    if grant.key_id is not None:
        key = await queries.find_key_by_id(db, grant.key_id)
        if key is None or key.workspace_id != grant.workspace_id or key.user_id != grant.user_id:
            raise KeyRevoked("The API key that allowed this is gone.")
        _role_of(key, queries.plan_in_force(settings, key.plan), keys_max)
        scopes &= roles.restrict(frozenset(key.scopes), key.permission)
        seen = _intersect(profile_ids, key.profile_ids)
        profile_ids = None if seen is None else [*seen]
    return Caller(
        user_id=grant.user_id,
        user_name=name,
        workspace_id=membership.workspace_id,
        tenant=Tenant(membership.tenant_id, membership.workspace_id),
        role=membership.role,
        scopes=roles.scopes_of(membership.role) & scopes,
        mode=grant.mode,
        auth="messaging",
        credential=credential,
        plan=queries.plan_in_force(settings, membership.plan),
        workspace_timezone=membership.timezone,
        workspace_zone_chosen=membership.zone_chosen,
        profile_ids=_intersect(profile_ids, membership.profile_ids),
    )


def _not_a_member() -> problems.NotFound:
    return problems.NotFound(
        "X-Workspace-Id is not one of your workspaces.", remediation="`GET /workspaces` lists their ids."
    )


def _intersect(of_key: list[UUID] | None, of_member: list[UUID] | None) -> frozenset[UUID] | None:
    """Return the profiles that both see; None is all."""
    if of_key is None:
        return None if of_member is None else frozenset(of_member)
    return frozenset(of_key) if of_member is None else frozenset(of_key) & frozenset(of_member)
