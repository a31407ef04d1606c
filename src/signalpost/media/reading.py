"""Stored bytes, as connectors take them."""

from collections.abc import AsyncIterator, Callable

from signalpost.kit.storage import Store


def reader(storage: Store, storage_path: str) -> Callable[[], AsyncIterator[bytes]]:
    """Return a function that streams the object anew at each call.

    Raises (while reading):
        kit.storage.Missing, kit.storage.StorageFailure
    """

    def read() -> AsyncIterator[bytes]:
        return storage.read(storage_path)

    return read
