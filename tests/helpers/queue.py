"""The queue, processed by `POST /queue/process` until something has happened."""

import asyncio
from collections.abc import Awaitable, Callable

from tests.helpers.api import Api

from signalpost.context import AppContext

_LIMIT = 500
_IDLE_ROUNDS = 20


async def process_until(context: AppContext, api: Api, has_happened: Callable[[], Awaitable[bool]]) -> None:
    """Process what is due, again and again: what other tests left in the database is due earlier, however much it is.

    Returns too when nothing more is done: then it did not happen, which the caller asserts.
    """
    secret, idle = {"X-Queue-Secret": context.settings.queue_secret or ""}, 0
    while not await has_happened() and idle < _IDLE_ROUNDS:
        answer = await api.post("/queue/process", json={"limit": _LIMIT}, headers=secret)
        assert answer.status_code == 200, answer.text
        idle = 0 if answer.json()["claimed"] else idle + 1
        if idle:  # a lane may be busy, or be looked at again a moment later
            await asyncio.sleep(0.05)
