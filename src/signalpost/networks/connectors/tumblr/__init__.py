"""Tumblr, API v2: posts in the Neue Post Format, with their files in the same call, on one of a person's blogs.

Tumblr knows no idempotency keys, and has been seen to publish a post and then answer 504 (tumblr/docs #128): after a
lost answer the posts of the blog are looked through (decision 0418). A grant posts to all blogs of its person; each is
an account of its own.
"""

from signalpost.networks.connectors.tumblr.account import check, destinations, exchange
from signalpost.networks.connectors.tumblr.calls import OAUTH, explain, refresh
from signalpost.networks.connectors.tumblr.facts import FACTS
from signalpost.networks.connectors.tumblr.numbers import metrics
from signalpost.networks.connectors.tumblr.publish import delete, poll, publish, reconcile
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
    check=check,
    refresh=refresh,
    delete=delete,
    metrics=metrics,
)
