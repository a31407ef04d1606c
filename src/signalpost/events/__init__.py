"""The vocabulary of events: facts about a workspace, told inside the transaction of the change."""

from signalpost.events.vocabulary import *  # noqa: F403 - the vocabulary is this package's content
from signalpost.events.vocabulary import __all__ as __all__
