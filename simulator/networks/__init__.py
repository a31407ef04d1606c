"""The parts of the networks. Every module here that defines `NETWORK` is one; nothing else has to be registered."""

import pkgutil
from importlib import import_module

from simulator.network import Network

_modules = [import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
NETWORKS: tuple[type[Network], ...] = tuple(module.NETWORK for module in _modules if hasattr(module, "NETWORK"))
