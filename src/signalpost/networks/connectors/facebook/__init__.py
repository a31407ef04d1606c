"""Facebook Pages: a person grants access once, and each of their Pages becomes an account with a token of its own.

Facebook knows no keys for repeated calls. A post is found again by its photos, its video or its text, and Facebook
itself refuses a text that equals the one before it.
"""

from signalpost.networks.connectors.facebook.account import OAUTH_FACTS, check, destinations, exchange
from signalpost.networks.connectors.facebook.comments import comments, delete_comment, hide_comment, like_comment, reply
from signalpost.networks.connectors.facebook.facts import FACTS, preflight
from signalpost.networks.connectors.facebook.publish import delete, explain, metrics, poll, publish, reconcile
from signalpost.networks.connectors.facebook.push import PUSH
from signalpost.networks.contract import Connector, OAuth
from signalpost.networks.meta.login import revoke

__all__ = ["CONNECTOR", "FACTS"]

CONNECTOR = Connector(
    facts=FACTS,
    oauth=OAuth(facts=OAUTH_FACTS, exchange=exchange),
    destinations=destinations,
    publish=publish,
    explain=explain,
    reconcile=reconcile,
    poll=poll,
    check=check,
    revoke=revoke,
    delete=delete,
    comments=comments,
    reply=reply,
    hide_comment=hide_comment,
    like_comment=like_comment,
    delete_comment=delete_comment,
    push=PUSH,
    metrics=metrics,
    preflight=preflight,
)
