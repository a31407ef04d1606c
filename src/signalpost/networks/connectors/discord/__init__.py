"""Discord: a channel, by a webhook that someone pastes or by a bot that was added to its server.

A bot's message has a nonce, by which Discord recognises a repeat for a few minutes, and a bot can look for its
messages. Nobody can do that by a webhook: after an answer was lost, a person has to look.
"""

from signalpost.networks.connectors.discord.account import check, connect
from signalpost.networks.connectors.discord.calls import explain
from signalpost.networks.connectors.discord.facts import FACTS
from signalpost.networks.connectors.discord.numbers import metrics
from signalpost.networks.connectors.discord.publish import delete, poll, publish, reconcile
from signalpost.networks.connectors.discord.rules import preflight
from signalpost.networks.contract import Connector

__all__ = ["CONNECTOR", "FACTS"]

CONNECTOR = Connector(
    facts=FACTS,
    connect=connect,
    publish=publish,
    explain=explain,
    reconcile=reconcile,
    poll=poll,
    check=check,
    delete=delete,
    metrics=metrics,
    preflight=preflight,
)
