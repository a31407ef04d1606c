"""TikTok: videos by upload and photos by address, published at once or put into the creator's inbox.

What starts a post returns a publish id, which tells what became of it. Only photos can lose theirs: the same call that
returns it publishes them. Then the account's public posts are looked through, and nothing is sent again.
"""

from signalpost.networks.connectors.tiktok.account import check, choices, exchange, metrics, revoke
from signalpost.networks.connectors.tiktok.calls import OAUTH, explain, refresh
from signalpost.networks.connectors.tiktok.facts import FACTS, preflight
from signalpost.networks.connectors.tiktok.publish import poll, publish, reconcile
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
    metrics=metrics,
    preflight=preflight,
)
