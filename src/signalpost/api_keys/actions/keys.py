"""API keys: create and revoke. A key creates only keys that do no more than itself and end with it."""

import ipaddress
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from msgspec import Struct

from signalpost.api_keys import views
from signalpost.api_keys.queries import KEY_COLUMNS, ApiKeyRow, read_key
from signalpost.api_keys.schemas import ApiKeyCreate, ApiKeyRevocation, ApiKeyWithSecret
from signalpost.context import AppContext
from signalpost.identity import offspring, roles
from signalpost.identity.authenticate import secret_hmacs
from signalpost.identity.caller_cache import CallerCache
from signalpost.identity.errors import KeyRevoked
from signalpost.kit import clock, crypto, ids, problems
from signalpost.kit.crypto import KeyRing
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.plans import actions as plan_actions
from signalpost.profiles import queries as profile_queries
from signalpost.settings import BRAND_KEY
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId

EXPIRES_WITHIN = timedelta(days=3650)

_INSERT = f"""
with k as (
    insert into api_key (id, workspace_id, key_id, secret_hmac, name, mode, permission, scopes, profile_ids,
        ip_allow_list, expires_at, created_by, issued_by, app_id, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
    returning *
)
select {KEY_COLUMNS} from k join app_user u on u.id = k.created_by
"""  # noqa: S608 - columns of a struct


class KeyTerms(Struct, kw_only=True):
    """What a key may do. Without `scopes` it has all that an owner has; other limits that are None do not apply."""

    mode: Literal["live", "test"] = "live"
    permission: Literal["read", "read_write"] = "read_write"
    scopes: Sequence[str] | None = None
    profile_ids: Sequence[UUID] | None = None
    ip_allow_list: Sequence[str] | None = None
    expires_at: datetime | None = None


async def create_key_for(
    db: Db,
    keys: KeyRing,
    *,
    workspace_id: UUID,
    user_id: UUID,
    name: str,
    terms: KeyTerms | None = None,
    issued_by: UUID | None = None,
    app_id: UUID | None = None,
) -> tuple[ApiKeyRow, str]:
    """Write a key of this user, created by them or by the key `issued_by`; return it with its text, stored nowhere.

    With `app_id` that app acts by it, and whoever calls forgets the text.

    Who may create which key is decided before: by `create_api_key` for the API, by the operator for the command line.
    At the time of use, a key never has more than its creator's role.
    """
    terms = terms or KeyTerms()
    parts = crypto.new_api_key(f"{BRAND_KEY}_{terms.mode}", cell=keys.cell)
    scopes = roles.SCOPES_OF["owner"] if terms.scopes is None else frozenset(terms.scopes)
    record = await db.fetchrow(
        _INSERT,
        ids.new_id(),
        workspace_id,
        parts.key_id,
        secret_hmacs(keys, parts.secret)[0],
        name,
        terms.mode,
        terms.permission,
        sorted(roles.restrict(scopes, terms.permission)),
        terms.profile_ids,
        terms.ip_allow_list,
        terms.expires_at,
        user_id,
        issued_by,
        app_id,
        clock.actual(),
    )
    assert record is not None  # noqa: S101 - the user exists
    return read_key(record), parts.text


async def create_api_key(context: AppContext, db: Db, caller: Caller, data: ApiKeyCreate) -> ApiKeyWithSecret:
    """Create a key for the caller.

    Raises:
        Forbidden, InsufficientScope: the caller may not have this key.
        KeyRevoked: the caller is a key that was revoked meanwhile.
        ValidationFailed: unknown profiles, an expiry in the past, invalid networks.
        PlanLimitReached: the plan does not cover another key.
    """
    _require_rights(caller, data)
    networks, network_issues = _networks(data.ip_allow_list)
    issues = [*_scope_issues(data), *_expiry_issues(data), *await _profile_issues(db, caller, data), *network_issues]
    if issues:
        raise problems.ValidationFailed(errors=issues)
    terms = KeyTerms(
        mode=data.mode,
        permission=data.permission,
        scopes=data.scopes or sorted(caller.scopes - {"instance:admin"}),
        profile_ids=_profile_ids(caller, data),
        ip_allow_list=networks,
        expires_at=data.expires_at,
    )
    if caller.key_id is not None:
        await _inherit(db, caller, caller.key_id, terms)
    row, key = await create_key_for(
        db,
        context.keys,
        workspace_id=caller.workspace_id,
        user_id=caller.user_id,
        name=data.name,
        terms=terms,
        issued_by=caller.key_id,
    )
    await plan_actions.require_api_key_capacity(db, caller.workspace_id, caller.plan)
    return views.api_key_with_secret(row, key)


def _require_rights(caller: Caller, data: ApiKeyCreate) -> None:
    if missing := sorted(set(data.scopes or ()) - caller.scopes):
        if caller.auth == "api_key":
            raise problems.InsufficientScope(f"This API key cannot grant {missing[0]}, which it does not have.")
        raise problems.Forbidden(f"The role {caller.role} does not include {missing[0]}.")
    if caller.mode == "test" and data.mode == "live":
        raise problems.InsufficientScope("A test key can create only test keys.")


def _profile_ids(caller: Caller, data: ApiKeyCreate) -> Sequence[UUID] | None:
    if data.profile_ids is not None:
        return [*dict.fromkeys(data.profile_ids)]
    return caller.sees_profiles if caller.auth == "api_key" else None


def _scope_issues(data: ApiKeyCreate) -> list[Issue]:
    issues = [
        Issue(f"/scopes/{index}", "not_allowed", "A test key does not administer the installation: send mode live.")
        for index, scope in enumerate(data.scopes or ())
        if scope == "instance:admin" and data.mode == "test"
    ]
    if data.permission == "read_write":
        return issues
    return issues + [
        Issue(f"/scopes/{index}", "not_allowed", "A key with the permission read can have only scopes ending in :read.")
        for index, scope in enumerate(data.scopes or ())
        if not scope.endswith(":read")
    ]


def _expiry_issues(data: ApiKeyCreate) -> list[Issue]:
    now = clock.actual()
    if data.expires_at is None or now < data.expires_at <= now + EXPIRES_WITHIN:
        return []
    return [Issue("/expiresAt", "out_of_range", "Enter an instant in the future, at most ten years ahead.")]


async def _profile_issues(db: Db, caller: Caller, data: ApiKeyCreate) -> list[Issue]:
    if not data.profile_ids:
        return []
    existing = await profile_queries.existing_profiles(db, caller, data.profile_ids)
    return [
        ProfileId.not_found(f"/profileIds/{index}")
        for index, profile_id in enumerate(data.profile_ids)
        if profile_id not in existing
    ]


def _networks(texts: Sequence[str] | None) -> tuple[list[str] | None, list[Issue]]:
    if not texts:
        return None, []
    networks: dict[str, None] = {}
    issues = []
    for index, text in enumerate(texts):
        try:
            networks[str(ipaddress.ip_network(text.strip(), strict=False))] = None
        except ValueError:
            message = f"Not an IP address or network: {text!r}. Example: 203.0.113.0/24."
            issues.append(Issue(f"/ipAllowList/{index}", "format", message))
    return list(networks), issues


_LOCK = "select pg_advisory_xact_lock(hashtextextended('keys:' || $1::text, 0))"
_ISSUER = "select expires_at, revoked_at from api_key where id = $1 and workspace_id = $2"


async def _lock(db: Db, workspace_id: UUID) -> None:
    """Let keys of a workspace be issued by keys, and be revoked, one after the other: none slips through."""
    await db.execute(_LOCK, str(workspace_id))


async def _inherit(db: Db, caller: Caller, key_id: UUID, terms: KeyTerms) -> None:
    """Give the new key the limits of the key that creates it, where it has none of its own; refuse wider ones."""
    await _lock(db, caller.workspace_id)
    expires_at, revoked_at = await db.fetchrow(_ISSUER, key_id, caller.workspace_id) or (None, None)
    if revoked_at is not None:
        raise KeyRevoked("The key of this request was revoked meanwhile.")
    if expires_at is not None:
        if terms.expires_at is not None and terms.expires_at > expires_at:
            raise problems.InsufficientScope("A key cannot create a key that outlives it.")
        terms.expires_at = terms.expires_at or expires_at
    if caller.ip_allow_list:
        networks = terms.ip_allow_list or caller.ip_allow_list
        if not all(_is_within(network, caller.ip_allow_list) for network in networks):
            raise problems.InsufficientScope("A key cannot create a key for addresses from which it may not be used.")
        terms.ip_allow_list = [*networks]


def _is_within(text: str, allowed: Sequence[str]) -> bool:
    network = ipaddress.ip_network(text)
    return any(network[0] in other and network[-1] in other for other in map(ipaddress.ip_network, allowed))


_REVOKE = """
with recursive issued (id) as (
    select id from api_key where id = $1 and workspace_id = $2
    union
    select k.id from issued i join api_key k on k.issued_by = i.id and k.workspace_id = $2
)
update api_key k set revoked_at = now() from issued i where k.id = i.id and k.revoked_at is null returning k.id
"""
_REVOKED_AT = "select revoked_at from api_key where id = $1 and workspace_id = $2"


async def revoke_api_key(context: AppContext, db: Db, caller: Caller, row: ApiKeyRow) -> ApiKeyRevocation:
    """Revoke a key at once, with all that it issued; repeating it changes nothing. Any key may revoke itself.

    Raises:
        Forbidden: the role has no keys.
        InsufficientScope: the caller is a key without the scope, or the key may do more than it.
    """
    if caller.key_id != row.id:
        require_key_management(caller)
        if caller.key_id is not None and not _covers(caller, row):
            raise problems.InsufficientScope("This API key cannot revoke a key that may do more than itself.")
    await _lock(db, caller.workspace_id)
    revoked = [record["id"] for record in await db.fetch(_REVOKE, row.id, caller.workspace_id)]
    await offspring.end_of_keys(db, revoked)
    for key_id in (row.id, *revoked):
        context.state(CallerCache).invalidate(key_id)
    return ApiKeyRevocation(
        id=ids.encode("key", row.id),
        status="revoked",
        revoked_at=clock.wire(await db.fetchval(_REVOKED_AT, row.id, caller.workspace_id)),
        also_revoked=[ids.encode("key", key_id) for key_id in revoked if key_id != row.id],
    )


_EXTEND = "update api_key set expires_at = $2 where id = $1 and revoked_at is null"


async def extend_key(db: Db, key_id: UUID, expires_at: datetime) -> None:
    """Have a key by which an app acts end later, unless it was revoked."""
    await db.execute(_EXTEND, key_id, expires_at)


_WORKSPACE_OF = "select workspace_id from api_key where id = $1"


async def revoke_key(
    db: Db, key_id: UUID, *, cause: Literal["key_revoked", "key_leaked"] = "key_revoked"
) -> list[UUID]:
    """Revoke a key of any workspace, for the operator; return it and what it issued, as far as they were valid.

    The caches of other processes forget them within a second.
    """
    workspace_id: UUID | None = await db.fetchval(_WORKSPACE_OF, key_id)
    if workspace_id is None:
        return []
    await _lock(db, workspace_id)
    revoked = [record["id"] for record in await db.fetch(_REVOKE, key_id, workspace_id)]
    await offspring.end_of_keys(db, revoked, cause=cause)
    return revoked


def require_key_management(caller: Caller) -> None:
    """Raise Forbidden or InsufficientScope for a caller without API keys."""
    if "keys:write" in caller.scopes:
        return
    if caller.auth == "api_key":
        raise problems.InsufficientScope("This API key lacks the scope keys:write.")
    raise problems.Forbidden(f"The role {caller.role} cannot have API keys.")


def _covers(caller: Caller, row: ApiKeyRow) -> bool:
    """Whether the caller may do all that the key may do."""
    profiles = caller.profile_ids
    return (
        caller.scopes.issuperset(row.scopes)
        and (caller.mode == "live" or row.mode == "test")
        and (profiles is None or (row.profile_ids is not None and profiles.issuperset(row.profile_ids)))
    )
