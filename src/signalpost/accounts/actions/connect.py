"""Connecting by a form of credentials."""

from collections.abc import Iterator, Mapping
from uuid import UUID

from signalpost import networks
from signalpost.accounts import queries
from signalpost.accounts.actions import upsert
from signalpost.accounts.actions.upsert import ConnectRequest
from signalpost.accounts.errors import PlatformError, PlatformNotConfigured, PlatformTimeout
from signalpost.accounts.schemas import AccountConnect, PlatformAccount, Via
from signalpost.accounts.token_store import entry_server
from signalpost.context import AppContext
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.kit import ids, problems
from signalpost.kit.db import Db
from signalpost.kit.http import HttpFailure, MaybeSent, NotSent, UnsafeUrl
from signalpost.kit.problems import Issue
from signalpost.networks.contract import (
    ApiError,
    BadCredentials,
    Connector,
    Identity,
    InvalidField,
    NeedsReconnect,
    Refused,
    Server,
)
from signalpost.profiles import queries as profiles
from signalpost.web.caller import Caller


async def connect_account(context: AppContext, caller: Caller, platform: str, data: AccountConnect) -> PlatformAccount:
    """Sign in at the platform with the given fields, and store the account. No transaction is open meanwhile.

    Raises:
        ValidationFailed: a field is missing, unknown or refused by the platform; a profile or account is not known.
        PlatformNotConfigured: the platform cannot be connected this way here.
        PlatformError, PlatformTimeout: it gives no usable answer.
    """
    connector = connector_of(caller, platform)
    if connector.connect is None:
        raise PlatformNotConfigured(f"{connector.facts.name} is connected by authorization: see auth-url.")
    server = entry_server(context, connector)
    findings = list(_findings(connector, data.fields, server_known=server.trusted))
    async with context.database.connection() as db:
        request, missing = await connect_request(db, caller, connector, data.profile_id, data.account_id)
    findings += [Issue(f"/{issue.path}", issue.code, issue.message) for issue in missing]
    if findings or request is None:
        raise problems.ValidationFailed(errors=findings)
    identity = await _sign_in(connector, server, data.fields)
    async with context.database.transaction() as db:
        row = await upsert.upsert_account(db, context, request, identity)
        return (await queries.shown(db, [row]))[0]


def connector_of(caller: Caller, platform: str) -> Connector:
    """Return the connector that a path names.

    Raises:
        ValidationFailed: there is no such platform.
        TestModeOnlySandbox: a test key asks for a live platform.
        PlatformNotConfigured: there is no connector for it.
    """
    slug = networks.canonical(platform)
    if slug is None:
        raise problems.invalid("platform", "not_allowed", "There is no such platform.")
    if caller.mode == "test" and slug != "sandbox":
        raise TestModeOnlySandbox
    connector = networks.get(slug)
    if connector is None:
        raise PlatformNotConfigured(f"There is no connector for {slug} in this version.")
    return connector


async def connect_request(
    db: Db, caller: Caller, connector: Connector, profile: str, account: str | None
) -> tuple[ConnectRequest | None, list[Issue]]:
    """Find what a data to connect names; return it, or what is wrong with it by field name."""
    findings: list[Issue] = []
    profile_id = ids.decode("prof", profile)
    if profile_id is None or await profiles.find_mine(db, caller, profile_id) is None:
        findings.append(Issue("profileId", "not_found", "There is no such profile here."))
    account_id: UUID | None = None
    if account is not None:
        account_id = ids.decode("acc", account)
        row = account_id and await queries.find_mine(db, caller, account_id)
        if not row or (row.platform, row.profile_id) != (connector.facts.key, profile_id):
            findings.append(Issue("accountId", "not_found", "The profile has no such account on this platform."))
    if findings or profile_id is None:
        return None, findings
    request = ConnectRequest(
        workspace_id=caller.workspace_id,
        profile_id=profile_id,
        platform=connector.facts.key,
        via=_via(caller, connector),
        mode=caller.mode,
        account_id=account_id,
    )
    return request, []


def _via(caller: Caller, connector: Connector) -> Via:
    if connector.facts.key == "sandbox":
        return "sandbox"
    return "api" if caller.auth == "api_key" else "dashboard"


def refused(connector: Connector, error: ApiError) -> problems.Problem:
    """Return what the caller sees when a platform answered with an error while we connected."""
    outcome = connector.explain(error)
    told = {"slug": connector.facts.key, "status": error.response.status}
    if isinstance(outcome, Refused | NeedsReconnect):
        return problems.ValidationFailed(
            f"{connector.facts.name} refuses: {outcome.message}",
            errors=[Issue("/fields", "not_allowed", outcome.message)],
            platform=told,
        )
    return PlatformError(f"{connector.facts.name} answered with status {error.response.status}.", platform=told)


def lost(connector: Connector, failure: HttpFailure, *, chosen: bool) -> problems.Problem:
    """Return what the caller sees when no usable answer came. `chosen`: the caller named the server."""
    if isinstance(failure, UnsafeUrl):
        return problems.UnsafeAddress(failure.detail)
    ours = isinstance(failure, NotSent) and failure.ours
    if chosen and not ours and not isinstance(failure, MaybeSent):
        return problems.ValidationFailed(
            f"This server cannot be used: {failure.detail}.",
            errors=[Issue("/fields", "not_allowed", f"This server cannot be used: {failure.detail}.")],
        )
    told = {"slug": connector.facts.key}
    if isinstance(failure, MaybeSent) and failure.timed_out:
        return PlatformTimeout(f"{connector.facts.name}: {failure.detail}.", platform=told)
    return PlatformError(f"{connector.facts.name}: {failure.detail}.", platform=told)


async def _sign_in(connector: Connector, server: Server, fields: Mapping[str, str]) -> Identity:
    assert connector.connect is not None  # noqa: S101 - checked by the caller
    public = [field.name for field in connector.facts.credential_fields if not field.secret]
    chosen = any(name.lower().endswith(("url", "service")) and fields.get(name) for name in public)
    try:
        return await connector.connect(server, fields)
    except InvalidField as error:
        raise problems.invalid(f"/fields/{error.name}", "format", str(error)) from None
    except BadCredentials as error:
        raise problems.invalid("/fields", "not_allowed", str(error)) from None
    except ApiError as error:
        raise refused(connector, error) from None
    except HttpFailure as failure:
        raise lost(connector, failure, chosen=chosen) from None


def _findings(connector: Connector, fields: Mapping[str, str], *, server_known: bool) -> Iterator[Issue]:
    known = {field.name: field for field in connector.facts.credential_fields}
    for name in fields.keys() - known.keys():
        yield Issue(
            problems.pointer("fields", name), "unknown_field", "There is no such field here.", {"known": sorted(known)}
        )
    for name, field in known.items():
        optional = not field.required or (server_known and name == "instanceUrl")
        if not optional and not fields.get(name, "").strip():
            yield Issue(f"/fields/{name}", "required", "This field is required.")
