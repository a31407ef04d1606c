"""Ports of the servers that tests start."""

import re
from pathlib import Path

HERE = Path(__file__).parent
_CHOSEN_BY_THE_SYSTEM = re.compile(r'"127\.0\.0\.1", 0\b|\blisten\(0\b|port=0\b')


def test_no_server_of_a_test_gets_a_port_that_another_one_had() -> None:
    """The system gives a port again soon: a webhook that an earlier test left would be delivered to a later one."""
    scripts = [path for path in HERE.rglob("*.mjs") if "node_modules" not in path.parts]
    found = {
        f"{path.relative_to(HERE)}:{number}"
        for path in [*HERE.rglob("*.py"), *scripts]
        if path != Path(__file__)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if _CHOSEN_BY_THE_SYSTEM.search(line)
    }
    assert not found, f"give these a port of `tools.free_port`: {sorted(found)}"
