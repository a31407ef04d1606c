import importlib
from typing import Any

import pytest

from signalpost import events
from signalpost.kit.db import Db


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What webhooks would be told, in order."""
    heard: list[Any] = []

    async def listen(db: Db, event: Any) -> None:
        heard.append(event)

    subscribers = importlib.import_module("signalpost.events.emit")._subscribers
    for kind in (*events.PUBLIC_EVENTS.values(), events.RemovalRequested, events.PostSettled):
        monkeypatch.setitem(subscribers, kind, [listen])
    return heard
