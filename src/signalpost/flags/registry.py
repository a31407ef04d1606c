"""Every flag of this version. A flag is declared here and nowhere else; what is stored is only how staff changed it."""

from typing import Final

from msgspec import Struct


class Flag(Struct, frozen=True, kw_only=True):
    """A switch. `default`: whether it is on while nobody changed it. `public`: clients may ask for its value."""

    key: str
    name: str
    description: str
    default: bool
    public: bool = False


STANDARD_WEBHOOK_HEADERS: Final = Flag(
    key="webhooks.standard_headers",
    name="Standard Webhooks headers",
    description="Deliveries carry the headers webhook-id, webhook-timestamp and webhook-signature besides our own.",
    default=True,
)
CAPTION_MODEL: Final = Flag(
    key="captions.model",
    name="Captions by a language model",
    description="Captions may be written by the operator's language model; when off, the rules write all of them.",
    default=True,
)
CONSOLE_BETA: Final = Flag(
    key="console.beta",
    name="Console: new pages first",
    description="A console shows pages that are still being tried out. It asks for the flag with GET /feature-flags.",
    default=False,
    public=True,
)

FLAGS: Final = {flag.key: flag for flag in (STANDARD_WEBHOOK_HEADERS, CAPTION_MODEL, CONSOLE_BETA)}
