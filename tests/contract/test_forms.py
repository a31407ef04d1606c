"""One form for one thing: what stands in one way everywhere in the house."""

import ast
from pathlib import Path

import signalpost

PACKAGE = Path(signalpost.__file__).parent
FACADES = {"events", "kit/crypto", "kit/http", "mail", "networks", "networks/contract"}
"""Packages that are used by their own name. A connector says in its `__init__` what it offers."""


def test_a_package_is_a_sentence() -> None:
    """Routes and other rooms import modules named by verbs: `from signalpost.identity.actions import sign_up`."""
    packages = {
        path.parent.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8")).body
        for path in PACKAGE.rglob("__init__.py")
        if path.parent.parent.name != "connectors"
    }
    imports = {name for name, body in packages.items() if any(isinstance(node, ast.ImportFrom) for node in body)}
    assert imports == FACADES
