"""The process context: what a process has one of. Whoever needs one of these takes the context as an argument."""

from dataclasses import dataclass
from typing import Any

from signalpost.engine.engine import Engine
from signalpost.kit.crypto import KeyRing
from signalpost.kit.db import Database
from signalpost.kit.http import Client
from signalpost.settings import Settings


@dataclass(kw_only=True)
class AppContext:
    """Settings, database, clients and keys of this process."""

    settings: Settings
    database: Database
    http: Client
    keys: KeyRing
    storage: Any  # obstore.store.ObjectStore, opened by kit.storage
    version: str = "0"
    revision: str = "0"  # the newest schema revision that this program knows
    engine: Engine | None = None  # for what ticks it or reads its state; None in a command-line tool

    @property
    def base_url(self) -> str:
        """The address under which users reach the service, without a trailing slash."""
        return self.settings.base_url or "http://127.0.0.1:8000"
