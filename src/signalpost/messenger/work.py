"""Work of this room: asking for messages, sorting and handling messages, sending replies, and forgetting both."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import Handler, JobKind, RunAgain
from signalpost.kit import batches
from signalpost.messenger import messengers
from signalpost.messenger.actions import handle, poll, recall, receive, reply, send
from signalpost.messenger.contract import Forgetful, Polled

PURGE_JOB: Final = "messenger.purge"
PURGE_SECONDS: Final = 3_600
POLL_SECONDS: Final = 30
# A message comes again for up to seven days, so that long it is remembered that it was handled.
_PURGE: Final = (
    batches.delete("messenger_message", "received_at < now() - interval '8 days'"),
    batches.delete("messenger_reply", "created_at < now() - interval '8 days'"),
    batches.delete("messenger_code", "expires_at < now()"),
    batches.delete("messenger_link", "key_id in (select id from api_key where expires_at < now())"),
    batches.delete("messenger_guess", "updated_at < now() - interval '1 day'"),  # no lock lasts as long
)


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""

    async def sort(lease: Lease, payload: Mapping[str, Any]) -> None:
        await handle.sort(context, lease, payload)

    async def run(lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
        return await handle.handle(context, lease, payload)

    async def give_up(lease: Lease, payload: Mapping[str, Any], _error: Exception | None) -> None:
        await handle.give_up(context, lease, payload)

    async def send_waiting(lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
        return await send.send_waiting(context, lease, payload)

    polled = [messenger for messenger in messengers.POLLED if messenger.is_configured(context.settings)]
    forgetful = [messenger for messenger in messengers.FORGETFUL if messenger.is_configured(context.settings)]

    def asking(messenger: Polled) -> Handler:
        async def ask(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain:
            return await poll.poll(context, lease, messenger)

        return ask

    def looking(messenger: Forgetful) -> Handler:
        async def look(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
            return await recall.recall(context, lease, messenger)

        return look

    return [
        *[JobKind(f"messenger.poll_{messenger.name}", asking(messenger), POLL_SECONDS) for messenger in polled],
        *[JobKind(recall.job_of(messenger.name), looking(messenger)) for messenger in forgetful],
        JobKind(receive.SORT_JOB, sort),
        JobKind(handle.HANDLE_JOB, run, given_up=give_up),
        JobKind(reply.SEND_JOB, send_waiting),
        JobKind(PURGE_JOB, purge, PURGE_SECONDS),
    ]


async def purge(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Forget messages, replies and codes that nobody needs any more."""
    more = False
    for statement in _PURGE:
        async with lease.transaction() as db:
            more |= await batches.run(db, [statement])
    return RunAgain(0) if more else None
