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
