"""What `webhooks listen`, `trigger` and `resend` do: they are clients of the API, wherever the instance is.

`listen` keeps a webhook with the deliveryMode `poll` at the instance. Events wait there until this program reports what
the local address answered, so neither a restart of the instance nor one of this program loses any.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, TypeVar

from signalpost.kit import clock
from signalpost.kit.errors import OperatorError
from signalpost.kit.http import Client, HttpFailure, NotSent
from signalpost.main.remote import Refused, Remote, Unreachable

T = TypeVar("T")
Json = dict[str, Any]

NAME: Final = "signalpost webhooks listen"
POLL_SECONDS: Final = 1.0
RETRY_SECONDS: Final = (1.0, 2.0, 5.0, 10.0)
BATCH: Final = 20
REPORT_SECONDS: Final = 1.0
NOT_FOUND: Final = 404
FORWARD_SECONDS: Final = 60.0
"""The receiver may stand at a breakpoint."""
_RESPONSE_MAX: Final = 2_048
_NOT_FORWARDED: Final = "Not forwarded: it happened before `webhooks listen --only-new` began."


@dataclass
class Screen:
    """Where events and remarks go: remarks to standard error, so that standard output has nothing but events."""

    as_json: bool

    def event(self, delivery: Json, result: Json) -> None:
        """Show a delivery and what became of it."""
        envelope = json.loads(delivery["body"])
        if self.as_json:
            line = json.dumps(
                {"event": envelope, "result": {name: result[name] for name in result if name != "response"}}
            )
        else:
            outcome = result["status"] or result["error"]
            what = f"{envelope['createdAt']}  {delivery['type']:<24}  {delivery['id']}"
            line = f"{what}  {outcome}  ({result['durationMs']} ms)"
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    def remark(self, text: str) -> None:
        """Say something about the connection."""
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


class Listener:
    """Forwards what happens to one local address, until it is stopped."""

    def __init__(self, remote: Remote, http: Client, forward: str, screen: Screen) -> None:
        self._remote = remote
        self._http = http
        self._forward = forward
        self._screen = screen

    async def open(self, events: Sequence[str], *, new_secret: bool, only_new: bool) -> str:
        """Create the webhook, or find the one of an earlier run; return its id.

        Raises:
            OperatorError: the address has no scheme.
            Refused: the key may not, or an event is unknown.
        """
        if not self._forward.startswith(("http://", "https://")):
            raise OperatorError(
                f"--forward needs a whole address, such as http://localhost:3000/hooks, not {self._forward!r}."
            )
        listed = await self._retrying(lambda: self._remote.call("GET", "/webhooks"))
        mine = next(
            (
                webhook
                for webhook in listed["data"]
                if webhook["url"] == self._forward and webhook["deliveryMode"] == "poll"
            ),
            None,
        )
        if mine is None:
            fields = {"url": self._forward, "deliveryMode": "poll", "name": NAME, "events": list(events)}
            mine = await self._remote.call("POST", "/webhooks", fields)
            self._screen.remark(f"Deliveries are signed with {mine['secret']} (not shown again; see --new-secret).")
            return str(mine["id"])
        path = f"/webhooks/{mine['id']}"
        if mine["status"] != "active":
            self._screen.remark(
                "It was paused: what happened meanwhile is not forwarded. A replay sends it:"
                f" POST {self._remote.url}/api/v1{path}/replay"
            )
        await self._remote.call("PATCH", path, {"events": list(events), "active": True})
        if new_secret:
            rotated = await self._remote.call("POST", f"{path}/rotate-secret", {"overlapSeconds": 0})
            self._screen.remark(f"Deliveries are signed with {rotated['secret']} (not shown again).")
        await self._tell_of_waiting(path, only_new=only_new)
        return str(mine["id"])

    async def _tell_of_waiting(self, path: str, *, only_new: bool) -> None:
        """Say what happened since the last run; with `only_new`, report all of it as not forwarded."""
        while (waiting := await self._pending(path))["data"]:
            if not only_new:
                oldest = json.loads(waiting["data"][0]["body"])["createdAt"]
                self._screen.remark(f"What happened since {oldest}, while nobody listened, is forwarded first.")
                return
            results = [{"id": delivery["id"], "error": _NOT_FORWARDED} for delivery in waiting["data"]]
            await self._remote.call("POST", f"{path}/results", {"results": results})

    async def run(self, webhook_id: str) -> None:
        """Forward until this is cancelled.

        Raises:
            Refused: the webhook was deleted, or the key ended.
        """
        path = f"/webhooks/{webhook_id}"
        while True:
            waiting = await self._retrying(lambda: self._pending(path))
            results: list[Json] = []
            reported_at = clock.monotonic()
            for delivery in waiting["data"]:
                numbers = count()
                while (result := await self._forwarded(delivery, number := next(numbers))) is None:
                    await self._report(path, results)  # before a wait that may be long
                    await asyncio.sleep(_delay(number))
                results.append(result)
                self._screen.event(delivery, result)
                if clock.monotonic() - reported_at > REPORT_SECONDS:
                    await self._report(path, results)
                    reported_at = clock.monotonic()
            await self._report(path, results)
            if not waiting["data"]:
                await asyncio.sleep(POLL_SECONDS)

    async def remove(self, webhook_id: str) -> None:
        """Delete the webhook: nothing is recorded for it any more."""
        await self._remote.call("DELETE", f"/webhooks/{webhook_id}")

    async def _pending(self, path: str) -> Json:
        answer: Json = await self._remote.call("GET", f"{path}/pending?limit={BATCH}")
        return answer

    async def _report(self, path: str, results: list[Json]) -> None:
        """Report results, and forget them: the deliveries do not wait any longer."""
        if results:
            await self._retrying(lambda: self._remote.call("POST", f"{path}/results", {"results": results}))
            results.clear()

    async def _forwarded(self, delivery: Json, number: int) -> Json | None:
        """Pass a delivery on; return the result, or None if it cannot be reached."""
        started = clock.monotonic()
        try:
            response = await self._http.request(
                "POST",
                self._forward,
                headers=delivery["headers"],
                data=delivery["body"].encode(),
                timeout_seconds=FORWARD_SECONDS,
                bytes_max=_RESPONSE_MAX,
                truncate=True,
                trusted=True,
            )
        except NotSent as failure:
            if number == 0:
                self._screen.remark(f"{self._forward} cannot be reached: {failure.detail}. Waiting for it.")
            return None
        except HttpFailure as failure:
            return _result(delivery, started, failure.status, failure.detail[:500], None)
        text = response.body[:_RESPONSE_MAX].decode("utf-8", "replace").replace("\0", "")
        return _result(delivery, started, response.status, None, text)

    async def _retrying(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do something at the instance, again and again as long as it cannot be reached."""
        number = 0
        while True:
            try:
                result = await work()
            except Unreachable as unreachable:
                if number == 0:
                    self._screen.remark(f"{unreachable} Trying again.")
                await asyncio.sleep(_delay(number))
                number += 1
            else:
                if number:
                    self._screen.remark(f"{self._remote.url} answers again; what happened meanwhile waits there.")
                return result


def _delay(number: int) -> float:
    return RETRY_SECONDS[min(number, len(RETRY_SECONDS) - 1)]


def _result(delivery: Json, started: float, status: int | None, error: str | None, response: str | None) -> Json:
    duration = min(round((clock.monotonic() - started) * 1000), 3_600_000)
    return {
        "id": delivery["id"], "status": status, "error": None if status else error, "response": response,
        "durationMs": duration,
    }  # fmt: skip


async def trigger(remote: Remote, event: str, webhook_id: str | None) -> Json:
    """Send the example of an event to a webhook: to the one that is named, or the newest one of `webhooks listen`.

    Raises:
        OperatorError: no webhook is named, and no `webhooks listen` runs.
    """
    if webhook_id is None:
        listed = (await remote.call("GET", "/webhooks"))["data"]
        polled = [
            webhook["id"] for webhook in listed if webhook["deliveryMode"] == "poll" and webhook["status"] == "active"
        ]
        if not polled:
            raise OperatorError("No `webhooks listen` runs. Start `webhooks listen`, or name a webhook with --webhook.")
        webhook_id = polled[0]
    delivery: Json = await remote.call("POST", f"/webhooks/{webhook_id}/test", {"type": event})
    return delivery


async def resend(remote: Remote, delivery_id: str, webhook_id: str | None) -> Json:
    """Send a delivery again; without its webhook, look for it.

    Raises:
        OperatorError: no webhook has such a delivery.
    """
    candidates = [webhook_id]
    if webhook_id is None:
        candidates = [webhook["id"] for webhook in (await remote.call("GET", "/webhooks"))["data"]]
    for candidate in candidates:
        path = f"/webhooks/{candidate}/deliveries/{delivery_id}"
        if webhook_id is None and not await _exists(remote, path):
            continue
        delivery: Json = await remote.call("POST", f"{path}/resend")
        return delivery
    raise OperatorError(f"No webhook has a delivery {delivery_id!r}. Its id begins with dlv_.")


async def _exists(remote: Remote, path: str) -> bool:
    try:
        await remote.call("GET", path)
    except Refused as refused:
        if refused.status != NOT_FOUND:
            raise
        return False
    return True
