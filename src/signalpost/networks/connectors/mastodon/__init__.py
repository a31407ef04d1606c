"""Mastodon and compatible servers: every account brings its own server, and each server publishes its own limits.

Mastodon recognises a repeated idempotency key for an hour, so sending again is safe for that long. After that, and on
servers that may not know keys, the account's own posts are searched before anything is sent a second time.
"""

from signalpost.networks.connectors.mastodon.account import OAUTH_FACTS, check, connect, exchange, register, revoke
from signalpost.networks.connectors.mastodon.calls import explain
from signalpost.networks.connectors.mastodon.comments import comments, reply
from signalpost.networks.connectors.mastodon.facts import FACTS, preflight
from signalpost.networks.connectors.mastodon.numbers import metrics
from signalpost.networks.connectors.mastodon.people import people
from signalpost.networks.connectors.mastodon.publish import delete, poll, publish, reconcile
from signalpost.networks.contract import Connector, OAuth

__all__ = ["CONNECTOR", "FACTS"]

CONNECTOR = Connector(
    facts=FACTS,
    connect=connect,
    oauth=OAuth(facts=OAUTH_FACTS, register=register, exchange=exchange, own_server=True),
    publish=publish,
    explain=explain,
    reconcile=reconcile,
    poll=poll,
    people=people,
    check=check,
    revoke=revoke,
    delete=delete,
    comments=comments,
    reply=reply,
    metrics=metrics,
    preflight=preflight,
)
