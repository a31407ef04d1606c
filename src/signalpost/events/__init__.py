"""The vocabulary of events: facts about a workspace, told inside the transaction of the change."""

from signalpost.events.actor import Actor
from signalpost.events.vocabulary import *  # noqa: F403 - the vocabulary is this package's content
from signalpost.events.vocabulary import __all__ as _names

__all__ = ["Actor", *_names]  # noqa: PLE0604 - names of the vocabulary
