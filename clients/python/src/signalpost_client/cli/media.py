"""Files."""

import sys
import time
from pathlib import Path
from typing import Any

import click

from signalpost_client import Problem
from signalpost_client.cli import _screen
from signalpost_client.cli._caller import DryRun
from signalpost_client.cli._files import Begun
from signalpost_client.cli._shell import Shell, reads, writes

COLUMNS: list[_screen.Column] = [
    ("Id", "id"), ("Status", "status"), ("Kind", "kind"), ("File", "fileName"), ("Bytes", "size"),
    ("Description", "altText"),
]  # fmt: skip


@click.group()
def media() -> None:
    """Upload files."""


@media.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--alt", multiple=True, metavar="TEXT", help="Describes the file of the same place.")
@click.option("--profile", metavar="PROF", help="The profile that the files belong to.")
@writes
def upload(shell: Shell, files: tuple[str, ...], alt: tuple[str, ...], profile: str | None) -> None:
    """Upload files, or have the server fetch https addresses. After Ctrl-C, the same command sends only the rest."""
    uploaded = []
    for place, file in enumerate(files):
        text = alt[place] if place < len(alt) else None
        uploaded.append(upload_file(shell, file, alt_text=text, profile_id=profile))
    if shell.as_json:
        _screen.as_json(uploaded[0] if len(uploaded) == 1 else uploaded)
    else:
        _screen.table(uploaded, COLUMNS, empty="No files.")


@media.command("list")
@click.option("--limit", default=30, show_default=True, help="How many at most; 0: all.")
@reads
def list_media(shell: Shell, limit: int) -> None:
    """List files, newest first."""
    from itertools import islice

    shell.rows(islice(shell.client.list_media(limit=min(limit, 100) or 100), limit or None), COLUMNS, empty="No files.")


def upload_file(shell: Shell, source: str, *, alt_text: str | None = None, profile_id: str | None = None) -> Any:
    """Upload a file as part of a command; an upload that an earlier run began goes on."""
    client = shell.client
    if source.startswith(("https://", "http://")):
        return client.upload(source, alt_text=alt_text, profile_id=profile_id)
    path = Path(source)
    if not path.is_file():
        raise click.UsageError(f"{source} is not a file.")
    if shell.dry_run:
        raise _instead(path)
    about = path.stat()
    begun = Begun("uploads", client.address, shell.server.key, str(path.resolve()), about.st_size, about.st_mtime_ns)
    bar = Progress(path.name)
    options: dict[str, Any] = {
        "method": "resumable", "alt_text": alt_text, "profile_id": profile_id, "on_progress": bar.show,
        "on_started": begun.begin,
    }  # fmt: skip
    try:
        earlier = begun.value()
        if earlier is not None:
            try:
                uploaded = client.upload(path, resume=earlier, **options)
            except Problem as problem:
                if problem.status not in (404, 409, 410):
                    raise
                uploaded = client.upload(path, **options)  # the earlier one is over
        else:
            uploaded = client.upload(path, **options)
    finally:
        bar.end()
    begun.end()
    return uploaded


def _instead(path: Path) -> DryRun:
    from signalpost_client._call import Call, Config

    config = Config("", {}, 0)
    return DryRun(Call(config, "POST", "/media/uploads", body={"fileName": path.name, "size": path.stat().st_size}))


class Progress:
    """Bytes, rate and time left, on one line of a terminal."""

    def __init__(self, name: str) -> None:
        self._name = _screen.plain(name)
        self._began = time.monotonic()
        self._first: int | None = None
        self._written = False

    def show(self, sent: int, total: int) -> None:
        if not sys.stderr.isatty():
            return
        now = time.monotonic()
        if self._first is None:
            self._first, self._began = sent, now
        rate = (sent - self._first) / (now - self._began) if now > self._began else 0.0
        left = f"{(total - sent) / rate:.0f} s left" if rate else ""
        parts = f"{self._name}  {sent / 1e6:.1f} of {total / 1e6:.1f} MB  {rate / 1e6:.1f} MB/s  {left}"
        sys.stderr.write(f"\r\x1b[K{parts}")
        sys.stderr.flush()
        self._written = True

    def end(self) -> None:
        if self._written:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
