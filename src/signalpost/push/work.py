"""Jobs: spread a message to the devices of its reader, and hand a notification to a push service."""

from collections.abc import Mapping
from typing import Any

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind
from signalpost.mail.actions import PUSH_JOB
from signalpost.push.actions import announce, sending


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""

    async def spread(lease: Lease, payload: Mapping[str, Any]) -> None:
        await announce.run(context, lease, payload)

    async def send(lease: Lease, payload: Mapping[str, Any]) -> None:
        await sending.run(context, lease, payload)

    return [JobKind(PUSH_JOB, spread), JobKind(sending.JOB, send)]
