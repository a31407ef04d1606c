"""Connections to PostgreSQL that record each statement as a span, for a process that records spans.

Only statements of a request, an attempt, a delivery or a job are recorded: those with which workers look for work are
many and belong to nobody. A span has the text of the statement without its parameters.
"""

import re
from functools import lru_cache
from typing import Any

from signalpost.kit import tracing
from signalpost.kit.connections import Connection, PooledConnection

TEXT_MAX = 1_000
"""How many characters of a statement are recorded."""
_LITERAL = re.compile(r"'[^']*'")
_SPACE = re.compile(r"\s+")
_CHANGES = re.compile(r"\b(insert into|delete from|update) ([a-z_]+) (?:[a-z_]+ )?(?:set|using|where|\(|select|values)")
_READS = re.compile(r"\bfrom ([a-z_]+)")


@lru_cache(maxsize=2_048)
def described(statement: str) -> tuple[str, dict[str, str]]:
    """Return the name of a statement's span, such as `insert post`, and its attributes. Constants in it are left out.

    A text that ends within a constant is cut off there.
    """
    text = _SPACE.sub(" ", _LITERAL.sub("?", statement).partition("'")[0]).strip()
    if change := _CHANGES.search(text):
        name = f"{change[1].split()[0]} {change[2]}"
    else:
        reads = _READS.search(text)
        name = text.partition(" ")[0].rstrip(";").lower() + (f" {reads[1]}" if reads else "")
    name = name or "statement"
    return name, {"db.system.name": "postgresql", "db.query.summary": name, "db.query.text": text[:TEXT_MAX]}


def _recorded(statement: str) -> tracing.Recorded:
    name, attributes = described(statement)
    return tracing.Recorded(name, attributes, kind="client")


class _Traced(Connection):
    async def execute(self, query: str, *args: Any, timeout: float | None = None) -> str:  # noqa: ASYNC109 - as asyncpg
        if tracing.open_span() is None:
            return await super().execute(query, *args, timeout=timeout)
        with _recorded(query):
            return await super().execute(query, *args, timeout=timeout)

    async def _execute(self, query: str, args: Any, limit: int, timeout: float | None, **options: Any) -> Any:  # noqa: ASYNC109 - as asyncpg
        if tracing.open_span() is None:
            return await super()._execute(query, args, limit, timeout, **options)
        with _recorded(query):
            return await super()._execute(query, args, limit, timeout, **options)

    async def executemany(self, command: str, args: Any, *, timeout: float | None = None) -> None:  # noqa: ASYNC109 - as asyncpg
        if tracing.open_span() is None:
            return await super().executemany(command, args, timeout=timeout)
        with _recorded(command):
            return await super().executemany(command, args, timeout=timeout)


class TracedConnection(_Traced, Connection):
    """A connection to the server."""


class TracedPooledConnection(_Traced, PooledConnection):
    """A connection to a pooler in transaction mode."""
