"""Slack: a channel, by a webhook that someone pastes or by a bot that was added to it.

A bot's message carries a key in its metadata, and files have ids before they are shared, so a bot finds what it sent.
Nobody can do that by a webhook, which does not even say what its message is called (decision 0391).
"""

from signalpost.networks.connectors.slack.account import check, connect
from signalpost.networks.connectors.slack.calls import explain
from signalpost.networks.connectors.slack.facts import FACTS
from signalpost.networks.connectors.slack.publish import delete, poll, publish, reconcile
from signalpost.networks.connectors.slack.rules import preflight
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
    preflight=preflight,
)
