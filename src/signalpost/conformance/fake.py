"""What a network's fake consists of."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from signalpost.conformance.harness import Clock, FakeResponse, Request, image, json_response, outgoing
from signalpost.networks.contract import ApiError, Outgoing, OutgoingReply

TOKEN: Final = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2lnbmF0dXJlLW9mLW1pbmU"  # noqa: S105 - of a fake
THREAD = outgoing("one & only", "two", "three", media=(image(),))


class FakeServer(Protocol):
    """A server that keeps its own record of public posts, whatever the connector believes."""

    created: list[str]
    """The texts of the posts it made public, in order."""
    broken: dict[str, FakeResponse]
    """By `METHOD /path`, the response to give once instead of acting."""

    def __call__(self, request: Request) -> FakeResponse: ...


@dataclass(frozen=True, kw_only=True)
class Case:
    """A post to publish with a failure at every step; `server` and `account` replace those of the fake."""

    post: Outgoing = THREAD
    server: Callable[[Clock], FakeServer] | None = None
    account: Mapping[str, Any] = field(default_factory=dict)
    tells_later: bool = True
    """Whether the network can tell hours after a call whether it published the post."""


@dataclass(frozen=True, kw_only=True)
class NetworkFake:
    server: Callable[[Clock], FakeServer]
    account: Mapping[str, Any]
    """Members of the NetworkSession: secrets, remote_id, facts."""
    create_call: str
    """`METHOD /path` of the call that makes a post public; that of the first part, if each has a path of its own."""
    create_calls: str = ""
    """What `broken` calls it for whichever part, if that is not `create_call`."""
    errors: Sequence[tuple[ApiError, type, str | None]]
    """Every error that the network documents, with the outcome it means and the outcome's code if it has one."""
    refusal: FakeResponse = field(default_factory=lambda: json_response(422, {"error": "rude", "message": "too rude"}))
    """How the network refuses a post for its content."""
    tells: bool = True
    """Whether the network can tell what became of a call without an answer. If not, a person has to look, and the post
    stays as it is: each part public once at most, and its outcome unknown."""
    cases: Mapping[str, Case] = field(default_factory=lambda: {"thread": Case()})
    post: Outgoing = field(default_factory=lambda: outgoing("x"))
    """The least that the network publishes."""
    form: Mapping[str, str] = field(default_factory=dict)
    """Values of the credential form with which `connect` opens the account; empty: it is not tried."""
    comment: OutgoingReply | None = None
    """An answer to a comment that the server has. Once it is public, a text ends with it in `all_texts` of the server,
    or in `created` if there is no `all_texts`."""
    write_comment: Callable[[Any, str], object] | None = None
    """In place of `comment`: have someone comment, at this server, on the post with this id. What `comments` lists
    then is answered. Without either, answers are not tried."""
