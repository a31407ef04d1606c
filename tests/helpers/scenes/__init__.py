"""How each network's connector is run against the simulator: `SCENES`, one file for each network, found by its name.

A new network adds `<key>.py` with `SCENE`; `tests/networks/test_in_the_simulator.py` then runs its connector through
every capability it claims, and through the faults.
"""

import pkgutil
from collections.abc import Mapping
from importlib import import_module

from tests.helpers.scenes.scene import Scene

SCENES: Mapping[str, Scene] = {
    module.name: import_module(f"{__name__}.{module.name}").SCENE
    for module in pkgutil.iter_modules(__path__)
    if module.name not in {"scene", "stage"}
}

__all__ = ["SCENES", "Scene"]
