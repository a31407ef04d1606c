"""Pinterest, API v5: pins with images in the request, or with a video that is uploaded and converted before.

Pinterest knows no idempotency keys: after a lost response all pins of the board are searched. A grant
posts to the boards of its account; each can be connected by itself, or named in the options of a post.
"""

from signalpost.networks import oauth2
from signalpost.networks.connectors.pinterest.account import check, choices, destinations, exchange
from signalpost.networks.connectors.pinterest.calls import OAUTH, explain
from signalpost.networks.connectors.pinterest.facts import FACTS, preflight
from signalpost.networks.connectors.pinterest.numbers import metrics
from signalpost.networks.connectors.pinterest.publish import delete, poll, publish, reconcile
from signalpost.networks.contract import Connector, OAuth

__all__ = ["CONNECTOR", "FACTS"]

CONNECTOR = Connector(
    facts=FACTS,
    oauth=OAuth(facts=OAUTH, exchange=exchange),
    destinations=destinations,
    publish=publish,
    explain=explain,
    reconcile=reconcile,
    poll=poll,
    choices=choices,
    check=check,
    refresh=oauth2.refresh_by(OAUTH),
    delete=delete,
    metrics=metrics,
    preflight=preflight,
)
