"""Scripts of the checkout, whose names are not those of modules."""

import sys
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from types import ModuleType

from tests.counterparts.tools import CHECKOUT


@cache
def script(name: str) -> ModuleType:
    """Return a script of the folder `scripts` as a module."""
    module_name = name.replace("-", "_")
    loader = SourceFileLoader(module_name, str(CHECKOUT / "scripts" / name))
    spec = spec_from_loader(module_name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses look there
    loader.exec_module(module)
    return module
