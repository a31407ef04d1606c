"""LinkedIn: posts of members and of the organizations that they administer.

There are no idempotency keys. After a lost answer the same content is sent again within ten minutes: LinkedIn refuses a
duplicate and names the first post. An organization's posts can be read back; a member's cannot.
"""

from signalpost.networks.connectors.linkedin.account import check, choices, destinations, exchange, revoke
from signalpost.networks.connectors.linkedin.calls import OAUTH, explain, refresh
from signalpost.networks.connectors.linkedin.facts import FACTS, preflight
from signalpost.networks.connectors.linkedin.metrics import metrics
from signalpost.networks.connectors.linkedin.publish import delete, poll, publish, reconcile
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
    refresh=refresh,
    revoke=revoke,
    delete=delete,
    metrics=metrics,
    preflight=preflight,
)
