"""What has to be known of a network to run its connector against the simulator."""

import hashlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from simulator import Destination

from signalpost.conformance.harness import json_response
from signalpost.networks.contract import ApiError, Kind


@dataclass(frozen=True, kw_only=True)
class Scene:
    create_call: str
    """`METHOD /path/{placeholder}` of the simulator's route that makes a post public."""
    errors: Sequence[tuple[ApiError, type, str | None]]
    """Every error that the network documents, with the outcome it means and the outcome's code if it has one."""
    create_calls: Mapping[str, str] = field(default_factory=dict)
    """The same for what another call makes public: `comment`."""
    person: Mapping[str, Any] = field(default_factory=dict)
    """`details` of the person at the simulator."""
    destinations: Sequence[Destination] = ()
    app: Mapping[str, Any] = field(default_factory=dict)
    """`details` of the operator's app at the simulator."""
    scopes: tuple[str, ...] = ()
    """What the operator's app may ask for, where that is not what the connector asks for by itself."""
    code_seconds: int = 600
    """How long a code of the authorization page can be redeemed."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options that every post of this network needs."""
    title: str | None = None
    """A title, where posts need one."""
    text: str = "Hello <b>&</b> *you* 🎉"
    """A text with characters that have a meaning elsewhere."""
    kind: str = "post"
    """What the ledger calls a post."""
    shown: Literal["text", "title"] = "text"
    """Which of them the ledger has as its text."""
    files: Mapping[Kind, Mapping[str, Any]] = field(default_factory=dict)
    """Members of a file that differ from those of `stage.file`."""
    tells: bool = True
    """Whether the network can tell what became of a call without a response; if not, the outcome stays unknown."""
    converts: tuple[Kind, ...] = ("video",)
    """Kinds of files that take time at the network; the fault `processing_fails` makes that fail."""
    conversion_error: str = "media_processing_failed"
    """The code of a post whose file cannot be converted."""
    deletes: bool = True
    """Whether the account may delete its posts."""
    revokes: bool = True
    """Whether the account's tokens can be revoked by the app."""
    finds_comments: bool = False
    """Whether a first comment whose response was lost is found again, like a post."""
    fields: Callable[[Any], Mapping[str, str]] | None = None
    """Makes what a person connects without OAuth, in the network's part of the simulator; returns the form's values."""
    replies: bool | Literal["root"] = True
    """Whether each part of a thread is a reply to the one before, or to the first one."""
    prepare: Callable[[Any], None] | None = None
    """Called with the network's part of the simulator after each reset: it adds the files that can be downloaded."""
    files_apart: bool = False
    """Whether each file is a post of its own."""
    refuses_duplicates: bool = False
    """Whether the network refuses the same text again."""


def content_of(content: bytes) -> dict[str, Any]:
    """Return the members of a file with this content."""

    async def read() -> AsyncIterator[bytes]:
        yield content

    return {"read": read, "size_bytes": len(content), "sha256": hashlib.sha256(content).digest()}


def api_error(call: str, status: int, body: Any, **headers: str) -> ApiError:
    return ApiError(json_response(status, body, **headers), call)
