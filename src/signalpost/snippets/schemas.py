from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from signalpost.events import Actor
from signalpost.kit import issue_text
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.fields import ProfileId

_TEXT = "Fresh on {weekday}: {link}\n#bakery #berlin"
_NAME_DESCRIPTION = "What people call it, unique regardless of case among those of the profile, or those for all."
_TEXT_DESCRIPTION = (
    "The text as it is. The console fills in {client}, {date}, {weekday}, {month}, {year} and {link} as it inserts it."
)
SnippetName = Annotated[
    str,
    Meta(min_length=1, max_length=100, pattern=r"\S", extra={issue_text.FORMAT: issue_text.NOT_BLANK}),
]
SnippetText = Annotated[
    str,
    Meta(min_length=1, max_length=5_000, pattern=r"\S", extra={issue_text.FORMAT: issue_text.NOT_BLANK}),
]


class SnippetCreate(Input):
    """A text to insert in posts."""

    name: Annotated[SnippetName, Meta(description=_NAME_DESCRIPTION, examples=["Hashtags of Friday"])]
    text: Annotated[SnippetText, Meta(description=_TEXT_DESCRIPTION, examples=[_TEXT])]
    profile_id: Annotated[
        ProfileId | None, Meta(description="The profile that it is for; null: all of the workspace.")
    ] = None


class SnippetUpdate(Input):
    """Any subset of the fields."""

    name: Annotated[SnippetName | UnsetType, Meta(description=_NAME_DESCRIPTION, examples=["Hashtags"])] = UNSET
    text: Annotated[SnippetText | UnsetType, Meta(description=_TEXT_DESCRIPTION, examples=[_TEXT])] = UNSET


class SnippetListQuery(Input):
    """Which to list."""

    profile_id: Annotated[ProfileId | None, Meta(description="Those of this profile, and those for all profiles.")] = (
        None
    )
    q: Annotated[
        Annotated[str, Meta(min_length=1, max_length=100)] | None,
        Meta(
            description="Only those whose name or text has these characters, regardless of case.", examples=["bakery"]
        ),
    ] = None


class Snippet(Output):
    """A text to insert in posts."""

    id: str
    profile_id: Annotated[str | None, Meta(description="null: for all profiles.")]
    name: Annotated[str, Meta(examples=["Hashtags of Friday"])]
    text: Annotated[str, Meta(examples=[_TEXT])]
    version: Annotated[int, Meta(examples=[1])]
    created_by: Actor
    created_at: Instant
    updated_at: Instant
