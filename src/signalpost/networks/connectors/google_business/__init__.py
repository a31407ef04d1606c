"""Google Business Profile: updates, events and offers of a location, with a button and a photo.

Google fetches the photo from this service and reviews each post, which is followed until it is live or rejected. No
key recognises a repeated call: after a lost response the posts of the location are searched.
"""

from signalpost.networks.connectors.google_business.account import check, destinations, exchange
from signalpost.networks.connectors.google_business.calls import OAUTH, explain, refresh, revoke
from signalpost.networks.connectors.google_business.facts import FACTS
from signalpost.networks.connectors.google_business.publish import delete, poll, publish, reconcile
from signalpost.networks.connectors.google_business.rules import preflight
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
    revoke=revoke,
    delete=delete,
    preflight=preflight,
)
