"""What people see: tables in a terminal, columns with tabs in a pipe. Text of others controls no terminal."""

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from signalpost_client.errors import Problem, SignalpostError

Row = Mapping[str, Any]
Column = tuple[str, str | Callable[[Row], Any]]
"""Its title, and the member that it shows, or what computes it."""
COLOURS: Final = {
    "published": "green", "active": "green", "ready": "green", "delivered": "green", "ok": "green",
    "failed": "red", "partial": "yellow", "needs_reauth": "red", "unknown": "yellow", "scheduled": "cyan",
    "queued": "cyan", "publishing": "cyan", "draft": "dim",
}  # fmt: skip


def plain(text: str) -> str:
    """Return text without characters that move cursors, change colours or hide text."""
    return "".join(
        character if character.isprintable() or character in "\n\t" else "\N{REPLACEMENT CHARACTER}"
        for character in text
    )


def cell(row: Row, column: Column) -> str:
    """Return a value as one line."""
    source = column[1]
    value = source(row) if callable(source) else row.get(source)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return " ".join(plain(str(value)).split())


def table(rows: Iterable[Row], columns: Sequence[Column], *, empty: str) -> None:
    """Print rows: as a table for people, with tabs and without titles for programs."""
    cells = [[cell(row, column) for column in columns] for row in rows]
    if not sys.stdout.isatty():
        for line in cells:
            sys.stdout.write("\t".join(line) + "\n")
        return
    if not cells:
        sys.stdout.write(empty + "\n")
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for title, _ in columns:
        grid.add_column(title, overflow="ellipsis", no_wrap=title in ("Id", "Status", "When"))
    for line in cells:
        grid.add_row(*(Text(text, style=COLOURS.get(text, "")) for text in line))
    Console(highlight=False).print(grid)


def members(row: Row, columns: Sequence[Column]) -> None:
    """Print one thing, a member a line; what is not there is left out."""
    width = max(len(title) for title, _ in columns)
    for column in columns:
        if text := cell(row, column):
            sys.stdout.write(f"{column[0]:<{width}}  {text}\n" if sys.stdout.isatty() else f"{column[0]}\t{text}\n")


def as_json(document: Any) -> None:
    """Print JSON for programs."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None) + "\n")
    sys.stdout.flush()


def remark(text: str) -> None:
    """Say something that is not the result: to standard error."""
    sys.stderr.write(plain(text) + "\n")
    sys.stderr.flush()


def when(member: str) -> Callable[[Row], str]:
    """Show a time in the zone of this machine."""

    def show(row: Row) -> str:
        from datetime import datetime

        value = row.get(member)
        if not value:
            return ""
        try:
            return f"{datetime.fromisoformat(value).astimezone():%a %d %b %Y %H:%M}"
        except ValueError:
            return str(value)

    return show


def problem_lines(error: SignalpostError) -> list[str]:
    """Return what people read of an error: what happened, where, and what to do."""
    if not isinstance(error, Problem):
        return [str(error)]
    lines = [error.detail or error.title]
    if len(error.issues) > 1:
        lines = [error.title + ":", *(f"  {issue.path or 'body'}: {issue.message}" for issue in error.issues[:20])]
        lines += [f"  and {len(error.issues) - 20} more"] if len(error.issues) > 20 else []
    elif error.remediation:
        lines.append(error.remediation)
    if error.status == 401:
        lines.append("Run `sp login` with a key that is valid.")
    if error.retry_after_seconds:
        lines.append(f"Try again in {error.retry_after_seconds:g} seconds.")
    if error.status >= 500 and error.request_id:
        lines.append(f"Request {error.request_id}.")
    return lines
