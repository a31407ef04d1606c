"""Ghost: every account is a site, by the Admin API key of an integration there.

A post is made as a draft whose slug is its key, and the call that publishes it gives it its address. So nothing can be
published or mailed twice: a draft is found by its key, and Ghost mails a post when it stops being a draft (decisions
0393 and 0394).
"""

from signalpost.networks.connectors.ghost.account import check, connect
from signalpost.networks.connectors.ghost.calls import explain
from signalpost.networks.connectors.ghost.comments import comments, delete_comment, hide_comment
from signalpost.networks.connectors.ghost.facts import FACTS, preflight
from signalpost.networks.connectors.ghost.publish import delete, publish, reconcile
from signalpost.networks.contract import Connector

__all__ = ["CONNECTOR", "FACTS"]

CONNECTOR = Connector(
    facts=FACTS,
    connect=connect,
    publish=publish,
    explain=explain,
    reconcile=reconcile,
    check=check,
    delete=delete,
    comments=comments,
    hide_comment=hide_comment,
    delete_comment=delete_comment,
    preflight=preflight,
)
