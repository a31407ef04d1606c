"""Requests and responses as the part of a network sees them. Bodies are read strictly: a wrong type is an error."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlsplit

FORM = "application/x-www-form-urlencoded"


class BadBody(Exception):
    """The body is not what its content type says, or not of a type that this call takes."""


@dataclass(frozen=True)
class File:
    """A file of a multipart form."""

    content: bytes
    content_type: str
    name: str


@dataclass
class Request:
    method: str
    target: str
    """Path and query, as sent."""
    headers: Mapping[str, str]
    """By names in lower case."""
    body: bytes = b""
    args: dict[str, str] = field(default_factory=dict)
    """The placeholders of the route."""
    grant: Any = None
    """What the access token opens; None for calls without a token."""

    @cached_property
    def path(self) -> str:
        return urlsplit(self.target).path

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """The query, repeated names included."""
        return parse_qsl(urlsplit(self.target).query, keep_blank_values=True)

    @cached_property
    def query(self) -> dict[str, str]:
        return dict(self.pairs)

    @property
    def person(self) -> Any:
        return self.grant.person

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @cached_property
    def json(self) -> dict[str, Any]:
        """The object of a JSON body.

        Raises:
            BadBody: it is none.
        """
        if self.content_type != "application/json":
            raise BadBody(f"the content type is {self.content_type or 'missing'}, not application/json")
        try:
            value = json.loads(self.body)
        except ValueError as error:
            raise BadBody("the body is not JSON") from error
        if not isinstance(value, dict):
            raise BadBody("the body is not a JSON object")
        return value

    @cached_property
    def form(self) -> dict[str, Any]:
        """The fields of a form, urlencoded or multipart; files are `File`.

        Raises:
            BadBody: it is none.
        """
        if self.content_type == FORM:
            return dict(parse_qsl(self.body.decode(), keep_blank_values=True))
        if self.content_type == "multipart/form-data":
            return dict(_parts(self.headers["content-type"], self.body))
        raise BadBody(f"the content type is {self.content_type or 'missing'}, not a form")

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of a JSON body or of a form; empty without a body."""
        if not self.body:
            return {}
        return self.json if self.content_type == "application/json" else self.form


def _parts(content_type: str, body: bytes) -> Iterable[tuple[str, str | File]]:
    boundary = parameter(content_type, "boundary")
    sections = (b"\r\n" + body).split(b"\r\n--" + boundary.encode())
    if not boundary or len(sections) < 2 or not sections[-1].startswith(b"--"):
        raise BadBody("the multipart form has no end")
    for section in sections[1:-1]:
        head, separator, content = section.partition(b"\r\n\r\n")
        if not separator:
            raise BadBody("a part of the multipart form has no head")
        lines = [line.partition(":") for line in head.decode().strip().split("\r\n")]
        headers = {name.strip().lower(): value.strip() for name, _, value in lines}
        disposition = headers.get("content-disposition", "")
        name, filename = parameter(disposition, "name"), parameter(disposition, "filename")
        if not name:
            raise BadBody("a part of the multipart form has no name")
        is_file = "filename" in disposition
        yield name, File(content, headers.get("content-type", ""), filename) if is_file else content.decode()


def parameter(header: str, name: str) -> str:
    """Return a parameter of a header value: `boundary` of `multipart/form-data; boundary=x`; empty if it has none."""
    message = Message()
    message["x"] = header
    value = message.get_param(name, "", header="x")
    return value[2] if isinstance(value, tuple) else str(value)


@dataclass
class Response:
    status: int = 200
    json: Any = None
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)

    def encoded(self) -> tuple[bytes, dict[str, str]]:
        """Return body and headers as they are sent."""
        if self.json is None:
            return self.body, self.headers
        return json.dumps(self.json).encode(), {"Content-Type": "application/json; charset=utf-8"} | self.headers


class Fail(Exception):
    """Ends a call with this response."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status)
        self.response = response
