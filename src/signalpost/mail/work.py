from collections.abc import Mapping
from typing import Any

import msgspec

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind
from signalpost.mail import actions
from signalpost.mail.messages import Message


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""

    async def send(_lease: Lease, payload: Mapping[str, Any]) -> None:
        await actions.send(context.settings, msgspec.convert(payload, Message))

    return [JobKind(actions.JOB, send)]
