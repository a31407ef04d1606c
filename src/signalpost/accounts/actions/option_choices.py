"""What an account can choose now for the options of its network: boards, playlists, who may see a post."""

import asyncio
from collections.abc import Sequence
from typing import Final

from signalpost import networks
from signalpost.accounts import token_store
from signalpost.accounts.actions.connect_request import no_response_problem
from signalpost.accounts.errors import PlatformError, PlatformTimeout
from signalpost.accounts.platform_schemas import ChoicesQuery, OptionChoice, OptionChoices
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.secrets import NoCredentials
from signalpost.context import AppContext
from signalpost.kit import problems
from signalpost.kit.http import HttpFailure
from signalpost.kit.problems import InvalidState
from signalpost.networks.contract import ApiError, Connector, NeedsReconnect, Refused
from signalpost.networks.results import CHOICES_MAX

ASK_SECONDS_MAX: Final = 20.0


async def list_choices(context: AppContext, account: AccountRow, query: ChoicesQuery) -> list[OptionChoices]:
    """Ask the network, with no transaction open; none where no option depends on the account.

    Raises:
        ValidationFailed: the network has no such option, or the value is missing that it depends on.
        InvalidState: the account has to be connected again, or the network refuses to tell.
        PlatformError, PlatformTimeout: the network gave no usable response.
    """
    connector = networks.get(account.platform)
    if connector is None:
        raise InvalidState("This installation does not have the network of this account.")
    requested = _requested(connector, query)
    if not requested or connector.choices is None:
        return []
    name = connector.facts.name
    try:
        session = await token_store.open_session(context, account)
        async with asyncio.timeout(ASK_SECONDS_MAX):
            listed = await connector.choices(session, requested, query.of)
    except NoCredentials as error:
        raise InvalidState(f"{error}. Connect the account again.") from None
    except ApiError as error:
        raise refused(connector, error) from None
    except HttpFailure as failure:
        raise no_response_problem(connector, failure, chosen=False) from None
    except TimeoutError:
        raise PlatformTimeout(f"{name} did not respond in time.", platform={"slug": account.platform}) from None
    return [
        OptionChoices(
            option=option,
            choices=[
                OptionChoice(value=choice.value, label=choice.label, reason=choice.reason)
                for choice in [*listed.get(option, ())][:CHOICES_MAX]
            ],
        )
        for option in requested
    ]


def _requested(connector: Connector, query: ChoicesQuery) -> Sequence[str]:
    live = {key: option for key, option in connector.facts.options.items() if option.live}
    if query.option is None:
        return [key for key, option in live.items() if option.depends_on is None]
    if query.option not in live:
        message = f"{connector.facts.name} has no option of this name whose values depend on the account."
        raise problems.invalid("option", "not_allowed", message)
    depends_on = live[query.option].depends_on
    if depends_on is not None and query.of is None:
        raise problems.invalid("of", "required", f"Send the value of {depends_on}, on which {query.option} depends.")
    return [query.option]


def refused(connector: Connector, error: ApiError) -> problems.Problem:
    """Return the problem for an error response of a platform to a request that creates nothing."""
    outcome, name = connector.explain(error), connector.facts.name
    platform = {"slug": connector.facts.key, "status": error.response.status}
    if isinstance(outcome, NeedsReconnect):
        return InvalidState(f"{name} refuses: {outcome.message}. Connect the account again.", platform=platform)
    if isinstance(outcome, Refused):
        return InvalidState(f"{name} refuses: {outcome.message}", platform=platform)
    return PlatformError(f"{name} answered with status {error.response.status}.", platform=platform)
