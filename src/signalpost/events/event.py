"""The base of all events."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, kw_only=True)
class Event:
    """A fact about a workspace: frozen, named in the past tense, emitted inside the transaction of the change."""

    workspace_id: UUID
    at: datetime
