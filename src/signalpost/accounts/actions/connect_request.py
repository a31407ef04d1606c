"""What connecting by form and connecting by authorization have in common."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, Self
from uuid import UUID

from msgspec import Struct

from signalpost.accounts import queries
from signalpost.accounts.errors import PlatformError, PlatformTimeout
from signalpost.accounts.schemas import Via
from signalpost.kit import problems
from signalpost.kit.db import Db
from signalpost.kit.http import HttpFailure, MaybeSent, NotSent, UnknownHost, UnsafeUrl
from signalpost.kit.problems import Issue
from signalpost.networks.contract import (
    ApiError,
    BadCredentials,
    Connector,
    IdentityUnknown,
    InvalidField,
    NeedsReconnect,
    OutcomeUnknown,
    Refused,
    TryLater,
)
from signalpost.profiles import queries as profiles
from signalpost.web.caller import Caller, Role
from signalpost.web.fields import AccountId, ProfileId


class ConnectRequest(Struct, frozen=True, kw_only=True):
    """Who connects what, to which profile, and how."""

    workspace_id: UUID
    profile_id: UUID
    platform: str
    via: Via
    mode: Literal["live", "test"]
    role: Role
    """Of whoever began."""
    account_id: UUID | None = None
    """Set when this very account is to be connected again."""

    @classmethod
    def of(cls, caller: Caller, connector: Connector, *, profile_id: UUID, account_id: UUID | None) -> Self:
        """Return the request of a caller; `find_unknown_ids` checks its ids."""
        return cls(
            workspace_id=caller.workspace_id,
            profile_id=profile_id,
            platform=connector.facts.key,
            via=_via(caller, connector),
            mode=caller.mode,
            role=caller.role,
            account_id=account_id,
        )


def _via(caller: Caller, connector: Connector) -> Via:
    if connector.facts.key == "sandbox":
        return "sandbox"
    return "api" if caller.auth == "api_key" else "dashboard"


async def find_unknown_ids(
    db: Db, caller: Caller, platform: str, *, profile_id: UUID, account_id: UUID | None, pointer: str
) -> list[Issue]:
    """Return an issue for a profile that the caller does not see, and for an account that is not the profile's.

    Args:
        db: a connection.
        caller: who asks.
        platform: to connect; its canonical slug.
        profile_id: the profile to connect to.
        account_id: the account to connect again, if any.
        pointer: what the paths of the issues begin with: "/" in a body, "" in a query.
    """
    issues: list[Issue] = []
    if not await profiles.named(db, caller, [profile_id]):
        issues.append(ProfileId.not_found(f"{pointer}profileId"))
    if account_id is not None:
        row = await queries.find_mine(db, caller, account_id)
        if row is None or (row.platform, row.profile_id) != (platform, profile_id):
            issues.append(AccountId.not_found(f"{pointer}accountId"))
    return issues


@contextmanager
def network_problems(connector: Connector, *, path: str, chosen: bool) -> Iterator[None]:
    """Turn what a connector raises while an account is being connected into problems.

    Args:
        connector: of the platform.
        path: what an issue with the account or its permission is about.
        chosen: whether the caller named the server.

    Raises:
        ValidationFailed, PlatformError, PlatformTimeout, HostNotFound, UnsafeAddress: as the platform responds.
    """
    try:
        yield
    except (BadCredentials, InvalidField) as error:
        raise problems.invalid(path, "not_allowed", str(error)) from None
    except IdentityUnknown as error:
        raise PlatformError(str(error), platform={"slug": connector.facts.key}) from None
    except ApiError as error:
        raise refused_problem(connector, error) from None
    except HttpFailure as failure:
        raise no_response_problem(connector, failure, chosen=chosen) from None


def refused_problem(connector: Connector, error: ApiError) -> problems.Problem:
    """Return the problem for an error response of the platform to our attempt to connect."""
    outcome = connector.explain(error)
    platform = {"slug": connector.facts.key, "status": error.response.status}
    if isinstance(outcome, Refused | NeedsReconnect):
        return problems.ValidationFailed(
            f"{connector.facts.name} refuses: {outcome.message}",
            errors=[Issue("/fields", "not_allowed", outcome.message)],
            platform=platform,
        )
    why = f": {outcome.message}" if isinstance(outcome, TryLater | OutcomeUnknown) else "."
    return PlatformError(f"{connector.facts.name} answered with status {error.response.status}{why}", platform=platform)


def no_response_problem(connector: Connector, failure: HttpFailure, *, chosen: bool) -> problems.Problem:
    """Return the problem for a platform that gave no usable response. `chosen`: the caller named the server."""
    ours = isinstance(failure, NotSent) and failure.ours
    if isinstance(failure, UnknownHost) or (isinstance(failure, NotSent) and failure.stage == "lookup" and not ours):
        return problems.HostNotFound(
            f"The server is unknown: {failure.detail}.", platform={"slug": connector.facts.key}
        )
    if isinstance(failure, UnsafeUrl):
        return problems.UnsafeAddress(f"This server cannot be used: {failure.detail}.")
    if chosen and not ours and not isinstance(failure, MaybeSent):
        message = f"This server cannot be used: {failure.detail}."
        return problems.ValidationFailed(message, errors=[Issue("/fields", "not_allowed", message)])
    platform = {"slug": connector.facts.key}
    if isinstance(failure, MaybeSent) and failure.timed_out:
        return PlatformTimeout(f"{connector.facts.name}: {failure.detail}.", platform=platform)
    return PlatformError(f"{connector.facts.name}: {failure.detail}.", platform=platform)
