from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from signalpost.identity.schemas import AnyCode, AnyEmail, AnyPassword, Name, Zone
from signalpost.kit import ids
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.fields import WorkspaceId

RedirectUrl = Annotated[str, Meta(max_length=2048, examples=["https://app.example.com/connected"])]


class WorkspaceCreate(Input):
    name: Annotated[Name, Meta(description="The workspace's name.")]
    timezone: Annotated[
        Zone | None,
        Meta(description="The IANA time zone of times without one. Default: UTC.", examples=["Europe/Berlin"]),
    ] = None


class WorkspaceUpdate(Input):
    """Any subset of the fields."""

    name: Annotated[Name | UnsetType, Meta(description="The workspace's name.", examples=["Acme"])] = UNSET
    timezone: Annotated[
        Zone | UnsetType, Meta(description="The IANA time zone of dates without a zone.", examples=["Europe/Berlin"])
    ] = UNSET
    redirect_urls: Annotated[
        Annotated[list[RedirectUrl], Meta(max_length=20)] | UnsetType,
        Meta(
            description="Where authorization flows may send the browser at the end: https, or http on loopback.",
            examples=[["https://app.example.com/connected"]],
        ),
    ] = UNSET
    second_factor: Annotated[
        Literal["optional", "admins", "everyone"] | UnsetType,
        Meta(
            description="Of whom the workspace requires a second factor; `admins`: the owner and admins.",
            examples=["admins"],
        ),
    ] = UNSET


class WorkspaceDeleteQuery(Input):
    """The confirmation."""

    name: Annotated[str, Meta(max_length=100, description="The name of the workspace, to confirm it.",
        examples=["Acme"])]  # fmt: skip


class WorkspaceDeletion(Output):
    """A workspace that was deleted, and until when the operator can restore it."""

    id: Annotated[str, Meta(examples=[ids.example("wsp")])]
    deleted: Literal[True]
    erased_after: Annotated[Instant, Meta(description="From then on all that it has is erased.")]


ExportStatus = Literal["pending", "ready", "failed", "expired"]


class WorkspaceExport(Output):
    """The newest export of a workspace: one file with everything it has, for some days."""

    workspace_id: Annotated[str, Meta(examples=[ids.example("wsp")])]
    status: Annotated[
        ExportStatus, Meta(description="`pending` while it is made; after `failed` or `expired` ask for another.")
    ]
    requested_at: Instant
    finished_at: Instant | None
    expires_at: Annotated[Instant | None, Meta(description="When the file is removed.")]
    size_bytes: Annotated[int | None, Meta(examples=[48211968])]
    download_url: Annotated[
        str | None, Meta(description="A signed URL of the file, valid for an hour; only while it is `ready`.")
    ]


class MeDelete(Input):
    """Delete your account."""

    email: Annotated[AnyEmail, Meta(description="The e-mail address of your account, to confirm it.")]
    password: Annotated[
        AnyPassword | None, Meta(description="Your password; null if you have none and signed in within 15 minutes.")
    ] = None
    code: Annotated[
        AnyCode | None,
        Meta(description="With a second factor: a code of the app, or a recovery code.", examples=["287082"]),
    ] = None
    delete_workspaces: Annotated[
        Annotated[list[WorkspaceId], Meta(max_length=100)],
        Meta(description="Workspaces that you own and that are deleted with it, as by `DELETE /workspaces/{id}`."),
    ] = msgspec.field(default_factory=list)
