"""One fake per network: a server in this process with a ledger of what it made public, and what its errors mean.

`FAKES` has them by platform slug, found by file name; `tests/networks` runs every connector against its fake.
"""

import pkgutil
from collections.abc import Mapping
from importlib import import_module

from signalpost.conformance.fake import TOKEN, Case, FakeServer, NetworkFake

FAKES: Mapping[str, NetworkFake] = {
    module.name: import_module(f"{__name__}.{module.name}").FAKE
    for module in pkgutil.iter_modules(__path__)
    if module.name not in {"fake", "simulated"}
}

__all__ = ["FAKES", "TOKEN", "Case", "FakeServer", "NetworkFake"]
