"""The commands, and how `sp` ends: with an exit code and a sentence, never with a traceback."""

import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

import click

COMMANDS: Final = {
    "login": ("login:login", "Sign in to a server: you grant a key in the console."),
    "logout": ("login:logout", "Revoke and forget the key of a server."),
    "servers": ("login:servers", "List the servers whose keys are kept."),
    "me": ("login:me", "Show who you are, and where."),
    "post": ("posts:post", "Create, schedule, check and follow posts."),
    "media": ("media:media", "Upload files."),
    "accounts": ("accounts:accounts", "Connect accounts of networks."),
    "queue": ("queue:queue", "Slot queues, and posts on their way."),
    "calendar": ("reports:calendar", "Show what is planned by day."),
    "analytics": ("reports:analytics", "Show how posts and accounts do."),
    "webhooks": ("webhooks:webhooks", "Receive events here, try and repeat deliveries."),
    "logs": ("reports:logs", "Show the API calls of the last days."),
    "keys": ("keys:keys", "API keys: list, create, revoke."),
    "mcp": ("mcp:mcp", "Serve an assistant over standard input and output (MCP)."),
    "open": ("login:open_console", "Open the console in the browser."),
    "api": ("api:api", "Call any operation of the API."),
    "completion": ("login:completion", "Print what completes commands in your shell."),
}
"""By name: the module and its command, and the help, so that `sp --help` imports none of them."""


class Commands(click.Group):
    """Imports a command when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the interface of click
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - see above
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(f"signalpost_client.cli.{module}"), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - see above
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="signalpost-client", message="sp %(version)s")
def app() -> None:
    """Publish to social networks from the terminal: a client of Signalpost.

    Begin with `sp login`. Every command has --json for programs; those that change something have --dry-run.
    """


def run(arguments: Sequence[str]) -> int:
    """Run a command; return its exit code."""
    from signalpost_client.cli._exits import BUG, INTERRUPTED, USAGE

    as_json = "--json" in arguments
    try:
        outcome = app.main(list(arguments), prog_name="sp", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        sys.stderr.write("\nInterrupted. The same command again goes on, and does nothing twice.\n")
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last one who can say it in words
        code = _explained(error, as_json=as_json)
        if code is None:
            _bug(error)
        return BUG if code is None else code
    return outcome if isinstance(outcome, int) else 0


def _explained(error: Exception, *, as_json: bool) -> int | None:
    """Say what an error of the client means; None: it is not one."""
    from signalpost_client.cli._exits import exit_code
    from signalpost_client.cli._screen import plain, problem_lines
    from signalpost_client.errors import Problem, SignalpostError

    if not isinstance(error, SignalpostError):
        return None
    if as_json:
        import json

        document: dict[str, Any] = {"code": type(error).__name__, "detail": str(error)}
        if isinstance(error, Problem):
            document = error.document
        sys.stderr.write(json.dumps({"error": document}, ensure_ascii=False) + "\n")
    else:
        for line in problem_lines(error):
            sys.stderr.write(plain(line) + "\n")
    return exit_code(error)


def _bug(error: Exception) -> None:
    """Say that sp itself failed, and put the details into a file."""
    from signalpost_client.cli._files import private_file, state_folder

    place = state_folder() / "last-error.txt"
    try:
        private_file(place, "".join(traceback.format_exception(error)))
        details = f"The details are in {place}."
    except OSError as failure:
        details = f"The details could not be written to {place}: {failure.strerror}."
    sys.stderr.write(f"sp failed: {type(error).__name__}. That is a bug. {details}\n")
    sys.stderr.flush()
    if os.environ.get("SP_DEBUG"):
        sys.stderr.write(place.read_text())
