"""DEV (dev.to): articles in Markdown, by the API key of a person.

DEV takes the same text under the same title from one person once, and lists what the person wrote with its text. So an
article whose answer was lost is found again, and cannot be there twice (decision 0417).
"""

from signalpost.networks.connectors.devto.account import check, connect
from signalpost.networks.connectors.devto.calls import explain
from signalpost.networks.connectors.devto.facts import FACTS, preflight
from signalpost.networks.connectors.devto.numbers import metrics
from signalpost.networks.connectors.devto.publish import delete, publish, reconcile
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
    metrics=metrics,
    preflight=preflight,
)
