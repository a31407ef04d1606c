"""Posts as rows of CSV: from the bytes of a file to bodies. Pure; no more of a file is in memory than one row."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from signalpost.kit import issue_text, problems
from signalpost.kit.problems import Issue, ValidationFailed

COLUMNS: Final = (
    "profileId", "text", "title", "mediaUrls", "platforms", "scheduledAt", "timezone", "externalId", "tags",
    "publishMode", "queueId",
)  # fmt: skip
ROW_BYTES_MAX: Final = 300_000
"""A text of the greatest length fits, and all the rest. Longer rows are not looked at."""
HEADER_BYTES_MAX: Final = 2_000
SEPARATORS_MAX: Final = 110_000
"""More than all texts of a post may have: a row with more of them has too many cells, whatever stands in quotes."""
_LISTS: Final = {"mediaUrls": "|", "platforms": "|,", "tags": "|,"}
"""Columns with several values, and what separates these."""
_DELIMITERS: Final = (",", ";", "\t")
_SHOWN_MAX: Final = 40
_ISSUES_MAX: Final = 10
csv.field_size_limit(ROW_BYTES_MAX)  # of this process; nothing else reads CSV


class Record(NamedTuple):
    """The bytes of one row, and the line in which it begins, from 1."""

    line: int
    content: bytes


class Records:
    """Splits a file into rows as its bytes arrive. A row ends with a line outside of quotes."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = self._quotes = 0
        self._line = self._begins = 1

    def feed(self, piece: bytes) -> Iterator[Record]:
        """Yield the rows that end in this piece.

        Raises:
            ValidationFailed: a row is too long.
        """
        for part in _lines(piece):
            self._parts.append(part)
            self._size += len(part)
            self._quotes += part.count(b'"')
            if self._size > ROW_BYTES_MAX:
                message = f"The row that begins in line {self._begins} is longer than {ROW_BYTES_MAX} bytes."
                hint = "Perhaps a closing quote is missing."
                raise problems.invalid("", "too_long", f"{message} {hint}", max=ROW_BYTES_MAX)
            if part.endswith(b"\n"):
                self._line += 1
                if self._quotes % 2 == 0:
                    yield self._take()

    def end(self) -> Iterator[Record]:
        """Yield the last row, if no line end follows it.

        Raises:
            ValidationFailed: the file ends within quotes.
        """
        if self._quotes % 2:
            message = f"The row that begins in line {self._begins} has an opening quote without a closing one."
            raise problems.invalid("", "format", message)
        if self._parts:
            yield self._take()

    def _take(self) -> Record:
        record = Record(self._begins, b"".join(self._parts))
        self._parts.clear()
        self._size = self._quotes = 0
        self._begins = self._line
        return record


def _lines(piece: bytes) -> Iterator[bytes]:
    """Yield the lines of a piece, split at line feeds only."""
    *lines, rest = piece.split(b"\n")
    yield from (line + b"\n" for line in lines)
    if rest:
        yield rest


class Header(NamedTuple):
    """The columns of a file in their order, and what separates its cells."""

    columns: Sequence[str]
    delimiter: str

    def body_of(self, record: Record) -> dict[str, Any]:
        """Return a row as the body of a post; empty cells are left out.

        Raises:
            ValidationFailed: it is not UTF-8, or has cells without a column.
        """
        if (separators := record.content.count(self.delimiter.encode())) > SEPARATORS_MAX:
            raise self._too_many_cells(record, separators + 1)
        cells = _cells(record, self.delimiter)
        if len(cells) > len(self.columns):
            raise self._too_many_cells(record, len(cells))
        body: dict[str, Any] = {}
        for name, cell in zip(self.columns, cells, strict=False):
            if name in _LISTS:
                body[name] = _values(cell, name)
            elif cell.strip():
                body[name] = cell if name == "text" else cell.strip()
        return {name: value for name, value in body.items() if value}

    def _too_many_cells(self, record: Record, count: int) -> ValidationFailed:
        message = f"Line {record.line} has {count} cells, but the file has {len(self.columns)} columns."
        return problems.invalid("", "format", f"{message} Put cells with separators into quotes.")


def read_header(record: Record) -> Header:
    """Return the columns that the first row names.

    Raises:
        ValidationFailed: a column is unknown, there twice, or missing.
    """
    if len(record.content) > HEADER_BYTES_MAX:
        message = f"The first row names the columns, so it has at most {HEADER_BYTES_MAX} bytes."
        raise problems.invalid("", "too_long", message, max=HEADER_BYTES_MAX)
    text = _decode(record)
    delimiter = next((character for character in _DELIMITERS if character in text), ",")
    names = [name.strip() for name in _cells(record, delimiter)]
    unknown = [name[:_SHOWN_MAX] for name in names if name not in COLUMNS][:_ISSUES_MAX]
    issues = [issue_text.unknown_field(name, name, COLUMNS, word="column") for name in unknown]
    issues += [Issue(name, "not_unique", "This column is there twice.") for name in COLUMNS if names.count(name) > 1]
    if "profileId" not in names:
        message = f"The first row names the columns: profileId, and any of {', '.join(COLUMNS[1:])}."
        issues.append(Issue("profileId", "required", message))
    if issues:
        raise ValidationFailed(errors=issues[:_ISSUES_MAX])
    return Header(names, delimiter)


def is_blank(record: Record) -> bool:
    """Whether there is nothing in the row."""
    return not record.content.strip(b" ,;\t\r\n")


def _decode(record: Record) -> str:
    try:
        text = record.content.decode("utf-8-sig" if record.line == 1 else "utf-8")
    except UnicodeDecodeError:
        raise problems.invalid("", "format", f"Line {record.line} is not UTF-8. Save the file in UTF-8.") from None
    if "\0" in text:
        raise problems.invalid("", "format", f"Line {record.line} contains the character U+0000.")
    return text


def _cells(record: Record, delimiter: str) -> list[str]:
    text = _decode(record)
    try:
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
    except csv.Error as error:
        message = f"Line {record.line} cannot be read: {str(error).rstrip('.')}. Put cells with quotes into quotes."
        raise problems.invalid("", "format", message) from None


def _values(cell: str, name: str) -> list[str]:
    for separator in _LISTS[name]:
        cell = cell.replace(separator, "\n")
    parts = cell.split() if name == "mediaUrls" else cell.split("\n")
    return [part.strip() for part in parts if part.strip()]
