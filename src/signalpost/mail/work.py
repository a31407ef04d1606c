from collections.abc import Mapping
from typing import Any, Final

import msgspec

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.mail import actions
from signalpost.mail.actions import RETRY_SECONDS, Result
from signalpost.mail.messages import Message

PURGE_JOB: Final = "mail.purge"
PURGE_SECONDS: Final = 3_600


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""

    async def send(lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
        return await run(context, lease, msgspec.convert(payload, Message))

    async def give_up(lease: Lease, payload: Mapping[str, Any], error: Exception | None) -> None:
        message = msgspec.convert(payload, Message)
        async with lease.transaction() as db:
            await actions.begin(db, message, None)
            await actions.settle(context, db, message, Result("failed", repr(error)[:500]))

    return [JobKind(actions.JOB, send, given_up=give_up), JobKind(PURGE_JOB, purge, PURGE_SECONDS)]


async def run(context: AppContext, lease: Lease, message: Message) -> RunAgain | None:
    """Try once to send a message; the engine tries again until the delays are used up."""
    async with lease.transaction() as db:
        attempt = await actions.begin(db, message, None)
    result = await actions.deliver(context, message)
    if result.state is None and attempt > len(RETRY_SECONDS):
        result = Result("failed", result.error)
    async with lease.transaction() as db:
        await actions.settle(context, db, message, result)
    return RunAgain(RETRY_SECONDS[attempt - 1]) if result.state is None else None


async def purge(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Delete what nobody asks for any more."""
    async with lease.transaction() as db:
        return RunAgain(0) if await actions.purge(db) else None
