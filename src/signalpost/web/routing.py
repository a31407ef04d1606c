"""Routes: a room declares method, path, scope and errors; the inputs come from the signature of the handler."""

import inspect
import re
import typing
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Struct

from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.kit.problems import Problem
from signalpost.web import validation
from signalpost.web.caller import PUBLIC, SCOPES, SIGNED_IN, Caller
from signalpost.web.idempotency import Keep
from signalpost.web.inputs import Before, IfMatch, Mine, Segment
from signalpost.web.paging import LIMIT_DEFAULT, Page
from signalpost.web.request import ClientAddress, Request
from signalpost.web.streaming import Stream

BODY_BYTES_MAX = 2_000_000
PUBLIC_BODY_BYTES_MAX = 16_384
"""Of an operation that asks for no credential: what strangers send is read no further."""
Handler = Callable[..., Awaitable[Any]]
Method = Literal["GET", "POST", "PATCH", "PUT", "DELETE"]


class RawResponse(Struct):
    """A response that is not JSON, or has a status or headers of its own."""

    body: bytes | Stream
    media_type: str
    status: int = 200
    headers: dict[str, str] = {}


Recheck = Callable[[], Awaitable[Caller]]
"""Resolves the caller of a request again, later, and checks the rights again; raises what it would raise then."""

ProblemPage = Callable[[AppContext, Problem], Awaitable[RawResponse]]
"""Makes the page by which a person sees a problem of an endpoint that they, rather than a program, may call."""


@dataclass(frozen=True, slots=True)
class PathInput:
    """One path parameter, the argument it fills, and what it is there: an id, a row found by its id, or text."""

    argument: str
    param: str
    source: type[ids.Id] | Mine[Any] | Segment

    @property
    def id(self) -> type[ids.Id] | None:
        """The kind of id that the parameter holds; None for text."""
        match self.source:
            case Mine(id=kind):
                return kind
            case Segment():
                return None
            case kind:
                return kind


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One operation: serving, documentation and tests all read it."""

    method: Method
    path: str
    scope: str
    status: int
    handler: Handler
    tag: str
    raises: tuple[type[Problem], ...]
    description: str
    path_inputs: tuple[PathInput, ...]
    arguments: Mapping[str, str]  # argument -> db, or a value of `_PLAIN`
    body: Any = None
    body_optional: bool = False
    query: type[Struct] | None = None
    before: tuple[str, Before] | None = None  # the argument that is filled before the transaction opens
    response_type: Any = None
    etag: bool = False
    across_workspaces: Literal[True, False, "staff"] = False
    """The handler sees the rows of every workspace: it looks for the caller, or is about all workspaces of a user.

    "staff": only if staff of the installation call.
    """
    transaction: bool = True
    """False: the handler may get None instead of a connection, and connects when it has to.

    With an Idempotency-Key, one that asks for `Keep | None` gets that too, and writes the response or raises `NotKept`.
    """
    history: Literal["operation", "action", "nothing"] = "operation"
    """What a write leaves in the audit log: a row of the operation as such, rows of its action, or nothing to tell."""
    limit_default: int = LIMIT_DEFAULT  # of a list; LIST_ALL where clients expect all of it at once
    bucket: str | None = None  # of a stricter rate limit per address: "login"
    before_second_factor: bool = False
    """Whether a member may call it who has yet to set up the second factor that the workspace requires."""
    unlimited: bool = False  # no rate limit per address: health checks, signed incoming webhooks
    has_cell_path: bool = False
    """Whether it is served below `/cells/<cell>` too. Others are configured with its address and call it without any
    credential of ours, so that only the path can carry the name of a cell (`kit.cells`)."""
    cached_seconds: float = 0.0  # how old the answer may be that all clients of a public read share
    body_bytes_max: int = BODY_BYTES_MAX
    request_types: tuple[str, ...] = ("application/json",)
    example: Any = None  # of the body, where the generated one is not enough
    examples: Mapping[str, Any] | None = None  # several of the body instead, by title
    documented_request_body: Mapping[str, Any] | None = None
    """Media type -> OpenAPI content or struct, for a body that the handler reads itself."""
    variant: str | None = None
    """The media type of the bodies that it serves instead of another endpoint with the same path; None: all others."""
    documented_headers: Mapping[str, str] | None = None
    """Name -> description of a request header that the handler reads itself."""
    options_headers: Mapping[str, str] | None = None
    """What a client learns from OPTIONS, besides the methods."""
    documented_response: Mapping[str, Any] | None = None  # OpenAPI content of a response that is not JSON
    problem_page: ProblemPage | None = None  # for a browser; programs get problem+json
    hidden: bool = False  # not in the reference: redirects and pages
    decoder: "msgspec.json.Decoder[Any] | None" = field(default=None, compare=False)

    def __post_init__(self) -> None:
        shared = self.scope == PUBLIC and not (self.writes or self.query or self.path_inputs or self.body)
        if self.cached_seconds and not (shared and set(self.arguments.values()) <= {"context"}):
            raise TypeError(f"{self.method} {self.path}: only a public read without inputs can be cached")
        if self.writes and self.scope == PUBLIC and self.history == "operation":
            raise TypeError(f"{self.method} {self.path}: has no caller, so its action writes history, or it has none")

    @cached_property
    def writes(self) -> bool:
        """Whether the operation changes something."""
        return self.method != "GET"

    @cached_property
    def paged(self) -> bool:
        """Whether the handler asks for a page of a list."""
        return self.has("page")

    @cached_property
    def keep(self) -> str | None:
        """The argument that takes `Keep`, if the handler has one."""
        return next((argument for argument, kind in self.arguments.items() if kind == "keep"), None)

    @cached_property
    def needs_connection(self) -> bool:
        """Whether the handler asks for a connection: in a transaction if it writes."""
        return self.has("db")

    @cached_property
    def needs_row(self) -> bool:
        """Whether a row is read before the handler runs."""
        return any(isinstance(path_input.source, Mine) for path_input in self.path_inputs)

    @cached_property
    def reads_body_itself(self) -> bool:
        """Whether the handler reads the body from the request."""
        return self.writes and self.has("request") and self.body is None

    @cached_property
    def negotiates_itself(self) -> bool:
        """Whether media types are the handler's concern: it reads the body itself, or answers with pages or files."""
        is_page_or_file = not self.writes and self.has("request") and self.documented_response is not None
        return self.reads_body_itself or is_page_or_file

    @property
    def name(self) -> str:
        """The operation's id in the OpenAPI document."""
        return self.handler.__name__

    def has(self, kind: str) -> bool:
        """Whether the handler asks for this kind of input."""
        return kind in self.arguments.values()


_PLAIN = {
    Caller: "caller",
    Page: "page",
    AppContext: "context",
    Database: "database",
    IfMatch: "if_match",
    Request: "request",
    ClientAddress: "address",
    Recheck: "recheck",
    Keep | None: "keep",
}


class Routes:
    """The routes of one room. `tag` is their group in the API reference."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.endpoints: list[Endpoint] = []

    def __iter__(self) -> Iterator[Endpoint]:
        return iter(self.endpoints)

    def get(self, path: str, *, scope: str, **options: Any) -> Callable[[Handler], Handler]:
        """Serve GET; `status` 200."""
        return self._add("GET", path, scope, 200, options)

    def post(self, path: str, *, scope: str, **options: Any) -> Callable[[Handler], Handler]:
        """Serve POST; `status` 201."""
        return self._add("POST", path, scope, 201, options)

    def patch(self, path: str, *, scope: str, **options: Any) -> Callable[[Handler], Handler]:
        """Serve PATCH; `status` 200."""
        return self._add("PATCH", path, scope, 200, options)

    def put(self, path: str, *, scope: str, **options: Any) -> Callable[[Handler], Handler]:
        """Serve PUT; `status` 200."""
        return self._add("PUT", path, scope, 200, options)

    def delete(self, path: str, *, scope: str, **options: Any) -> Callable[[Handler], Handler]:
        """Serve DELETE; `status` 200."""
        return self._add("DELETE", path, scope, 200, options)

    def _add(
        self, method: Method, path: str, scope: str, status: int, options: dict[str, Any]
    ) -> Callable[[Handler], Handler]:
        if scope not in SCOPES and scope not in (PUBLIC, SIGNED_IN):
            raise TypeError(f"{method} {path}: unknown scope {scope!r}")
        if scope == PUBLIC:
            options.setdefault("body_bytes_max", PUBLIC_BODY_BYTES_MAX)

        def register(handler: Handler) -> Handler:
            self.endpoints.append(_endpoint(self.tag, method, path, scope, status, handler, dict(options)))
            return handler

        return register


def _endpoint(
    tag: str, method: Method, path: str, scope: str, status: int, handler: Handler, options: dict[str, Any]
) -> Endpoint:
    where = f"{method} {path} ({handler.__name__})"
    hints = typing.get_type_hints(handler, include_extras=True)
    params = re.findall(r"\{(\w+)\}", path)
    arguments: dict[str, str] = {}
    path_inputs: list[PathInput] = []
    body: Any = None
    query: type[Struct] | None = None
    body_optional = False
    before: tuple[str, Before] | None = None
    for name, parameter in inspect.signature(handler).parameters.items():
        hint = hints[name]
        if name == "db":
            arguments[name] = "db"
        elif name == "data":
            body, body_optional = hint, parameter.default is not inspect.Parameter.empty
        elif name == "query":
            query = hint
        elif hint in _PLAIN:
            arguments[name] = _PLAIN[hint]
        elif (first := _before_marker(hint)) is not None:
            before = (name, first)
        elif (source := _path_source(hint)) is not None:
            path_inputs.append(PathInput(name, _param(source, name, params, where), source))
        else:
            raise TypeError(f"{where}: cannot fill the argument {name!r} of type {hint!r}")
    if missing := set(params) - {path_input.param for path_input in path_inputs}:
        raise TypeError(f"{where}: the path parameters {sorted(missing)} are not used by the handler")
    description = inspect.getdoc(handler)
    if not description:
        raise TypeError(f"{where}: the handler needs a docstring: it is the description of the operation")
    return Endpoint(
        method=method,
        path=path,
        scope=scope,
        status=options.pop("status", status),
        handler=handler,
        tag=tag,
        raises=tuple(options.pop("raises", ())),
        description=description,
        path_inputs=tuple(path_inputs),
        arguments=arguments,
        body=body,
        body_optional=body_optional,
        query=query,
        before=before,
        response_type=hints.get("return"),
        decoder=validation.decoder_of(body) if body is not None else None,
        **options,
    )


def _path_source(hint: Any) -> type[ids.Id] | Mine[Any] | Segment | None:
    if isinstance(hint, type):
        return hint if issubclass(hint, ids.Id) else None
    extras = typing.get_args(hint)[1:] if typing.get_origin(hint) is Annotated else ()
    return next((extra for extra in extras if isinstance(extra, Mine | Segment)), None)


def _before_marker(hint: Any) -> Before | None:
    return next((extra for extra in typing.get_args(hint)[1:] if isinstance(extra, Before)), None)


def _param(source: type[ids.Id] | Mine[Any] | Segment, argument: str, params: Sequence[str], where: str) -> str:
    head, *rest = argument.split("_")
    named = source.param if isinstance(source, Mine | Segment) else head + "".join(part.title() for part in rest)
    param = named if named in params else params[0] if len(params) == 1 else None
    if param is None:
        raise TypeError(f"{where}: name the path parameter that {argument!r} comes from")
    return param
