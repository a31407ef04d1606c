"""Comments under a post: what a connector reads of them, and what it is given to answer one.

Each of them cleans and bounds what it is made of, as outcomes do: most of it was written by strangers.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, Final

import msgspec
from msgspec import Struct

from signalpost.kit import foreign
from signalpost.kit.http import BadResponse

COMMENT_TEXT_MAX: Final = 5_000
"""Characters of a comment that are kept."""
NAME_MAX: Final = 200
LISTED_MAX: Final = 1_000
"""Comments of one post that a connector returns at once."""


class RemoteComment(Struct, frozen=True, kw_only=True):
    """A comment as the network shows it."""

    remote_id: str
    parent_id: str | None = None  # the comment that it answers; None: it answers the post
    author_id: str  # the network's id of whoever wrote it
    author_name: str
    author_handle: str | None = None  # without @
    author_avatar_url: str | None = None
    author_url: str | None = None
    is_own: bool = False  # whether the account itself wrote it
    text: str  # plain
    url: str | None = None
    posted_at: datetime
    edited_at: datetime | None = None
    hidden: bool = False
    liked: bool = False  # by the account
    reference: Mapping[str, Any] = msgspec.field(
        default_factory=dict
    )  # what `reply` and the like need besides the id; JSON

    def __post_init__(self) -> None:
        """Clean the values.

        Raises:
            BadResponse: it has no usable id or time; `readable` leaves such comments out.
        """
        usable = foreign.identifier(self.remote_id) is not None and foreign.instant(self.posted_at) is not None
        if not usable or (self.parent_id is not None and foreign.identifier(self.parent_id) is None):
            raise BadResponse("a comment has an id or a time that cannot be stored")
        handle = foreign.line_or_none(self.author_handle, NAME_MAX)
        values = {
            "author_id": foreign.line(self.author_id, foreign.ID_MAX),
            "author_name": foreign.line(self.author_name, NAME_MAX) or handle or "",
            "author_handle": handle,
            "author_avatar_url": foreign.url(self.author_avatar_url),
            "author_url": foreign.url(self.author_url),
            "text": foreign.text(self.text, COMMENT_TEXT_MAX),
            "url": foreign.url(self.url),
            "edited_at": foreign.instant(self.edited_at),
            "reference": foreign.json(self.reference),
            **{name: getattr(self, name) is True for name in ("is_own", "hidden", "liked")},
        }
        for name, value in values.items():
            msgspec.structs.force_setattr(self, name, value)


class Comments(Struct, frozen=True, kw_only=True):
    """The comments under one post, in any order. `complete`: what is not among them is not there any more."""

    items: Sequence[RemoteComment] = ()
    complete: bool = False

    def __post_init__(self) -> None:
        """Cut what is longer than `LISTED_MAX`: it is not complete then.

        Raises:
            BadResponse: something among them is no comment.
        """
        items: Any = self.items  # of a package: it may be anything
        some = tuple(islice(items, LISTED_MAX + 1)) if isinstance(items, Sequence) else (None,)
        if not all(isinstance(item, RemoteComment) for item in some):
            raise BadResponse("something in a list of comments is no comment")
        msgspec.structs.force_setattr(self, "items", some[:LISTED_MAX])
        msgspec.structs.force_setattr(self, "complete", self.complete is True and len(some) <= LISTED_MAX)


class OutgoingReply(Struct, frozen=True, kw_only=True):
    """What the account answers to a comment."""

    post_id: str  # the remote id of the post
    comment_id: str  # the remote id of the comment
    author_handle: str | None  # of the comment
    reference: Mapping[str, Any]  # of the comment
    text: str
    dedupe_key: str  # the same at every attempt
    created_at: datetime
    attempt: int = 1  # counts from 1
