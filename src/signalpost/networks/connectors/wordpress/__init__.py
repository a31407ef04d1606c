"""WordPress: every account brings its own site, by an application password of a user there.

A post carries a key in the comment of its first block, where nobody sees it and no plugin is needed; after a lost
answer the user's own posts are searched for it (decision 0392).
"""

from signalpost.networks.connectors.wordpress.account import check, connect, revoke
from signalpost.networks.connectors.wordpress.calls import explain
from signalpost.networks.connectors.wordpress.comments import comments, delete_comment, hide_comment, reply
from signalpost.networks.connectors.wordpress.facts import FACTS, preflight
from signalpost.networks.connectors.wordpress.publish import delete, publish, reconcile
from signalpost.networks.contract import Connector

__all__ = ["CONNECTOR", "FACTS"]

CONNECTOR = Connector(
    facts=FACTS,
    connect=connect,
    publish=publish,
    explain=explain,
    reconcile=reconcile,
    check=check,
    revoke=revoke,
    delete=delete,
    comments=comments,
    reply=reply,
    hide_comment=hide_comment,
    delete_comment=delete_comment,
    preflight=preflight,
)
