"""Reads of stored flags. They belong to the installation, so they are the same for every workspace."""

from collections.abc import Mapping
from typing import Final

from signalpost.flags.evaluation import FlagState, declared
from signalpost.flags.registry import FLAGS
from signalpost.kit import rows
from signalpost.kit.db import Db

# Only declared keys: what other versions of the program stored stays, and is not read.
_STORED: Final = f"select {rows.columns(FlagState)} from feature_flag where key = any($1)"  # noqa: S608 - constants only
_LOCK: Final = f"select {rows.columns(FlagState)} from feature_flag where key = $1 for update"  # noqa: S608
_read: Final = rows.reader(FlagState)


async def states(db: Db) -> Mapping[str, FlagState]:
    """Return the state of every declared flag, in the order of the registry."""
    stored = {record["key"]: _read(record) for record in await db.fetch(_STORED, list(FLAGS))}
    return {key: stored.get(key) or declared(flag) for key, flag in FLAGS.items()}


async def lock(db: Db, key: str) -> FlagState:
    """Return the stored flag as it is now; nobody else changes it until the transaction ends."""
    return _read(await db.fetchrow(_LOCK, key) or ())
