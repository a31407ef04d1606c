from typing import Literal

from msgspec import Struct


class Actor(Struct, frozen=True, gc=False):
    """Who did something, as events carry it and as rows store it: a user, an API key, or the service itself.

    `id` is the public one (`usr_…`, `key_…`), since the row may outlive whoever it names.
    """

    type: Literal["user", "api_key", "system"]
    id: str | None
    name: str | None
