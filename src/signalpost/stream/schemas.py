"""What a stream consists of."""

from typing import Annotated

from msgspec import Meta

from signalpost.kit import ids
from signalpost.kit.wire import Input, Output


class StreamedChange(Output):
    """The data of a `change`: what changed, not how. Read it to see what it is now."""

    id: Annotated[str, Meta(examples=[ids.example("aud")])]
    type: Annotated[
        str, Meta(description="What happened, as in the history of the workspace.", examples=["target.published"])
    ]
    subject: Annotated[str | None, Meta(description="The id of what changed.", examples=[ids.example("pst")])]
    target_id: Annotated[str | None, Meta(examples=[ids.example("tgt")])]


class StreamQuery(Input):
    poll: Annotated[
        bool, Meta(description="Answer at once, with what happened since `Last-Event-ID`, instead of streaming.")
    ] = False


class MissedChanges(Output):
    """What a client missed. `reset`: more than can be listed, or too long ago, so read everything again."""

    data: list[StreamedChange]
    reset: bool
