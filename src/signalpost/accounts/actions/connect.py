from collections.abc import Iterator, Mapping

from signalpost.accounts import queries, views
from signalpost.accounts.actions.connect_request import (
    ConnectRequest,
    find_unknown_ids,
    no_response_problem,
    refused_problem,
)
from signalpost.accounts.actions.upsert import upsert_account
from signalpost.accounts.errors import PlatformError, PlatformNotConfigured
from signalpost.accounts.platforms import entry_server, how_to_connect, require_connector
from signalpost.accounts.schemas import AccountConnect, PlatformAccount
from signalpost.context import AppContext
from signalpost.kit import issue_text, problems
from signalpost.kit.http import HttpFailure
from signalpost.kit.problems import Issue
from signalpost.networks.contract import (
    ApiError,
    BadCredentials,
    Connector,
    Identity,
    IdentityUnknown,
    InvalidField,
    Server,
)
from signalpost.web.caller import Caller


async def connect_account(context: AppContext, caller: Caller, platform: str, data: AccountConnect) -> PlatformAccount:
    """Sign in at the platform with the given fields, and store the account. No transaction is open meanwhile.

    Raises:
        ValidationFailed: a field is missing, unknown or refused by the platform; the profile or account is unknown.
        PlatformNotConfigured: the platform cannot be connected this way here.
        PlatformError, PlatformTimeout: the platform gave no usable response.
    """
    connector = require_connector(caller, platform)
    if connector.connect is None:
        raise PlatformNotConfigured(
            f"{connector.facts.name} is connected by authorization, not by a form.",
            remediation=how_to_connect(context, connector.facts.key),
        )
    server = entry_server(context, connector, context.http.accounts)
    issues = list(_issues(connector, data.fields, server_known=server.trusted))
    async with context.database.connection() as db:
        issues += await find_unknown_ids(
            db, caller, connector.facts.key, profile_id=data.profile_id, account_id=data.account_id, pointer="/"
        )
    if issues:
        raise problems.ValidationFailed(errors=issues)
    identity = await sign_in(connector, server, data.fields)
    request = ConnectRequest.of(caller, connector, profile_id=data.profile_id, account_id=data.account_id)
    async with context.database.transaction() as db:
        row = await upsert_account(context, db, request, identity)
        posts_today = await queries.posts_today(db, [row.id])
    return views.account(row, posts_today=posts_today.get(row.id, 0))


def _issues(connector: Connector, fields: Mapping[str, str], *, server_known: bool) -> Iterator[Issue]:
    form = {field.name: field for field in connector.facts.credential_fields}
    for name in fields.keys() - form.keys():
        path = problems.pointer("fields", name)
        yield issue_text.unknown_field(path, name, list(form))
    for name, field in form.items():
        optional = not field.required or (server_known and name == "instanceUrl")
        if not optional and not fields.get(name, "").strip():
            yield Issue(f"/fields/{name}", "required", f"This field is required: {field.label}.")


def require_complete(connector: Connector, fields: Mapping[str, str], server: Server) -> None:
    """Ensure that the form of the platform is filled in.

    Raises:
        ValidationFailed: a field is missing or unknown.
    """
    if issues := list(_issues(connector, fields, server_known=server.trusted)):
        raise problems.ValidationFailed(errors=issues)


async def sign_in(connector: Connector, server: Server, fields: Mapping[str, str]) -> Identity:
    """Sign in at the platform, with no transaction open.

    Raises:
        ValidationFailed, PlatformError, PlatformTimeout, HostNotFound, UnsafeAddress: as the platform responds.
    """
    assert connector.connect is not None  # noqa: S101 - checked by the caller
    public = [field.name for field in connector.facts.credential_fields if not field.secret]
    chosen = any(name.lower().endswith(("url", "service")) and fields.get(name) for name in public)
    try:
        return await connector.connect(server, fields)
    except InvalidField as error:
        raise problems.invalid(f"/fields/{error.name}", "format", str(error)) from None
    except BadCredentials as error:
        raise problems.invalid("/fields", "not_allowed", str(error)) from None
    except IdentityUnknown as error:
        raise PlatformError(str(error), platform={"slug": connector.facts.key}) from None
    except ApiError as error:
        raise refused_problem(connector, error) from None
    except HttpFailure as failure:
        raise no_response_problem(connector, failure, chosen=chosen) from None
