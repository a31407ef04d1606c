"""What a stream consists of."""

from typing import Annotated

from msgspec import Meta

from signalpost.kit import ids
from signalpost.kit.wire import Output


class StreamedChange(Output):
    """The data of a `change`: what changed, not how. Read it to see what it is now."""

    id: Annotated[str, Meta(examples=[ids.example("aud")])]
    type: Annotated[
        str, Meta(description="What happened, as in the history of the workspace.", examples=["target.published"])
    ]
    subject: Annotated[str | None, Meta(description="The id of what changed.", examples=[ids.example("pst")])]
    target_id: Annotated[str | None, Meta(examples=[ids.example("tgt")])]
