"""What happened, in words that other rooms and webhooks understand. Knows nothing of who listens."""

from signalpost.events.emit import emit, subscribe
from signalpost.events.vocabulary import *  # noqa: F403 - the vocabulary is this room's whole content

__all__ = ["emit", "subscribe"]
