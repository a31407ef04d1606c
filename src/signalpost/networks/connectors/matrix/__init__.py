"""Matrix: a room at any homeserver, by the access token of a user who is in it.

Every event has a transaction id and a key in its content, both made of the post, so that a repeat makes no second one
and a look at the room finds the first (decision 0400). Rooms with encryption are refused (decision 0399).
"""

from signalpost.networks.connectors.matrix.account import check, connect
from signalpost.networks.connectors.matrix.calls import explain
from signalpost.networks.connectors.matrix.facts import FACTS
from signalpost.networks.connectors.matrix.publish import delete, publish, reconcile
from signalpost.networks.connectors.matrix.rules import preflight
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
