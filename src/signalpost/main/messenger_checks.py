"""What `signalpost doctor` says of messengers: which of them are set up, and whether they take the credentials."""

import asyncio

from signalpost.kit.http import Client, HttpFailure
from signalpost.main.checks import Check
from signalpost.messenger import messengers
from signalpost.messenger.contract import Messenger, Works
from signalpost.settings import Settings

_UNREACHABLE = "Check that this machine reaches it: its name, the firewall, and the network."


async def examine(settings: Settings) -> list[Check]:
    """Ask each messenger that is set up, in a call or two that change nothing."""
    configured = messengers.configured(settings)
    if not configured:
        return [Check("messenger", ok=True, detail="none is set up")]
    async with Client(settings.allowed_private_hosts) as client:
        return list(await asyncio.gather(*[_examine(client, settings, messenger) for messenger in configured]))


async def _examine(client: Client, settings: Settings, messenger: Messenger) -> Check:
    name = f"messenger {messenger.name}"
    try:
        answer = await messenger.examine(client, settings)
    except HttpFailure as failure:
        return Check(name, ok=False, detail=failure.detail, fix=_UNREACHABLE)
    if isinstance(answer, Works):
        return Check(name, ok=True, detail=answer.account)
    return Check(name, ok=False, detail=answer.reason, fix=answer.fix)
