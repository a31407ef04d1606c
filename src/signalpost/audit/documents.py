"""JSON columns of the audit log."""

from typing import Any

import msgspec
from msgspec import Struct


class Change(Struct, frozen=True):
    """A changed field: its name in snake_case, and its values before and after."""

    field: str
    before: Any = msgspec.field(name="from")
    after: Any = msgspec.field(name="to")
