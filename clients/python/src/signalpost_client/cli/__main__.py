"""`python -m signalpost_client.cli`."""

from signalpost_client.cli import main

if __name__ == "__main__":
    main()
