"""Third-party servers, receivers and clients, started for a test and stopped after it.

Each helper is an async context manager; `scripts/install-test-tools` (run by `make test`) installs what they need.
"""

from tests.counterparts.bluesky import PdsAccount, ReferencePds, reference_pds
from tests.counterparts.ghost import RealGhost, real_ghost
from tests.counterparts.mastodon import MastodonMock, mastodon_mock
from tests.counterparts.nostr_relay import nostr_relay
from tests.counterparts.receivers import DebianWebhook, Delivery, OctokitReceiver, debian_webhook, octokit_receiver
from tests.counterparts.seaweedfs import S3Server, s3_server
from tests.counterparts.synapse import Synapse, synapse
from tests.counterparts.wordpress import WordPressSite, WordPressUser, wordpress_site

__all__ = [
    "DebianWebhook",
    "Delivery",
    "MastodonMock",
    "OctokitReceiver",
    "PdsAccount",
    "RealGhost",
    "ReferencePds",
    "S3Server",
    "Synapse",
    "WordPressSite",
    "WordPressUser",
    "debian_webhook",
    "mastodon_mock",
    "nostr_relay",
    "octokit_receiver",
    "real_ghost",
    "reference_pds",
    "s3_server",
    "synapse",
    "wordpress_site",
]
