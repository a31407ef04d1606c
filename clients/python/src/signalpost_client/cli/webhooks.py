"""Events of webhooks on this machine: the server does not have to reach it.

`listen` keeps a webhook with the deliveryMode `poll` at the server. Events wait there until the result of each is
reported, so neither a restart of the server nor one of this program loses any.
"""

import json
import sys
import time
from itertools import count
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from signalpost_client.cli import _screen
from signalpost_client.cli._shell import Shell, reads, writes
from signalpost_client.errors import ConfigurationError, NotFound, Problem, Unreachable

if TYPE_CHECKING:
    from collections.abc import Callable

    import httpx

T = TypeVar("T")
NAME: Final = "sp webhooks listen"
POLL_SECONDS: float = 1.0
RETRY_SECONDS: tuple[float, ...] = (1.0, 2.0, 5.0, 10.0)
BATCH: Final = 20
FORWARD_SECONDS: Final = 60.0
"""The receiver may stand at a breakpoint."""
_RESPONSE_MAX: Final = 2_048
_NOT_FORWARDED: Final = "Not forwarded: it happened before `webhooks listen --only-new` began."
COLUMNS: list[_screen.Column] = [
    ("Id", "id"), ("Status", "status"), ("Delivery", "deliveryMode"), ("Address", "url"), ("Events", "events"),
]  # fmt: skip
DELIVERY: list[_screen.Column] = [("Delivery", "id"), ("Webhook", "webhookId"), ("Event", "type"), ("State", "state")]


@click.group()
def webhooks() -> None:
    """Receive events here, try and repeat deliveries."""


@webhooks.command("list")
@reads
def list_webhooks(shell: Shell) -> None:
    """List the webhooks."""
    shell.rows(shell.client.list_webhooks(), COLUMNS, empty="No webhooks.")


@webhooks.command()
@click.argument("url")
@click.option(
    "--event", "events", multiple=True, help="An event to receive; repeat it (default: all but opt-in events)."
)
@writes
def create(shell: Shell, url: str, events: tuple[str, ...]) -> None:
    """Register a webhook, and print its secret: it is shown only once."""
    created = shell.client.create_webhook({"url": url, "events": list(events)})
    shell.done(created, f"{created['id']}\nDeliveries are signed with {created['secret']} (not shown again).")


@webhooks.command()
@click.argument("webhook_id", metavar="WEBHOOK")
@click.option("--yes", is_flag=True, help="Do not ask.")
@writes
def delete(shell: Shell, webhook_id: str, *, yes: bool) -> None:
    """Delete a webhook (whk_…)."""
    shell.sure(f"Delete {webhook_id}?", yes=yes)
    shell.done(shell.client.delete_webhook(webhook_id), f"{webhook_id} is deleted.")


@webhooks.command()
@click.argument("event")
@click.option("--webhook", help="Id of the webhook (default: that of `webhooks listen`).")
@writes
def trigger(shell: Shell, event: str, webhook: str | None) -> None:
    """Send the example of an event, such as post.published. The ids in it are made up."""
    if webhook is None:
        polled = [
            row for row in shell.client.list_webhooks() if row["deliveryMode"] == "poll" and row["status"] == "active"
        ]
        if not polled:
            raise ConfigurationError("No `sp webhooks listen` runs. Start it, or name a webhook with --webhook.")
        webhook = polled[0]["id"]
    shell.result(shell.client.test_webhook(webhook, {"type": event}), DELIVERY)


@webhooks.command()
@click.argument("delivery")
@click.option("--webhook", help="Id of its webhook (default: it is found by the delivery).")
@writes
def resend(shell: Shell, delivery: str, webhook: str | None) -> None:
    """Send a delivery (dlv_…) again, with the same id and bytes."""
    candidates = [webhook] if webhook else [row["id"] for row in shell.client.list_webhooks()]
    for candidate in candidates:
        try:
            if webhook is None:
                shell.client.get_webhook_delivery(candidate, delivery)
        except NotFound:
            continue
        shell.result(shell.client.resend_webhook_delivery(candidate, delivery), DELIVERY)
        return
    raise ConfigurationError(f"No webhook has a delivery {delivery!r}. Its id begins with dlv_.")


@webhooks.command()
@click.option("--forward", required=True, metavar="ADDRESS", help="Where to send events: http://localhost:3000/hooks.")
@click.option("--event", "events", multiple=True, help="Only these events; repeat it (default: all but opt-in events).")
@click.option("--only-new", is_flag=True, help="Skip what happened since the last run.")
@click.option("--new-secret", is_flag=True, help="Create a new secret and show it; the previous one stops working.")
@click.option("--remove", is_flag=True, help="Delete the webhook at the end: no events are kept for the next run.")
@reads
def listen(
    shell: Shell, forward: str, events: tuple[str, ...], *, only_new: bool, new_secret: bool, remove: bool
) -> None:
    """Show each event as it happens, and forward it, signed, to an address of this machine; stop with Ctrl-C.

    Events that occur while this is not running, or while the address cannot be reached, are kept for 30 days. --json
    prints one object per line.
    """
    if not forward.startswith(("http://", "https://")):
        raise click.UsageError(
            f"--forward needs a whole address, such as http://localhost:3000/hooks, not {forward!r}."
        )
    import httpx

    with httpx.Client(timeout=FORWARD_SECONDS) as http:
        listener = Listener(shell, http, forward)
        webhook_id = listener.begin(list(events), only_new=only_new, new_secret=new_secret)
        _screen.remark(f"Forwarding events of {shell.client.address} to {forward} ({webhook_id}). Ctrl-C stops.")
        try:
            listener.run(webhook_id)
        finally:
            if remove:
                shell.client.delete_webhook(webhook_id)


class Listener:
    """Forwards what happens to one local address, until it is interrupted."""

    def __init__(self, shell: Shell, http: "httpx.Client", forward: str) -> None:
        self._shell = shell
        self._http = http
        self._forward = forward

    def begin(self, events: list[str], *, only_new: bool, new_secret: bool) -> str:
        """Create the webhook, or find the one of an earlier run; return its id."""
        client = self._shell.client
        rows = self._retrying(lambda: list(client.list_webhooks()))
        existing = [row for row in rows if row["url"] == self._forward and row["deliveryMode"] == "poll"]
        if not existing:
            created = client.create_webhook(
                {"url": self._forward, "deliveryMode": "poll", "name": NAME, "events": events}
            )
            _screen.remark(f"Deliveries are signed with {created['secret']} (not shown again; see --new-secret).")
            return created["id"]
        webhook = existing[0]
        if webhook["status"] != "active":
            _screen.remark("It was paused: what happened meanwhile is not forwarded. A replay sends it.")
        client.update_webhook(webhook["id"], {"events": events, "active": True})
        if new_secret:
            rotated = client.rotate_webhook_secret(webhook["id"], {"overlapSeconds": 0})
            _screen.remark(f"Deliveries are signed with {rotated['secret']} (not shown again).")
        self._waiting(webhook["id"], only_new=only_new)
        return webhook["id"]

    def _waiting(self, webhook_id: str, *, only_new: bool) -> None:
        """Say what happened since the last run; with `only_new`, report all of it as not forwarded."""
        while deliveries := self._pending(webhook_id):
            if not only_new:
                oldest = json.loads(deliveries[0]["body"])["createdAt"]
                _screen.remark(f"What happened since {oldest}, while nobody listened, is forwarded first.")
                return
            self._report(webhook_id, [{"id": row["id"], "error": _NOT_FORWARDED} for row in deliveries])

    def run(self, webhook_id: str) -> None:
        """Forward until this is interrupted; the result of each delivery is reported before the next one is sent."""
        while True:
            deliveries = self._retrying(lambda: self._pending(webhook_id))
            for delivery in deliveries:
                result = self._forwarded(delivery)
                self._report(webhook_id, [result])
                self._print(delivery, result)
            if not deliveries:
                time.sleep(POLL_SECONDS)

    def _pending(self, webhook_id: str) -> list[Any]:
        return list(self._shell.client.list_pending_deliveries(webhook_id, limit=BATCH)["data"])

    def _report(self, webhook_id: str, results: list[Any]) -> None:
        self._retrying(lambda: self._shell.client.record_delivery_results(webhook_id, {"results": results}))

    def _forwarded(self, delivery: Any) -> dict[str, Any]:
        """Pass a delivery on, again and again as long as nobody listens at the address."""
        import httpx

        for number in count():
            began = time.monotonic()
            status, failure, text = None, None, None
            try:
                response = self._http.post(
                    self._forward, content=delivery["body"].encode(), headers=delivery["headers"]
                )
                status, text = response.status_code, response.text[:_RESPONSE_MAX].replace("\0", "")
            except httpx.ConnectError as error:
                if number == 0:
                    _screen.remark(f"{self._forward} cannot be reached: {error}. Waiting for it.")
                time.sleep(_delay(number))
                continue
            except httpx.TransportError as error:
                failure = (str(error) or type(error).__name__)[:500]
            milliseconds = min(round((time.monotonic() - began) * 1000), 3_600_000)
            return {
                "id": delivery["id"],
                "status": status,
                "error": failure,
                "response": text,
                "durationMs": milliseconds,
            }
        raise AssertionError("count() does not end")

    def _print(self, delivery: Any, result: dict[str, Any]) -> None:
        envelope = json.loads(delivery["body"])
        if self._shell.as_json:
            public = {name: result[name] for name in ("id", "status", "error", "durationMs")}
            line = json.dumps({"event": envelope, "result": public}, ensure_ascii=False)
        else:
            what = f"{envelope['createdAt']}  {delivery['type']:<24}  {delivery['id']}"
            line = _screen.plain(f"{what}  {result['status'] or result['error']}  ({result['durationMs']} ms)")
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    def _retrying(self, work: "Callable[[], T]") -> T:
        """Do something at the server, again and again as long as it cannot be reached."""
        for number in count():
            try:
                result = work()
            except (Unreachable, Problem) as error:
                if isinstance(error, Problem) and error.status < 500 and error.status != 429:
                    raise
                if number == 0:
                    _screen.remark(f"{error} Trying again.")
                time.sleep(_delay(number))
            else:
                if number:
                    _screen.remark(f"{self._shell.client.address} answers again; what happened meanwhile waits there.")
                return result
        raise AssertionError("count() does not end")


def _delay(number: int) -> float:
    return RETRY_SECONDS[min(number, len(RETRY_SECONDS) - 1)]
