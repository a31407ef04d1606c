"""The base of all events, and who causes them."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from msgspec import Struct


class Event(Struct, frozen=True, kw_only=True):
    """A fact about a workspace: frozen, named in the past tense, emitted inside the transaction of the change."""

    workspace_id: UUID
    at: datetime


class Actor(Struct, frozen=True, gc=False):
    """Who did something: a user, an API key, someone with a link for approval, or the service itself."""

    type: Literal["user", "api_key", "approval_link", "system"]
    id: str | None  # the public one, since rows and events may outlive whom it names
    name: str | None
