"""`python -m signalpost` is the same as `signalpost`."""

from signalpost.main.cli import app

if __name__ == "__main__":
    app()
