"""Events: facts about a workspace, emitted inside the transaction of the change. It does not know who subscribes."""

from signalpost.events.data import *  # noqa: F403 - this room is a vocabulary: `events.PostQueued`
from signalpost.events.event import *  # noqa: F403
from signalpost.events.internal import *  # noqa: F403
from signalpost.events.public import *  # noqa: F403
