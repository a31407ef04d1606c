"""The request log, as the API shows it."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, field

from signalpost.events import Actor
from signalpost.kit import ids, issue_text
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.caller import Mode
from signalpost.web.fields import ApiKeyId, UserId


class LoggedRequest(Output):
    """An API call that was made in the workspace. Bodies, headers and query strings are not kept."""

    id: Annotated[str, Meta(examples=[ids.example("rql")])]
    at: Annotated[Instant, Meta(description="When the response was ready.")]
    request_id: Annotated[
        str, Meta(description="As `X-Request-Id` of the response named it.", examples=["req_5f1c0de5f1c0de5f1c0d"])
    ]
    operation: Annotated[str, Meta(description="The operation, as the audit log names it.", examples=["create_post"])]
    method: Annotated[str, Meta(examples=["POST"])]
    path: Annotated[str, Meta(description="Below `/api/v1`.", examples=["/posts"])]
    status: Annotated[int, Meta(description="The HTTP status of the response.", examples=[422])]
    code: Annotated[
        str | None, Meta(description="The code of the problem; null: it succeeded.", examples=["preflight_failed"])
    ]
    duration_ms: Annotated[
        float, Meta(description="From the arrival of the request until the response was ready.", examples=[12.4])
    ]
    mode: Mode
    actor: Annotated[Actor, Meta(description="The API key, or the member who was signed in.")]
    key_prefix: Annotated[
        str | None, Meta(description="The public beginning of the API key.", examples=["sp_live_AbCdEfGhIjKl"])
    ]
    address: Annotated[
        str, Meta(description="The client's address; of IPv6 the first 64 bits.", examples=["203.0.113.7"])
    ]
    omitted: Annotated[
        int,
        Meta(description="How many calls of the workspace just before this one were too many to keep.", examples=[0]),
    ]


class RequestLogQuery(Input):
    """Filters of the request log. Several together: calls that match all of them."""

    status: Annotated[
        Annotated[
            str, Meta(pattern=r"^[1-5]([0-9][0-9]|xx)$(?!\n)", extra={issue_text.FORMAT: "Must be like 4xx or 404."})
        ]
        | None,
        Meta(description="List only responses of this status, or of this class of them.", examples=["4xx"]),
    ] = None
    method: Annotated[
        Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] | None,
        Meta(description="List only calls with this method.", examples=["POST"]),
    ] = None
    path: Annotated[
        Annotated[str, Meta(max_length=200)] | None,
        Meta(description="List only calls whose path below `/api/v1` begins so.", examples=["/posts"]),
    ] = None
    operation: Annotated[
        Annotated[str, Meta(max_length=100)] | None,
        Meta(description="List only calls of this operation.", examples=["create_post"]),
    ] = None
    code: Annotated[
        Annotated[str, Meta(max_length=100)] | None,
        Meta(description="List only calls that were refused with this code.", examples=["rate_limited"]),
    ] = None
    key_id: Annotated[
        ApiKeyId | None,
        Meta(description="List only calls with this API key, also if it is revoked.", examples=[ids.example("key")]),
    ] = None
    user_id: Annotated[
        UserId | None,
        Meta(description="List only calls of this member, signed in or with a key that they created.",
             examples=[ids.example("usr")]),
    ] = None  # fmt: skip
    request_id: Annotated[
        Annotated[str, Meta(max_length=100)] | None,
        Meta(description="List only the call with this request id.", examples=["req_5f1c0de5f1c0de5f1c0d"]),
    ] = None
    mode: Annotated[Mode | None, Meta(description="List only calls of this mode.", examples=["live"])] = None
    from_: Annotated[
        Annotated[datetime, Meta(tz=True)] | None,
        Meta(description="List only calls at this time or later.", examples=["2026-11-01T00:00:00Z"]),
    ] = field(default=None, name="from")
    to: Annotated[
        Annotated[datetime, Meta(tz=True)] | None,
        Meta(description="List only calls before this time.", examples=["2026-12-01T00:00:00Z"]),
    ] = None
