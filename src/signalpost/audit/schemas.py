"""The audit log of a workspace, as the API shows it."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from signalpost.events import Actor
from signalpost.kit import ids
from signalpost.kit.wire import Input, Instant, Output


class AuditChange(Output):
    """A changed field, with its values before and after; null where that is not known. Secrets are `[redacted]`."""

    field: Annotated[str, Meta(examples=["name"])]
    before: Any = msgspec.field(name="from")
    after: Any = msgspec.field(name="to")


class AuditLogEntry(Output):
    """An entry of the audit log of a workspace; it never changes."""

    id: Annotated[str, Meta(examples=[ids.example("aud")])]
    at: Instant
    action: Annotated[
        str,
        Meta(description="The operation, by its id in this document; of a post, what happened to it.",
             examples=["update_profile"]),
    ]  # fmt: skip
    actor: Actor
    subject: Annotated[str | None, Meta(description="The id of what was changed.", examples=[ids.example("prof")])]
    target_id: str | None
    changes: list[AuditChange] | None
    address: Annotated[
        str | None, Meta(description="The client's address; null: the service itself.", examples=["203.0.113.7"])
    ]
    request_id: Annotated[str | None, Meta(examples=["req_5f1c0de5f1c0de5f1c0d"])]


class AuditQuery(Input):
    """Filters of the audit log."""

    action: Annotated[
        Annotated[str, Meta(max_length=100)] | None,
        Meta(description="List only this action.", examples=["update_profile"]),
    ] = None
    actor_id: Annotated[
        Annotated[str, Meta(max_length=64)] | None,
        Meta(description="List only what this user or API key did.", examples=[ids.example("key")]),
    ] = None
    subject: Annotated[
        Annotated[str, Meta(max_length=64)] | None,
        Meta(description="List only what was done to this resource, also if it is deleted.",
             examples=[ids.example("prof")]),
    ] = None  # fmt: skip
