"""The program: `signalpost`, and `python -m signalpost`."""

import signal


def main() -> None:
    """Run the command line. Until a command handles it, Ctrl-C ends the process without a word."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not if our parent ignores it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from signalpost.main.cli import app  # noqa: PLC0415 - a quarter of a second, in which a traceback says nothing

    app()


if __name__ == "__main__":
    main()
