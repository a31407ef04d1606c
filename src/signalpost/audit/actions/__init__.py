"""Writing history, sealing it, verifying it, and deleting what is older than the plan keeps."""

from signalpost.audit.actions.purge import purge, purge_of_erased
from signalpost.audit.actions.record import INSTALLATION, Entry, command, record, user
from signalpost.audit.actions.seal import Sealed, Verification, chains, seal, verify, workspaces

__all__ = [
    "INSTALLATION",
    "Entry",
    "Sealed",
    "Verification",
    "chains",
    "command",
    "purge",
    "purge_of_erased",
    "record",
    "seal",
    "user",
    "verify",
    "workspaces",
]
