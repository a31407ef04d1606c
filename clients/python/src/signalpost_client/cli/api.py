"""Any operation."""

import json
import sys
from typing import Any

import click

from signalpost_client.cli import _screen
from signalpost_client.cli._shell import Shell, writes


@click.command()
@click.argument("method", type=click.Choice(["GET", "POST", "PATCH", "PUT", "DELETE"], case_sensitive=False))
@click.argument("path")
@click.option("-q", "--query", multiple=True, metavar="NAME=VALUE", help="A parameter; may be repeated.")
@click.option("-d", "--data", metavar="JSON", help="The body; - reads it from standard input.")
@click.option("--all", "all_pages", is_flag=True, help="All items of a list, a line each.")
@writes
def api(shell: Shell, method: str, path: str, query: tuple[str, ...], data: str | None, *, all_pages: bool) -> None:
    """Call an operation of the API: sp api GET /posts -q status=failed."""
    parameters = dict(_pair(text) for text in query)
    body: Any = None
    if data is not None:
        try:
            body = json.loads(sys.stdin.read() if data == "-" else data)
        except ValueError as error:
            raise click.UsageError(f"--data is not JSON: {error}.") from None
    path = "/" + path.lstrip("/")
    if all_pages:
        for item in shell.client.pages(path, parameters):
            sys.stdout.write(json.dumps(item, ensure_ascii=False) + "\n")
        return
    _screen.as_json(shell.client.request(method.upper(), path, query=parameters, body=body))


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"{text!r} is not NAME=VALUE.")
    return name, value
