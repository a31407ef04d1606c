"""Slot queues, and posts on their way."""

import click

from signalpost_client.cli import _screen
from signalpost_client.cli._shell import Shell, reads, writes

QUEUES: list[_screen.Column] = [
    ("Id", "id"), ("Name", "name"), ("Active", "active"), ("Default", "isDefault"), ("Zone", "effectiveTimezone"),
    ("Slots", lambda row: len(row["slots"])),
]  # fmt: skip
ENTRY: list[_screen.Column] = [
    ("Post", "postId"), ("State", "state"), ("Waits for", "heldMessage"), ("Next", _screen.when("runAt")),
    ("Place", "position"), ("Attempts", "attempts"),
]  # fmt: skip


@click.group()
def queue() -> None:
    """Slot queues, and posts on their way."""


@queue.command("list")
@click.option("--profile", metavar="PROF", help="Only those of a profile.")
@reads
def list_queues(shell: Shell, profile: str | None) -> None:
    """List the slot queues."""
    shell.rows(shell.client.list_queues(profile_id=profile), QUEUES, empty="No slot queues.")


@queue.command()
@click.argument("queue_id", metavar="QUEUE")
@click.option("--count", default=20, show_default=True, help="How many.")
@reads
def slots(shell: Shell, queue_id: str, count: int) -> None:
    """Show the next slots of a queue, and which are taken."""
    preview = shell.client.preview_slots(queue_id, count=count)
    if shell.as_json:
        _screen.as_json(preview)
        return
    columns: list[_screen.Column] = [("When", _screen.when("at")), ("Post", "postId")]
    _screen.table(preview["slots"], columns, empty="No slots.")


@queue.command()
@click.argument("post_id", metavar="POST")
@reads
def status(shell: Shell, post_id: str) -> None:
    """Show where a post is on its way."""
    shell.result(shell.client.get_queue_status(post_id), ENTRY)


@queue.command()
@click.argument("post_id", metavar="POST")
@click.option("--at", metavar="TIME", help="When (default: its own time, else now).")
@writes
def submit(shell: Shell, post_id: str, at: str | None) -> None:
    """Put a post on the queue."""
    entry = shell.client.submit_post(post_id, {"scheduledAt": at} if at else {})
    shell.done(entry, f"{post_id} is {entry['state']}.")


@queue.command()
@click.argument("post_id", metavar="POST")
@writes
def cancel(shell: Shell, post_id: str) -> None:
    """Take a post off the queue; it becomes a draft."""
    shell.done(shell.client.cancel_post(post_id), f"{post_id} is off the queue.")
