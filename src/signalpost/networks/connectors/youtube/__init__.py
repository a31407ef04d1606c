"""YouTube: videos and Shorts, by resumable uploads.

The session of an upload is its own proof: asked again, it names the video if the last part arrived, or says what is
missing. When a session is gone, the channel's newest videos are looked through.
"""

from signalpost.networks.connectors.youtube.account import check, choices, exchange, metrics
from signalpost.networks.connectors.youtube.calls import OAUTH, explain, refresh, revoke
from signalpost.networks.connectors.youtube.comments import comments, delete_comment, hide_comment, reply
from signalpost.networks.connectors.youtube.facts import FACTS, preflight
from signalpost.networks.connectors.youtube.publish import delete, poll, publish, reconcile
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
    comments=comments,
    reply=reply,
    hide_comment=hide_comment,
    delete_comment=delete_comment,
    metrics=metrics,
    preflight=preflight,
)
