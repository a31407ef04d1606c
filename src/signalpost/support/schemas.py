"""Support tickets on the wire."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, field

from signalpost.kit import issue_text
from signalpost.kit.ids import example
from signalpost.kit.wire import Input, Instant, Output
from signalpost.support.states import Author, Status, TicketType
from signalpost.web.fields import MediaId, PostId, TicketId, UserId

Priority = Literal["low", "normal", "high", "urgent"]
_NOT_BLANK = {issue_text.FORMAT: issue_text.NOT_BLANK}
_ONE_LINE = {issue_text.FORMAT: "Must be one line, of more than spaces."}
Subject = Annotated[str, Meta(min_length=3, max_length=200, pattern=r"^[^\r\n]*\S[^\r\n]*$(?![\s\S])", extra=_ONE_LINE)]
Text = Annotated[str, Meta(min_length=1, max_length=10_000, pattern=r"\S", extra=_NOT_BLANK)]
Attachments = Annotated[list[MediaId], Meta(max_length=5)]
SearchText = Annotated[str, Meta(min_length=1, max_length=200)]
Tag = Annotated[str, Meta(min_length=1, max_length=40, pattern=r"\S", extra=_NOT_BLANK)]


class TicketContext(Input):
    """What the ticket is about."""

    post_id: Annotated[PostId | None, Meta(description="A post of the workspace.")] = None
    request_id: Annotated[
        Annotated[str, Meta(max_length=100)] | None,
        Meta(description="`requestId` of a response.", examples=["req_5f1c0de5f1c0de5f1c0d"]),
    ] = None
    url: Annotated[
        Annotated[str, Meta(max_length=2_048)] | None,
        Meta(description="The page it happened on.", examples=["https://signalpost.example/docs"]),
    ] = None
    user_agent: Annotated[
        Annotated[str, Meta(max_length=500)] | None, Meta(description="The program.", examples=["curl/8.5.0"])
    ] = None


class TicketCreate(Input):
    """A question, a fault, or a suggestion. A suggestion is public at once; everything else is private."""

    subject: Annotated[Subject, Meta(description="What it is about.", examples=["Posts appear an hour late"])]
    body: Annotated[
        Text | UnsetType, Meta(description="The first message, in plain Markdown.", examples=["Since *Sunday* …"])
    ] = UNSET
    message: Annotated[Text | UnsetType, Meta(description="Another name of `body`.", examples=["Since Sunday …"])] = (
        UNSET
    )
    type: Annotated[TicketType, Meta(description="What kind of ticket it is.", examples=["question"])] = "question"
    priority: Annotated[Priority, Meta(description="How urgent it is.", examples=["normal"])] = "normal"
    context: Annotated[TicketContext | None, Meta(description="What it is about, for those who look into it.")] = None
    attachments: Annotated[Attachments, Meta(description="Files of the workspace.", examples=[[]])] = field(
        default_factory=list
    )


class MessageCreate(Input):
    """A message."""

    body: Annotated[Text, Meta(description="The message, in plain Markdown.", examples=["It works now, thank you."])]
    attachments: Annotated[Attachments, Meta(description="Files of the workspace.", examples=[[]])] = field(
        default_factory=list
    )
    internal: Annotated[bool, Meta(description="Staff only: a note that users never see.", examples=[False])] = False


class TicketStatusUpdate(Input):
    """The new status, and what staff change with it."""

    status: Annotated[
        Status,
        Meta(description="The author may set `open` and `closed`, staff any that the type has.", examples=["closed"]),
    ]
    note: Annotated[Text | None, Meta(description="A message to go with it.", examples=["Solved it myself."])] = None
    merged_into_id: Annotated[
        TicketId | None, Meta(description="Staff only: the ticket that goes on instead; `status` is then `closed`.")
    ] = None
    assignee_id: Annotated[
        UserId | UnsetType | None, Meta(description="Staff only: who works on it; null: nobody.")
    ] = UNSET
    priority: Annotated[Priority | UnsetType, Meta(description="Staff only.", examples=["high"])] = UNSET
    tags: Annotated[
        Annotated[list[Tag], Meta(max_length=20)] | UnsetType,
        Meta(description="Staff only.", examples=[["scheduling"]]),
    ] = UNSET


class TicketQuery(Input):
    """Filters."""

    status: Annotated[Status | None, Meta(description="Only these.", examples=["open"])] = None
    type: Annotated[TicketType | None, Meta(description="Only these.", examples=["bug"])] = None
    q: Annotated[
        SearchText | None,
        Meta(
            description="Words, or beginnings of words, of subject and first message; or a number.", examples=["late"]
        ),
    ] = None


class SuggestionQuery(Input):
    """A search while someone types."""

    q: Annotated[
        SearchText | None,
        Meta(description="A title: those with most of its words come first, in one page.", examples=["dark mode"]),
    ] = None


class Person(Output):
    """A user. `id` is null for those of other workspaces."""

    id: Annotated[str | None, Meta(examples=[example("usr")])]
    name: Annotated[str, Meta(examples=["Ada"])]


class MessageAuthor(Output):
    """Who wrote a message."""

    id: Annotated[str | None, Meta(examples=[example("usr")])]
    name: Annotated[str, Meta(examples=["Ada"])]
    role: Author


class AttachedFile(Output):
    """An attachment that exists still. `url` is valid for an hour."""

    media_id: str
    file_name: Annotated[str, Meta(examples=["screen.png"])]
    mime_type: Annotated[str, Meta(examples=["image/png"])]
    size: Annotated[int, Meta(examples=[48_213])]
    url: Annotated[str, Meta(examples=["https://signalpost.example/api/v1/media/content"])]


class TicketMessage(Output):
    """A message. `internal`: a note among staff."""

    id: Annotated[str, Meta(examples=[example("msg")])]
    ticket_id: str
    author: MessageAuthor
    body: Annotated[str, Meta(description="Plain Markdown, as it was written: render it without HTML.",
                              examples=["Which *zone* does the profile have?"])]  # fmt: skip
    attachments: Annotated[list[str], Meta(examples=[[]])]
    files: list[AttachedFile]
    internal: Annotated[bool, Meta(examples=[False])]
    created_at: Instant


class TicketContextView(Output):
    """What a ticket is about."""

    post_id: str | None
    request_id: Annotated[str | None, Meta(examples=["req_5f1c0de5f1c0de5f1c0d"])]
    url: Annotated[str | None, Meta(examples=["https://signalpost.example/docs"])]
    user_agent: Annotated[str | None, Meta(examples=["curl/8.5.0"])]


class Ticket(Output):
    """A ticket. Of a suggestion of another workspace, only what is public is there."""

    id: Annotated[str, Meta(examples=[example("tkt")])]
    number: Annotated[int, Meta(description="Counts the tickets of the installation.", examples=[128])]
    type: TicketType
    subject: Annotated[str, Meta(examples=["Posts appear an hour late"])]
    status: Status
    priority: Priority
    visibility: Annotated[Literal["private", "public"], Meta(examples=["private"])]
    author: Person
    workspace_id: str | None
    assignee: Person | None
    tags: Annotated[list[str], Meta(examples=[[]])]
    votes: Annotated[int, Meta(examples=[0])]
    voted_by_me: Annotated[bool, Meta(examples=[False])]
    message_count: Annotated[int, Meta(examples=[1])]
    context: TicketContextView | None
    last_message_at: Instant
    created_at: Instant
    updated_at: Instant
    closed_at: Instant | None
    merged_into_id: str | None


class TicketDetail(Ticket):
    """A ticket with its messages, oldest first."""

    messages: list[TicketMessage]


class TicketDeletion(Output):
    """A deleted ticket."""

    id: str
    deleted: Annotated[bool, Meta(examples=[True])]


class TicketVotes(Output):
    """The votes for a suggestion."""

    ticket_id: str
    votes: Annotated[int, Meta(examples=[17])]
    voted_by_me: Annotated[bool, Meta(examples=[True])]
