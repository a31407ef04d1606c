"""The audit log of a workspace, as the API shows it."""

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, field

from signalpost.events import Actor
from signalpost.kit import ids, issue_text
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
    """Filters of the audit log. Several together: entries that match all of them."""

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
    actor_type: Annotated[
        Literal["user", "api_key", "system"] | None,
        Meta(description="List only what such an actor did; `system` is the service and its operator.",
             examples=["api_key"]),
    ] = None  # fmt: skip
    subject_type: Annotated[
        Annotated[str, Meta(pattern=r"^[a-z]{3,4}$(?!\n)", extra={issue_text.FORMAT: "Must be the prefix of an id."})]
        | None,
        Meta(description="List only what was done to resources of this kind: the prefix of their ids.",
             examples=["prof"]),
    ] = None  # fmt: skip
    from_: Annotated[
        Annotated[datetime, Meta(tz=True)] | None,
        Meta(description="List only what happened at this time or later.", examples=["2026-11-01T00:00:00Z"]),
    ] = field(default=None, name="from")
    to: Annotated[
        Annotated[datetime, Meta(tz=True)] | None,
        Meta(description="List only what happened before this time.", examples=["2026-12-01T00:00:00Z"]),
    ] = None
