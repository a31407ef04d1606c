"""API keys: create and revoke. A key creates only keys that do no more than itself, and revokes only those."""

import ipaddress
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from msgspec import Struct

from signalpost.context import AppContext
from signalpost.identity import queries, roles, views
from signalpost.identity.authenticate import secret_hmacs
from signalpost.identity.caller_cache import CallerCache
from signalpost.identity.queries import KEY_COLUMNS, ApiKeyRow, read_key
from signalpost.identity.schemas import ApiKeyCreate, ApiKeyRevocation, ApiKeyWithSecret
from signalpost.kit import clock, crypto, ids, problems
from signalpost.kit.crypto import KeyRing
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.settings import BRAND_KEY
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId
from signalpost.web.paging import Page

EXPIRES_WITHIN = timedelta(days=3650)

_INSERT = f"""
with k as (
    insert into api_key (id, workspace_id, key_id, secret_hmac, name, mode, permission, scopes, profile_ids,
        ip_allow_list, expires_at, created_by, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
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
    db: Db, keys: KeyRing, *, workspace_id: UUID, user_id: UUID, name: str, terms: KeyTerms | None = None
) -> tuple[ApiKeyRow, str]:
    """Write a key of this user; return it with its plain text, which is stored nowhere.

    Who may create which key is decided before: by `create_api_key` for the API, by the operator for the command line.
    At the time of use, a key never has more than its creator's role.
    """
    terms = terms or KeyTerms()
    parts = crypto.new_api_key(f"{BRAND_KEY}_{terms.mode}")
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
        clock.now(),
    )
    assert record is not None  # noqa: S101 - the user exists
    return read_key(record), parts.text


async def create_api_key(context: AppContext, db: Db, caller: Caller, data: ApiKeyCreate) -> ApiKeyWithSecret:
    """Create a key for the caller.

    Raises:
        Forbidden, InsufficientScope: the caller may not have keys, or not this one.
        ValidationFailed: unknown profiles, an expiry in the past, invalid networks.
        PlanLimitReached: the plan does not cover another key.
    """
    _require_key_management(caller)
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
        db, context.keys, workspace_id=caller.workspace_id, user_id=caller.user_id, name=data.name, terms=terms
    )
    await context.hooks.require_api_key_capacity(db, caller.workspace_id, caller.plan)
    return views.api_key_with_secret(row, key)


async def list_api_keys(db: Db, caller: Caller, page: Page) -> list[ApiKeyRow]:
    """Return the keys that the caller may see, newest first.

    Raises:
        Forbidden: the role has no API keys.
    """
    _require_keys(caller)
    return await queries.keys_page(db, caller, page)


def _require_keys(caller: Caller) -> None:
    if not roles.may_have_api_keys(caller.role):
        raise problems.Forbidden(f"The role {caller.role} cannot have API keys.")


def _require_key_management(caller: Caller) -> None:
    """Refuse callers who may not have keys.

    Raises:
        Forbidden: the role has no API keys.
        InsufficientScope: the caller is a key that can only read.
    """
    _require_keys(caller)
    if caller.auth == "api_key" and all(scope.endswith(":read") for scope in caller.scopes):
        raise problems.InsufficientScope("This API key can only read.")


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
    if data.permission == "read_write":
        return []
    return [
        Issue(f"/scopes/{index}", "not_allowed", "A key with the permission read can have only scopes ending in :read.")
        for index, scope in enumerate(data.scopes or ())
        if not scope.endswith(":read")
    ]


def _expiry_issues(data: ApiKeyCreate) -> list[Issue]:
    now = clock.now()
    if data.expires_at is None or now < data.expires_at <= now + EXPIRES_WITHIN:
        return []
    return [Issue("/expiresAt", "out_of_range", "Enter an instant in the future, at most ten years ahead.")]


async def _profile_issues(db: Db, caller: Caller, data: ApiKeyCreate) -> list[Issue]:
    if not data.profile_ids:
        return []
    existing = await queries.existing_profiles(db, caller, data.profile_ids)
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
            message = "Enter a valid IP address or network. Example: 203.0.113.0/24."
            issues.append(Issue(f"/ipAllowList/{index}", "format", message))
    return list(networks), issues


async def _inherit(db: Db, caller: Caller, key_id: UUID, terms: KeyTerms) -> None:
    """Give the new key the limits of the key that creates it, where it has none of its own; refuse wider ones."""
    creator = await queries.find_my_key(db, caller, key_id)
    if creator is not None and creator.expires_at is not None:
        if terms.expires_at is not None and terms.expires_at > creator.expires_at:
            raise problems.InsufficientScope("A key cannot create a key that outlives it.")
        terms.expires_at = terms.expires_at or creator.expires_at
    if caller.ip_allow_list:
        networks = terms.ip_allow_list or caller.ip_allow_list
        if not all(_is_within(network, caller.ip_allow_list) for network in networks):
            raise problems.InsufficientScope("A key cannot create a key for addresses from which it may not be used.")
        terms.ip_allow_list = [*networks]


def _is_within(text: str, allowed: Sequence[str]) -> bool:
    network = ipaddress.ip_network(text)
    return any(network[0] in other and network[-1] in other for other in map(ipaddress.ip_network, allowed))


_REVOKE = """
update api_key set revoked_at = coalesce(revoked_at, $3) where id = $1 and workspace_id = $2 returning revoked_at
"""


async def revoke_api_key(context: AppContext, db: Db, caller: Caller, row: ApiKeyRow) -> ApiKeyRevocation:
    """Revoke a key at once; repeating it changes nothing. Any key may revoke itself.

    Raises:
        Forbidden: the role has no keys.
        InsufficientScope: a key tries to revoke one that may do more than itself.
    """
    if caller.key_id != row.id:
        _require_key_management(caller)
        if caller.key_id is not None and not _covers(caller, row):
            raise problems.InsufficientScope("This API key cannot revoke a key that may do more than itself.")
    revoked_at = await db.fetchval(_REVOKE, row.id, caller.workspace_id, clock.now())
    context.state(CallerCache).invalidate(row.id)
    return ApiKeyRevocation(id=ids.encode("key", row.id), status="revoked", revoked_at=clock.wire(revoked_at))


def _covers(caller: Caller, row: ApiKeyRow) -> bool:
    """Whether the caller may do all that the key may do."""
    profiles = caller.profile_ids
    return (
        caller.scopes.issuperset(row.scopes)
        and (caller.mode == "live" or row.mode == "test")
        and (profiles is None or (row.profile_ids is not None and profiles.issuperset(row.profile_ids)))
    )
