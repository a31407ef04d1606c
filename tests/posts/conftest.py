from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from tests.helpers.identity import keep_callers

from signalpost import events
from signalpost.context import AppContext
from signalpost.kit.db import Db


@pytest.fixture
def emitted(monkeypatch: pytest.MonkeyPatch, context: AppContext) -> list[Any]:
    """The events about posts, in order; nobody else hears them meanwhile."""
    heard: list[Any] = []

    async def listen(_context: AppContext, db: Db, emitted: Sequence[Any]) -> None:
        heard.extend(emitted)

    kinds = (*events.PUBLIC_EVENTS.values(), events.RemovalRequested, events.PostSettled)
    subscribers = defaultdict(list, context.subscribers) | {kind: [listen] for kind in kinds}
    monkeypatch.setattr(context, "subscribers", subscribers)
    return heard


@pytest.fixture
def statements(context: AppContext, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The statements that run on the open connections of the pool, but for those that read who calls again."""
    keep_callers(context, monkeypatch)
    ran: list[str] = []

    def log(record: Any) -> None:
        ran.append(record.query)

    connections = context.database.pool.connections
    for connection in connections:
        connection.add_query_logger(log)
    yield ran
    for connection in connections:
        connection.remove_query_logger(log)
