from typing import Annotated, Literal

from msgspec import Meta

from signalpost.kit import ids
from signalpost.kit.wire import Input, Instant, Output


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


class ExportContentQuery(Input):
    """The query string of a signed URL."""

    expires: Annotated[
        int, Meta(ge=0, le=2**53, description="When the URL expires, in Unix seconds.", examples=[1795287600])
    ]
    signature: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=64,
            description="The signature of the URL.",
            examples=["kq3v8E0c5W1mB7tYx2ZpR9aLhUoJnD4s"],
        ),
    ]
