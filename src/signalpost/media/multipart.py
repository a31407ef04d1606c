"""Reads multipart/form-data as a stream: fields into memory, the one file into a receiver."""

from collections.abc import AsyncIterator
from typing import Any

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header

from signalpost.kit import problems
from signalpost.media.receiver import FileReceiver, ReceivedFile

FIELDS_MAX = 10
FIELD_BYTES_MAX = 20_000


class Form:
    """The fields as text, and the file with the name that the client gave it."""

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self.file: ReceivedFile | None = None
        self.file_name: str | None = None


class _FormReader:
    """Collects the parser's events, then handles them: the parser's callbacks cannot await disk writes."""

    def __init__(self, boundary: bytes, receiver: FileReceiver) -> None:
        self.form = Form()
        self.ended = False
        self._receiver = receiver
        self._events: list[dict[str, bytes] | bytes | None] = []  # headers of a part, a piece of it, its end
        self._headers: dict[str, bytes] = {}
        self._header = b""
        self._name = ""
        self._value: bytearray | None = None  # of the current field; None: it is the file
        events = ("header_field", "header_value", "header_end", "headers_finished", "part_data", "part_end", "end")
        callbacks: Any = {f"on_{name}": getattr(self, f"_on_{name}") for name in events}
        self._parser = MultipartParser(boundary, callbacks)  # limits the number and size of a part's headers itself

    def _on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end].lower()

    def _on_header_value(self, data: bytes, start: int, end: int) -> None:
        name = self._header.decode("latin-1")
        self._headers[name] = self._headers.get(name, b"") + data[start:end]

    def _on_header_end(self) -> None:
        self._header = b""

    def _on_headers_finished(self) -> None:
        self._events.append(self._headers)
        self._headers = {}

    def _on_part_data(self, data: bytes, start: int, end: int) -> None:
        self._events.append(data[start:end])

    def _on_part_end(self) -> None:
        self._events.append(None)

    def _on_end(self) -> None:
        self.ended = True

    @property
    def _pointer(self) -> str:
        return f"/{self._name[:100]}"

    async def feed(self, piece: bytes) -> None:
        self._parser.write(piece)
        events, self._events = self._events, []
        for event in events:
            match event:
                case dict():
                    self._begin(event)
                case bytes():
                    await self._data(event)
                case None:
                    await self._end()

    def _begin(self, headers: dict[str, bytes]) -> None:
        _, options = parse_options_header(headers.get("content-disposition", b""))
        self._name = options.get(b"name", b"").decode("utf-8", "replace")
        is_file = self._name == "file"
        if b"filename" in options and not is_file:
            raise problems.invalid(self._pointer, "unknown_field", "The part with the file must be named file.")
        if self._name in self.form.fields or (is_file and self.form.file is not None):
            raise problems.invalid(self._pointer, "not_unique", "This field occurs twice.")
        self._value = None if is_file else bytearray()
        if is_file:
            self.form.file_name = options.get(b"filename", b"").decode("utf-8", "replace")

    async def _data(self, data: bytes) -> None:
        if self._value is None:
            await self._receiver.write(data)
            return
        self._value += data
        if len(self._value) > FIELD_BYTES_MAX:
            raise problems.invalid(self._pointer, "too_long", f"A field may have at most {FIELD_BYTES_MAX} bytes.")

    async def _end(self) -> None:
        if self._value is None:
            self.form.file = await self._receiver.finish()
            return
        try:
            self.form.fields[self._name] = self._value.decode()
        except UnicodeDecodeError:
            raise problems.invalid(self._pointer, "format", "This field is not valid UTF-8.") from None
        if len(self.form.fields) > FIELDS_MAX:
            raise problems.MalformedRequest(f"The form has more than {FIELDS_MAX} fields.")


async def read_form(content_type: str, pieces: AsyncIterator[bytes], receiver: FileReceiver) -> Form:
    """Read a form to its end.

    Raises:
        MalformedRequest: the body is not well-formed multipart, or it is truncated.
        ValidationFailed: a field is too long, not UTF-8 or occurs twice; also what `FileReceiver` raises.
    """
    _, options = parse_options_header(content_type)
    boundary = options.get(b"boundary", b"")
    if not 1 <= len(boundary) <= 200:
        raise problems.MalformedRequest(
            "The Content-Type has no usable boundary.",
            remediation="Let the HTTP client set Content-Type by itself, as curl -F does: it adds the boundary.",
        )
    reader = _FormReader(boundary, receiver)
    try:
        async for piece in pieces:
            await reader.feed(piece)
            if reader.ended:  # what follows the closing boundary has no meaning and might never end
                break
    except FormParserError as error:
        raise problems.MalformedRequest("The body is not well-formed multipart/form-data.") from error
    if not reader.ended:
        raise problems.MalformedRequest("The multipart body ends before its closing boundary.")
    return reader.form
