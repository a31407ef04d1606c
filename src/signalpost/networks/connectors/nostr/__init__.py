"""Nostr: an account is a private key; its notes go to several relays over WebSockets, its files to a Blossom server.

A note has an id that is made of its content and time, so a repeat makes no second one (decision 0401).
"""

from signalpost.networks.connectors.nostr.account import check, connect
from signalpost.networks.connectors.nostr.facts import FACTS
from signalpost.networks.connectors.nostr.publish import delete, publish, reconcile
from signalpost.networks.connectors.nostr.relays import explain
from signalpost.networks.connectors.nostr.rules import preflight
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
