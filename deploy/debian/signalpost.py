#!/usr/lib/signalpost/bin/python3 -I
"""The command `signalpost` of the Debian package."""

from signalpost.__main__ import main

main()
