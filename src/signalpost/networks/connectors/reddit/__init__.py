"""Reddit: text, links, pictures, galleries and videos in a subreddit or on the account's own profile.

What a subreddit takes is read before each post, so that its refusal comes with a reason and before files are sent
(decision 0397). Reddit knows no idempotency keys; after a lost answer the account's own posts are looked through, and
so they are for pictures and videos, which it makes public after it has answered (decision 0398).
"""

from signalpost.networks.connectors.reddit.account import check, choices, exchange, revoke
from signalpost.networks.connectors.reddit.calls import OAUTH, explain, refresh
from signalpost.networks.connectors.reddit.facts import FACTS, preflight
from signalpost.networks.connectors.reddit.numbers import metrics
from signalpost.networks.connectors.reddit.publish import delete, poll, publish, reconcile
from signalpost.networks.contract import Connector, OAuth

__all__ = ["CONNECTOR", "FACTS"]

CONNECTOR = Connector(
    facts=FACTS,
    oauth=OAuth(facts=OAUTH, exchange=exchange),
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
