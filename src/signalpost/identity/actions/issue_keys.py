"""API keys: issue and revoke. A key issues only what it could do itself, and revokes only that."""

import ipaddress
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal, TypedDict
from uuid import UUID

import msgspec
from typing_extensions import Unpack

from signalpost.context import AppContext
from signalpost.identity import queries, roles
from signalpost.identity.authenticate import secret_hmacs
from signalpost.identity.caller_cache import CallerCache
from signalpost.identity.queries import KeyRow
from signalpost.identity.schemas import ApiKeyRevocation, CreateApiKey, NewApiKey
from signalpost.kit import clock, crypto, ids, problems
from signalpost.kit.crypto import KeyRing
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.settings import BRAND_KEY
from signalpost.web.caller import Caller

_NEW_KEY = """
with made as (
    insert into api_key (id, workspace_id, key_id, secret_hmac, name, mode, permission, scopes, profile_ids,
        ip_allow_list, expires_at, created_by, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
    returning id, key_id, name, mode, permission, scopes, profile_ids, ip_allow_list, expires_at, last_used_at,
        last_used_ip, created_by, created_at, revoked_at
)
select made.id, key_id, made.name, mode, permission, scopes, profile_ids, ip_allow_list, expires_at, last_used_at,
    last_used_ip, created_by, coalesce(u.name, u.email), made.created_at, revoked_at
from made join app_user u on u.id = made.created_by
"""


class Terms(TypedDict, total=False):
    """What a key may do. Left out: live, read and write, all that an owner has, everywhere, for good."""

    mode: Literal["live", "test"]
    permission: Literal["read", "read_write"]
    scopes: Sequence[str] | None
    profile_ids: Sequence[UUID] | None
    ip_allow_list: Sequence[str] | None
    expires_at: datetime | None


async def create_key_for(
    db: Db, keys: KeyRing, *, workspace_id: UUID, user_id: UUID, name: str, **terms: Unpack[Terms]
) -> tuple[KeyRow, str]:
    """Write a key of this user and return it with its plain text, which is not kept anywhere.

    Who may issue what is decided before: by `issue` for the API, by the operator for the command line. Whatever the
    terms say, a key never has more than its issuer's role at the time of use.
    """
    mode, permission = terms.get("mode", "live"), terms.get("permission", "read_write")
    parts = crypto.new_api_key(f"{BRAND_KEY}_{mode}")
    scopes = terms.get("scopes")
    granted = roles.restrict(roles.SCOPES_OF["owner"] if scopes is None else frozenset(scopes), permission)
    now = clock.now()
    row = await db.fetchrow(
        _NEW_KEY,
        ids.new_id(),
        workspace_id,
        parts.key_id,
        secret_hmacs(keys, parts.secret)[0],
        name,
        mode,
        permission,
        sorted(granted),
        terms.get("profile_ids"),
        terms.get("ip_allow_list"),
        terms.get("expires_at"),
        user_id,
        now,
    )
    return KeyRow(*row or ()), parts.text


EXPIRES_WITHIN = timedelta(days=3650)


async def issue(context: AppContext, db: Db, caller: Caller, wish: CreateApiKey) -> NewApiKey:
    """Make a key for the caller.

    Raises:
        Forbidden, InsufficientScope: the caller may not have keys, or not this one.
        ValidationFailed: unknown profiles, an expiry in the past, networks that are none.
        PlanLimitReached: the plan does not cover another key.
    """
    check_may_manage(caller)
    terms = _terms(caller, wish)
    issues = [*_scope_issues(wish), *_expiry_issues(wish), *await _profile_issues(db, caller, terms)]
    networks, network_issues = _networks(wish.ip_allow_list)
    if issues or network_issues:
        raise problems.ValidationFailed(errors=[*issues, *network_issues])
    terms["ip_allow_list"] = networks
    if caller.key_id is not None:
        await _hold_to_issuer(db, caller, caller.key_id, terms)
    row, key = await create_key_for(
        db, context.keys, workspace_id=caller.workspace_id, user_id=caller.user_id, name=wish.name, **terms
    )
    await context.hooks.require_api_key_capacity(db, caller.workspace_id, caller.plan)
    return NewApiKey(**msgspec.structs.asdict(row.shown()), key=key)


def check_may_manage(caller: Caller) -> None:
    """Refuse who may not have keys.

    Raises:
        Forbidden: the role has no API keys.
        InsufficientScope: a key that only reads.
    """
    if not roles.may_have_api_keys(caller.role):
        raise problems.Forbidden(f"The role {caller.role} has no API keys.")
    if caller.auth == "api_key" and all(scope.endswith(":read") for scope in caller.scopes):
        raise problems.InsufficientScope("This API key only reads.")


def _terms(caller: Caller, wish: CreateApiKey) -> Terms:
    wanted = frozenset(wish.scopes or ())
    if missing := sorted(wanted - caller.scopes):
        if caller.auth == "api_key":
            raise problems.InsufficientScope(f"This API key cannot give {missing[0]}, which it does not have.")
        raise problems.Forbidden(f"The role {caller.role} does not include {missing[0]}.")
    if caller.mode == "test" and wish.mode == "live":
        raise problems.InsufficientScope("A test key issues test keys only.")
    profile_ids: list[UUID] | None = None
    if wish.profile_ids is not None:
        profile_ids = [ids.decode("prof", text) or UUID(int=0) for text in dict.fromkeys(wish.profile_ids)]
    elif caller.auth == "api_key":
        profile_ids = caller.sees_profiles
    return Terms(
        mode=wish.mode,
        permission=wish.permission,
        scopes=sorted(wanted or caller.scopes - {"instance:admin"}),
        profile_ids=profile_ids,
        expires_at=wish.expires_at,
    )


def _scope_issues(wish: CreateApiKey) -> list[Issue]:
    if wish.permission == "read_write":
        return []
    return [
        Issue(f"/scopes/{index}", "not_allowed", "A key with permission read has only scopes that end with :read.")
        for index, scope in enumerate(wish.scopes or ())
        if not scope.endswith(":read")
    ]


def _expiry_issues(wish: CreateApiKey) -> list[Issue]:
    now = clock.now()
    if wish.expires_at is None or now < wish.expires_at <= now + EXPIRES_WITHIN:
        return []
    return [Issue("/expiresAt", "out_of_range", "expiresAt is in the future, within ten years.")]


async def _profile_issues(db: Db, caller: Caller, terms: Terms) -> list[Issue]:
    wanted = terms.get("profile_ids")
    if not wanted:
        return []
    known = await queries.existing_profiles(db, caller, wanted)
    return [
        Issue(f"/profileIds/{index}", "not_found", "There is no such profile here.")
        for index, profile_id in enumerate(wanted)
        if profile_id not in known
    ]


def _networks(texts: Sequence[str] | None) -> tuple[list[str] | None, list[Issue]]:
    if not texts:
        return None, []
    found: dict[str, None] = {}
    issues = []
    for index, text in enumerate(texts):
        try:
            found[str(ipaddress.ip_network(text.strip(), strict=False))] = None
        except ValueError:
            issues.append(Issue(f"/ipAllowList/{index}", "format", "An address or a network such as 203.0.113.0/24."))
    return list(found), issues


async def _hold_to_issuer(db: Db, caller: Caller, key_id: UUID, terms: Terms) -> None:
    """Give the new key the limits of the key that issues it, where it names none; refuse wider ones."""
    issuer = await queries.find_my_key(db, caller, key_id)
    ends = issuer.expires_at if issuer else None
    wished = terms.get("expires_at")
    if ends is not None and wished is not None and wished > ends:
        raise problems.InsufficientScope("A key cannot issue one that outlives it.")
    terms["expires_at"] = wished or ends
    if caller.ip_allow_list:
        networks = terms.get("ip_allow_list") or caller.ip_allow_list
        if not all(_inside(network, caller.ip_allow_list) for network in networks):
            raise problems.InsufficientScope("A key cannot issue one for addresses it is not for itself.")
        terms["ip_allow_list"] = list(networks)


def _inside(text: str, allowed: Sequence[str]) -> bool:
    network = ipaddress.ip_network(text)
    return any(network[0] in other and network[-1] in other for other in map(ipaddress.ip_network, allowed))


_REVOKE = """
update api_key set revoked_at = coalesce(revoked_at, $3) where id = $1 and workspace_id = $2 returning revoked_at
"""


async def revoke(context: AppContext, db: Db, caller: Caller, row: KeyRow) -> ApiKeyRevocation:
    """End a key at once; repeating it changes nothing. Any key may end itself.

    Raises:
        Forbidden: the role has no keys.
        InsufficientScope: a key tries to end one that may do more than itself.
    """
    if caller.key_id != row.id:
        check_may_manage(caller)
        if caller.key_id is not None and not _covers(caller, row):
            raise problems.InsufficientScope("This API key cannot revoke one that may do more than itself.")
    revoked_at = await db.fetchval(_REVOKE, row.id, caller.workspace_id, clock.now())
    context.state(CallerCache).invalidate(row.id)
    return ApiKeyRevocation(ids.encode("key", row.id), "revoked", clock.wire(revoked_at))


def _covers(caller: Caller, row: KeyRow) -> bool:
    profiles = caller.profile_ids
    return (
        caller.scopes.issuperset(row.scopes)
        and (caller.mode == "live" or row.mode == "test")
        and (profiles is None or (row.profile_ids is not None and profiles.issuperset(row.profile_ids)))
    )
