"""X, API v2: OAuth 2 with refresh tokens that work once, chunked media, threads as chains of replies.

X knows no idempotency keys. After a lost response the account's own posts are searched; and it refuses a text that was
posted shortly before, which after a lost response is a sign that the first call succeeded.
"""

from signalpost.networks.connectors.x.account import OAUTH, check, exchange, refresh, revoke
from signalpost.networks.connectors.x.calls import explain
from signalpost.networks.connectors.x.facts import FACTS, preflight
from signalpost.networks.connectors.x.numbers import metrics
from signalpost.networks.connectors.x.publish import delete, poll, publish, reconcile
from signalpost.networks.contract import Connector, OAuth

__all__ = ["CONNECTOR", "FACTS"]

CONNECTOR = Connector(
    facts=FACTS,
    oauth=OAuth(facts=OAUTH, exchange=exchange),
    publish=publish,
    explain=explain,
    reconcile=reconcile,
    poll=poll,
    check=check,
    refresh=refresh,
    revoke=revoke,
    delete=delete,
    metrics=metrics,
    preflight=preflight,
)
