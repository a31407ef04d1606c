"""Commands that follow and repeat webhooks of an instance, here or elsewhere, with an API key."""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from signalpost.main.cli_support import data_dir_option, json_option, print_result, run

if TYPE_CHECKING:
    from signalpost.main.remote import Remote

_url_option = click.option(
    "--api-url", help="Address of the instance (default: SIGNALPOST_API_URL, or the one that runs on the data folder)."
)


def _with_remote(url: str | None, data_dir: Path | None, work: "Callable[[Remote, Any], Awaitable[Any]]") -> Any:
    """Run `work(remote, http)` with the API key of the environment, or one that is typed."""
    from signalpost.kit.http import Client  # noqa: PLC0415 - keeps `--help` quick
    from signalpost.main import remote  # noqa: PLC0415 - see above
    from signalpost.main.interruption import interruptible  # noqa: PLC0415 - see above

    async def main() -> Any:
        key = remote.api_key()
        with interruptible():
            async with Client((), "signalpost-cli") as http:
                return await work(remote.Remote(http, remote.address(url, data_dir), key), http)

    return run(main())


@click.command(short_help="Show events here, and forward them to a local address.")
@click.option("--forward", required=True, help="Where to send events: http://localhost:3000/hooks.")
@click.option(
    "--events", default="", help="Only these events, separated by commas (default: all except opt-in events)."
)
@click.option("--only-new", is_flag=True, help="Skip what happened since the last run.")
@click.option("--new-secret", is_flag=True, help="Create a new secret and show it; the previous one stops working.")
@click.option("--remove", is_flag=True, help="Delete the webhook on exit: no events are kept for the next run.")
@_url_option
@data_dir_option
@json_option
def listen(
    forward: str,
    events: str,
    api_url: str | None,
    data_dir: Path | None,
    *,
    only_new: bool,
    new_secret: bool,
    remove: bool,
    as_json: bool,
) -> None:
    """Show each event as it happens, and forward it, signed, to an address of this machine; stop with Ctrl-C.

    The instance does not have to reach this machine. Set SIGNALPOST_API_KEY to a key that may change webhooks. Events
    that occur while this is not running, or while the address cannot be reached, are kept for 30 days. --json prints
    one object per line.
    """
    from signalpost.main import listen as listening  # noqa: PLC0415 - keeps `--help` quick

    chosen = [name.strip() for name in events.split(",") if name.strip()]

    async def main(remote: "Remote", http: Any) -> None:
        listener = listening.Listener(remote, http, forward, listening.Screen(as_json))
        webhook_id = await listener.open(chosen, new_secret=new_secret, only_new=only_new)
        sys.stderr.write(f"Forwarding events of {remote.url} to {forward} ({webhook_id}). Ctrl-C stops.\n")
        try:
            await listener.run(webhook_id)
        finally:
            if remove:
                await listener.remove(webhook_id)

    _with_remote(api_url, data_dir, main)


@click.command(short_help="Send an example event to a webhook.")
@click.argument("event")
@click.option("--webhook", help="Id of the webhook (whk_...); default: the one of `webhooks listen`.")
@_url_option
@data_dir_option
@json_option
def trigger(event: str, webhook: str | None, api_url: str | None, data_dir: Path | None, *, as_json: bool) -> None:
    """Send an example event, such as post.published, to a webhook. The ids in it are made up."""
    from signalpost.main import listen as listening  # noqa: PLC0415 - keeps `--help` quick

    done = _with_remote(api_url, data_dir, lambda remote, _: listening.trigger(remote, event, webhook))
    _print_delivery(done, as_json=as_json)


@click.command(short_help="Send a delivery again.")
@click.argument("delivery")
@click.option("--webhook", help="Id of its webhook (whk_...); default: it is found by the delivery.")
@_url_option
@data_dir_option
@json_option
def resend(delivery: str, webhook: str | None, api_url: str | None, data_dir: Path | None, *, as_json: bool) -> None:
    """Send a delivery (dlv_...) again, with the same id and bytes."""
    from signalpost.main import listen as listening  # noqa: PLC0415 - keeps `--help` quick

    done = _with_remote(api_url, data_dir, lambda remote, _: listening.resend(remote, delivery, webhook))
    _print_delivery(done, as_json=as_json)


def _print_delivery(delivery: dict[str, Any], *, as_json: bool) -> None:
    members = delivery if as_json else {name: delivery[name] for name in ("id", "webhookId", "type", "state")}
    print_result(members, as_json=as_json)
