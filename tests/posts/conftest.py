from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pytest

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
