"""Instagram: professional accounts, by Instagram Login or through the Facebook Page that they belong to.

A post is a container first, which Instagram fills by downloading the files, and which can be published once. So a lost
response is always found out about, and nothing is published twice.
"""

from signalpost.networks.connectors.instagram.account import (
    FACEBOOK_FACTS,
    OAUTH_FACTS,
    check,
    choices,
    destinations,
    exchange,
    refresh,
    revoke,
)
from signalpost.networks.connectors.instagram.comments import comments, delete_comment, hide_comment, reply
from signalpost.networks.connectors.instagram.facts import FACTS, preflight
from signalpost.networks.connectors.instagram.publish import delete, explain, metrics, poll, publish, reconcile
from signalpost.networks.connectors.instagram.push import PUSH
from signalpost.networks.contract import Connector, OAuth

__all__ = ["CONNECTOR", "FACTS"]

CONNECTOR = Connector(
    facts=FACTS,
    oauth=OAuth(facts=OAUTH_FACTS, alternatives=(FACEBOOK_FACTS,), exchange=exchange),
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
    comments=comments,
    reply=reply,
    hide_comment=hide_comment,
    delete_comment=delete_comment,
    push=PUSH,
    metrics=metrics,
    preflight=preflight,
)
