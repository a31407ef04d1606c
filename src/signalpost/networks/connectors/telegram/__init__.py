"""Telegram's Bot API: an account is a channel or a group that a bot may post in.

A message has no key, a bot gets no update of its own messages, and it cannot read what a chat holds. So nobody can ask
what became of a call whose answer was lost: the outcome stays unknown until a person has looked (decision 0382).
"""

from signalpost.networks.connectors.telegram.account import check, connect
from signalpost.networks.connectors.telegram.calls import explain
from signalpost.networks.connectors.telegram.facts import FACTS, preflight
from signalpost.networks.connectors.telegram.publish import delete, publish, reconcile
from signalpost.networks.contract import Connector

__all__ = ["CONNECTOR", "FACTS"]

CONNECTOR = Connector(
    facts=FACTS,
    connect=connect,
    publish=publish,
    explain=explain,
    reconcile=reconcile,
    check=check,
    delete=delete,
    preflight=preflight,
)
