"""What an account can choose now for the options of its network: boards, playlists, who may see a post."""

from collections.abc import Sequence

from signalpost import networks
from signalpost.accounts.actions.ask import ask
from signalpost.accounts.platform_schemas import ChoicesQuery, OptionChoice, OptionChoices
from signalpost.accounts.queries import AccountRow
from signalpost.context import AppContext
from signalpost.kit import problems
from signalpost.kit.problems import InvalidState
from signalpost.networks.contract import Connector
from signalpost.networks.results import CHOICES_MAX


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
    choices = connector.choices
    listed = await ask(context, account, connector, lambda session: choices(session, requested, query.of))
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
