"""Writing Apache Parquet: flat tables of optional columns, PLAIN values in compressed pages. Pure.

The format is public (parquet.apache.org/docs/file-format). A library that reads and writes all of it takes a hundred
times the space of the service; this is the part that a table of numbers needs (decision 0212).
"""

import struct
import zlib
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Final, Literal, NamedTuple

Kind = Literal["text", "integer", "number", "instant", "day"]

_MAGIC: Final = b"PAR1"
_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()
_INT32, _INT64, _DOUBLE, _BYTE_ARRAY = 1, 2, 5, 6
_PHYSICAL: Final[dict[Kind, int]] = {
    "text": _BYTE_ARRAY, "integer": _INT64, "number": _DOUBLE, "instant": _INT64, "day": _INT32,
}  # fmt: skip
_UTF8, _DATE, _TIMESTAMP_MILLIS = 0, 6, 9
_CONVERTED: Final[dict[Kind, int]] = {"text": _UTF8, "day": _DATE, "instant": _TIMESTAMP_MILLIS}
_LOGICAL_TIMESTAMP = 8
_OPTIONAL, _PLAIN, _RLE, _GZIP, _DATA_PAGE = 1, 0, 3, 2, 0


class Column(NamedTuple):
    """A column; None in it is null."""

    name: str
    kind: Kind


class Writer:
    """Writes a table in groups of rows: `begin`, `group` for each, `end` return the bytes of the file in order."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._groups: list[bytes] = []
        self._rows = 0
        self._size = 0

    def begin(self) -> bytes:
        """Return how the file begins."""
        return self._count(_MAGIC)

    def group(self, rows: Sequence[Sequence[Any]]) -> bytes:
        """Return a group of rows, each with its values in the order of the columns."""
        chunks, pieces, total = [], [], 0
        for index, column in enumerate(self._columns):
            offset = self._size
            page, plain_size = _page(column, [row[index] for row in rows])
            pieces.append(self._count(page))
            meta = _Struct()
            meta.integer(1, _PHYSICAL[column.kind])
            meta.list(2, _I32, [_zigzag(_PLAIN), _zigzag(_RLE)])
            meta.list(3, _BINARY, [_text(column.name)])
            meta.integer(4, _GZIP)
            meta.long(5, len(rows))
            meta.long(6, plain_size)
            meta.long(7, len(page))
            meta.long(9, offset)
            chunk = _Struct()
            chunk.long(2, offset)
            chunk.struct(3, meta)
            chunks.append(chunk.finish())
            total += plain_size
        group = _Struct()
        group.list(1, _STRUCT, chunks)
        group.long(2, total)
        group.long(3, len(rows))
        self._groups.append(group.finish())
        self._rows += len(rows)
        return b"".join(pieces)

    def end(self) -> bytes:
        """Return how the file ends."""
        root = _Struct()
        root.binary(4, _text("schema"))
        root.integer(5, len(self._columns))
        footer = _Struct()
        footer.integer(1, 1)
        footer.list(2, _STRUCT, [root.finish(), *map(_schema, self._columns)])
        footer.long(3, self._rows)
        footer.list(4, _STRUCT, self._groups)
        footer.binary(6, _text("signalpost"))
        meta = footer.finish()
        return meta + struct.pack("<I", len(meta)) + _MAGIC

    def _count(self, piece: bytes) -> bytes:
        self._size += len(piece)
        return piece


def _schema(column: Column) -> bytes:
    element = _Struct()
    element.integer(1, _PHYSICAL[column.kind])
    element.integer(3, _OPTIONAL)
    element.binary(4, _text(column.name))
    if column.kind in _CONVERTED:
        element.integer(6, _CONVERTED[column.kind])
    if column.kind == "instant":
        milliseconds, timestamp, logical = _Struct(), _Struct(), _Struct()
        milliseconds.struct(1, _Struct())
        timestamp.true(1)  # in UTC
        timestamp.struct(2, milliseconds)
        logical.struct(_LOGICAL_TIMESTAMP, timestamp)
        element.struct(10, logical)
    return element.finish()


def _page(column: Column, values: Sequence[Any]) -> tuple[bytes, int]:
    """Return a page with its header, and its size before compression."""
    present = [value for value in values if value is not None]
    bits = sum(1 << index for index, value in enumerate(values) if value is not None)
    groups = (len(values) + 7) // 8
    levels = _varint(groups << 1 | 1) + bits.to_bytes(groups, "little")  # one bit-packed run: 1 = there is a value
    body = struct.pack("<I", len(levels)) + levels + _plain(column.kind, present)
    compressor = zlib.compressobj(6, zlib.DEFLATED, 31)  # 31: with the frame of gzip
    packed = compressor.compress(body) + compressor.flush()
    data = _Struct()
    data.integer(1, len(values))
    data.integer(2, _PLAIN)
    data.integer(3, _RLE)
    data.integer(4, _RLE)
    header = _Struct()
    header.integer(1, _DATA_PAGE)
    header.integer(2, len(body))
    header.integer(3, len(packed))
    header.struct(5, data)
    head = header.finish()
    return head + packed, len(head) + len(body)


def _plain(kind: Kind, values: Sequence[Any]) -> bytes:
    match kind:
        case "text":
            encoded = [value.encode() for value in values]
            return b"".join([struct.pack("<I", len(value)) + value for value in encoded])
        case "number":
            return struct.pack(f"<{len(values)}d", *values)
        case "day":
            return struct.pack(f"<{len(values)}i", *[value.toordinal() - _EPOCH_DAY for value in values])
        case "instant":
            return struct.pack(f"<{len(values)}q", *map(_milliseconds, values))
        case "integer":
            return struct.pack(f"<{len(values)}q", *values)


def _milliseconds(instant: datetime) -> int:
    return round(instant.timestamp() * 1000)


# --- the compact protocol of Thrift ---------------------------------------------------------------------------------

_TRUE, _I32, _I64, _BINARY, _LIST, _STRUCT = 1, 5, 6, 8, 9, 12


class _Struct:
    """A struct under construction; its fields come in ascending order."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._last = 0

    def integer(self, field: int, value: int) -> None:
        self._add(field, _I32, _zigzag(value))

    def true(self, field: int) -> None:
        self._add(field, _TRUE, b"")

    def long(self, field: int, value: int) -> None:
        self._add(field, _I64, _zigzag(value))

    def binary(self, field: int, value: bytes) -> None:
        self._add(field, _BINARY, value)

    def struct(self, field: int, value: "_Struct") -> None:
        self._add(field, _STRUCT, value.finish())

    def list(self, field: int, kind: int, items: Sequence[bytes]) -> None:
        head = bytes([len(items) << 4 | kind]) if len(items) < 15 else bytes([0xF0 | kind]) + _varint(len(items))
        self._add(field, _LIST, head + b"".join(items))

    def finish(self) -> bytes:
        return b"".join(self._pieces) + b"\0"

    def _add(self, field: int, kind: int, value: bytes) -> None:
        self._pieces.append(bytes([field - self._last << 4 | kind]) + value)
        self._last = field


def _zigzag(value: int) -> bytes:
    return _varint(value << 1 if value >= 0 else -value * 2 - 1)


def _text(value: str) -> bytes:
    encoded = value.encode()
    return _varint(len(encoded)) + encoded


def _varint(value: int) -> bytes:
    pieces = bytearray()
    while value > 0x7F:
        pieces.append(value & 0x7F | 0x80)
        value >>= 7
    pieces.append(value)
    return bytes(pieces)
