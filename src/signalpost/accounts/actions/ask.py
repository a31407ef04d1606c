"""A question to the network of an account, which changes nothing there."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from signalpost.accounts import token_store
from signalpost.accounts.actions.connect_request import no_response_problem
from signalpost.accounts.errors import PlatformError, PlatformTimeout
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.secrets import NoCredentials
from signalpost.context import AppContext
from signalpost.kit import problems
from signalpost.kit.http import HttpFailure
from signalpost.kit.problems import InvalidState
from signalpost.networks.contract import ApiError, Connector, NeedsReconnect, NetworkSession, Refused

ASK_SECONDS_MAX: Final = 20.0
T = TypeVar("T")


async def ask(
    context: AppContext,
    account: AccountRow,
    connector: Connector,
    question: Callable[[NetworkSession], Awaitable[T]],
    seconds_max: float = ASK_SECONDS_MAX,
) -> T:
    """Ask the network, with no transaction open.

    Raises:
        InvalidState: the account has to be connected again, or the network refuses to tell.
        PlatformError, PlatformTimeout: the network gave no usable response.
    """
    try:
        session = await token_store.open_session(context, account)
        async with asyncio.timeout(seconds_max):
            return await question(session)
    except NoCredentials as error:
        raise InvalidState(f"{error}. Connect the account again.") from None
    except ApiError as error:
        raise refused(connector, error) from None
    except HttpFailure as failure:
        raise no_response_problem(connector, failure, chosen=False) from None
    except TimeoutError:
        name = connector.facts.name
        raise PlatformTimeout(f"{name} did not respond in time.", platform={"slug": account.platform}) from None


def refused(connector: Connector, error: ApiError) -> problems.Problem:
    """Return the problem for an error response of a platform to a request that creates nothing."""
    outcome, name = connector.explain(error), connector.facts.name
    platform = {"slug": connector.facts.key, "status": error.response.status}
    if isinstance(outcome, NeedsReconnect):
        return InvalidState(f"{name} refuses: {outcome.message}. Connect the account again.", platform=platform)
    if isinstance(outcome, Refused):
        return InvalidState(f"{name} refuses: {outcome.message}", platform=platform)
    return PlatformError(f"{name} answered with status {error.response.status}.", platform=platform)
