"""Threads: posts, carousels and chains of replies.

A post is a container first, which can be published once. So a lost response is always found out about, and nothing is
published twice.
"""

from signalpost.networks.connectors.threads.account import OAUTH_FACTS, check, exchange, refresh
from signalpost.networks.connectors.threads.comments import comments, hide_comment, reply
from signalpost.networks.connectors.threads.facts import FACTS, preflight
from signalpost.networks.connectors.threads.publish import delete, explain, metrics, poll, publish, reconcile
from signalpost.networks.connectors.threads.push import PUSH
from signalpost.networks.contract import Connector, OAuth

__all__ = ["CONNECTOR", "FACTS"]

CONNECTOR = Connector(
    facts=FACTS,
    oauth=OAuth(facts=OAUTH_FACTS, exchange=exchange),
    publish=publish,
    explain=explain,
    reconcile=reconcile,
    poll=poll,
    check=check,
    refresh=refresh,
    delete=delete,
    comments=comments,
    reply=reply,
    hide_comment=hide_comment,
    push=PUSH,
    metrics=metrics,
    preflight=preflight,
)
