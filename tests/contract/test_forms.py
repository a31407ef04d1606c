"""One form for one thing: what stands in one way everywhere in the house."""

import ast
import re
import subprocess
import sys
from pathlib import Path

from tests.counterparts.tools import CHECKOUT
from tests.helpers.contract import ENDPOINTS

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


VERBS = {
    "Accept", "Activate", "Approve", "Backfill", "Change", "Confirm", "Connect", "Create", "Decide", "Delete",
    "Disable", "Enrol", "Forgot", "Invite", "Login", "Move", "Optimize", "Presign", "Preview", "Process", "Redeem",
    "Refresh", "Register", "Reject", "Reset", "Resolve", "Resume", "Retry", "Rotate", "Schedule", "Start", "Submit",
    "Subscribe", "Switch", "Sync", "Test", "Transfer", "Unlink", "Unsubscribe", "Update", "Upsert",
}  # fmt: skip
"""What can be asked of a thing. A new one belongs here if none of these says it: a thing is created, never added."""


def test_a_body_is_named_by_a_thing_and_what_is_asked_of_it() -> None:
    """`PostCreate`, not `CreatePost` and not `NewPost`: bodies of one thing stand together in the reference."""
    names = {endpoint.body.__name__ for endpoint in ENDPOINTS if endpoint.body is not None}
    verbs = {name: re.findall("[A-Z][a-z]*", name)[-1] for name in names}
    assert {name: verb for name, verb in verbs.items() if verb not in VERBS} == {}
    assert set(verbs.values()) == VERBS


def test_queries_only_read() -> None:
    """What writes stands with its action, where its reason is."""
    writes = re.compile(r"^\s*(insert into|delete from|update) [a-z_]+\b", re.MULTILINE)
    texts = {
        path.relative_to(PACKAGE).as_posix(): [
            node.value
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        for path in PACKAGE.rglob("*queries.py")
    }
    writers = {name for name, strings in texts.items() if any(writes.search(text) for text in strings)}
    assert writers == set()


def test_rows_to_change_are_named_by_an_array() -> None:
    """`id = any(array(select …))` finds them by their key; `in (select …)` is joined as the server reckons.

    It reckons with sizes of yesterday: once a backlog has come, such a join reads all of it at each step.
    """
    joined = re.compile(r"\b(delete from|update) [a-z_]+\b[^;]*?\bwhere [^;]*?(?<!not )\bin \(\s*select")
    strings = {
        (path.relative_to(PACKAGE).as_posix(), node.lineno): node.value
        for path in PACKAGE.rglob("*.py")
        if "select" in (source := path.read_text(encoding="utf-8")) and ("update" in source or "delete" in source)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert {place for place, text in strings.items() if joined.search(text)} == set()


def test_the_laws_of_the_house_hold() -> None:
    """No long functions, no long files, no circles, few types of JavaScript that say nothing."""
    done = subprocess.run([sys.executable, "scripts/house"], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
