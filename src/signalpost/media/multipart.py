"""multipart/form-data, read as it comes: small fields into memory, the one file into an receiver."""

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
    """What was sent: fields as text, and the file with the name its sender gave it."""

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self.file: ReceivedFile | None = None
        self.file_name: str | None = None


class _Reader:
    """Collects what the parser tells, then acts on it: the parser's callbacks cannot wait for a disk."""

    def __init__(self, boundary: bytes, receiver: FileReceiver) -> None:
        self.form = Form()
        self.ended = False
        self._intake = receiver
        self._told: list[dict[str, bytes] | bytes | None] = []  # head of a part, piece of it, its end
        self._headers: dict[str, bytes] = {}
        self._header = b""
        self._name = ""
        self._value: bytearray | None = None  # of the field being read; None: it is the file
        heard = ("header_field", "header_value", "header_end", "headers_finished", "part_data", "part_end", "end")
        callbacks: Any = {f"on_{name}": getattr(self, f"_on_{name}") for name in heard}
        self._parser = MultipartParser(boundary, callbacks)  # bounds number and size of the headers of a part itself

    def _on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end].lower()

    def _on_header_value(self, data: bytes, start: int, end: int) -> None:
        name = self._header.decode("latin-1")
        self._headers[name] = self._headers.get(name, b"") + data[start:end]

    def _on_header_end(self) -> None:
        self._header = b""

    def _on_headers_finished(self) -> None:
        self._told.append(self._headers)
        self._headers = {}

    def _on_part_data(self, data: bytes, start: int, end: int) -> None:
        self._told.append(data[start:end])

    def _on_part_end(self) -> None:
        self._told.append(None)

    def _on_end(self) -> None:
        self.ended = True

    async def feed(self, piece: bytes) -> None:
        self._parser.write(piece)
        told, self._told = self._told, []
        for entry in told:
            match entry:
                case dict():
                    self._begin(entry)
                case bytes():
                    await self._data(entry)
                case None:
                    await self._end()

    def _begin(self, headers: dict[str, bytes]) -> None:
        _, options = parse_options_header(headers.get("content-disposition", b""))
        self._name = options.get(b"name", b"").decode("utf-8", "replace")
        is_file = self._name == "file"
        if b"filename" in options and not is_file:
            raise problems.invalid(f"/{self._name[:100]}", "unknown_field", "The part with the file is named file.")
        if self._name in self.form.fields or (is_file and self.form.file is not None):
            raise problems.invalid(f"/{self._name[:100]}", "not_unique", "This field is given twice.")
        self._value = None if is_file else bytearray()
        if is_file:
            self.form.file_name = options.get(b"filename", b"").decode("utf-8", "replace")

    async def _data(self, data: bytes) -> None:
        if self._value is None:
            await self._intake.take(data)
            return
        self._value += data
        if len(self._value) > FIELD_BYTES_MAX:
            raise problems.invalid(f"/{self._name[:100]}", "too_long", f"A field has at most {FIELD_BYTES_MAX} bytes.")

    async def _end(self) -> None:
        if self._value is None:
            self.form.file = await self._intake.finish()
            return
        try:
            self.form.fields[self._name] = self._value.decode()
        except UnicodeDecodeError:
            raise problems.invalid(f"/{self._name[:100]}", "format", "This field is not UTF-8.") from None
        if len(self.form.fields) > FIELDS_MAX:
            raise problems.MalformedRequest(f"The form has more than {FIELDS_MAX} fields.")


async def read(content_type: str, pieces: AsyncIterator[bytes], receiver: FileReceiver) -> Form:
    """Read a form to its end.

    Raises:
        MalformedRequest: it is no well-formed multipart body, or it is cut off.
        ValidationFailed: a field is too long, not UTF-8 or given twice; and what `FileReceiver` raises.
    """
    _, options = parse_options_header(content_type)
    boundary = options.get(b"boundary", b"")
    if not 1 <= len(boundary) <= 200:
        raise problems.MalformedRequest("Content-Type names no usable boundary.")
    reader = _Reader(boundary, receiver)
    try:
        async for piece in pieces:
            await reader.feed(piece)
            if reader.ended:  # whatever follows the closing boundary means nothing, and might never end
                break
    except FormParserError as error:
        raise problems.MalformedRequest("The body is not well-formed multipart/form-data.") from error
    if not reader.ended:
        raise problems.MalformedRequest("The multipart body ends before its closing boundary.")
    return reader.form
