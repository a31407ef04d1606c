"""What integrators say of several networks: they see every day what those accept. For the sources of facts."""

from typing import Final

from signalpost.networks.contract.sources import production

READ_ON: Final = "2026-11-27"
AYRSHARE: Final = production("https://www.ayrshare.com/docs/media-guidelines", READ_ON)
AYRSHARE_TEXTS: Final = production(
    "https://www.ayrshare.com/docs/help-center/technical-support/character_limits", "2026-11-29"
)
BLOTATO: Final = production("https://help.blotato.com/api/publish-post/media", READ_ON)
HIGHLEVEL: Final = production("https://marketplace.gohighlevel.com/docs/ghl/social-planner/comments", "2026-11-30")
JETPACK: Final = production("https://github.com/Automattic/jetpack/pull/47576", "2026-03-13")
ORSHOT: Final = production("https://orshot.com/docs/publish/social-posting-guidelines", READ_ON)
POSTPLANIFY: Final = production(
    "https://glama.ai/mcp/connectors/com.postplanify.api/post-planify/tools/reply_to_comment", "2026-11-30"
)
TRYPOST: Final = production("https://github.com/trypostit/trypost/pull/353", "2026-09-12")
ZERNIO: Final = production("zernio-sdk 1.4.1385", READ_ON)
