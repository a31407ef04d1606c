"""Bluesky: every post is a record whose key the sender chooses, so a lost response is resolved by reading the key back.

The sender marks links, mentions and tags by byte offsets and makes the link card. Threads are chains of replies.
"""

from signalpost.networks.connectors.bluesky.account import check, connect, revoke
from signalpost.networks.connectors.bluesky.calls import explain, refresh
from signalpost.networks.connectors.bluesky.facts import FACTS, preflight
from signalpost.networks.connectors.bluesky.publish import delete, publish, reconcile
from signalpost.networks.contract import Connector

__all__ = ["CONNECTOR", "FACTS"]

CONNECTOR = Connector(
    facts=FACTS,
    connect=connect,
    publish=publish,
    explain=explain,
    reconcile=reconcile,
    check=check,
    refresh=refresh,
    revoke=revoke,
    delete=delete,
    preflight=preflight,
)
