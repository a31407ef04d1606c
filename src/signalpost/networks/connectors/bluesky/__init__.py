"""Bluesky: every post is a record whose key the sender chooses, so a lost response is resolved by reading the key back.

The sender marks links, mentions and tags by byte offsets and makes the link card. Threads are chains of replies.
"""

from signalpost.networks.connectors.bluesky import oauth
from signalpost.networks.connectors.bluesky.account import check, connect, exchange, revoke
from signalpost.networks.connectors.bluesky.calls import explain, refresh
from signalpost.networks.connectors.bluesky.comments import comments, reply
from signalpost.networks.connectors.bluesky.facts import FACTS, preflight
from signalpost.networks.connectors.bluesky.people import people
from signalpost.networks.connectors.bluesky.publish import delete, publish, reconcile
from signalpost.networks.contract import Connector, OAuth, PushedFlow

__all__ = ["CONNECTOR", "FACTS"]

CONNECTOR = Connector(
    facts=FACTS,
    connect=connect,
    oauth=OAuth(
        facts=oauth.OAUTH_FACTS,
        exchange=exchange,
        pushed=PushedFlow(client=oauth.client, describe=oauth.describe, push=oauth.push),
    ),
    publish=publish,
    explain=explain,
    reconcile=reconcile,
    people=people,
    check=check,
    refresh=refresh,
    revoke=revoke,
    delete=delete,
    comments=comments,
    reply=reply,
    preflight=preflight,
)
