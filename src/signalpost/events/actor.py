"""The author of a change."""

from typing import Literal

from msgspec import Struct


class Actor(Struct, frozen=True, gc=False):
    """Who did something: a user, an API key or the service itself."""

    type: Literal["user", "api_key", "system"]
    id: str | None  # the public one, since rows and events may outlive whom it names
    name: str | None
