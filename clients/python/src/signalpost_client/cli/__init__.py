"""The command `sp`: Signalpost in a terminal. What a command needs is imported when it runs."""

import signal
import sys


def main() -> None:
    """Run the command line, and end with its exit code."""
    try:
        import click  # noqa: F401 - the extra may be missing
    except ModuleNotFoundError:
        sys.stderr.write("sp needs two more packages: pip install 'signalpost-client[cli]'\n")
        sys.exit(3)
    from signalpost_client.cli._run import run

    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `sp post list | head` ends silently
    sys.exit(run(sys.argv[1:]))
