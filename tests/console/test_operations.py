"""Every operation of the API has a place where people use it, or a reason why only programs do."""

import csv
import re
from collections import defaultdict
from pathlib import Path

from tests.console.calls import FOLDER, MODULES, Operation, calls, operations, operations_of
from tests.counterparts import tools

TABLE = Path(__file__).with_name("no_page.tsv")
ROWS_MAX = 54
NONE_YET_MAX = 1
"""Both only fall: who builds a page for an operation deletes its row and lowers them."""


def _rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def _needs(path: Path) -> set[Path]:
    """The modules that a module imports, those that it loads when a part is opened included."""
    code = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return {(path.parent / name).resolve() for name in re.findall(r'\b(?:from |import\()"(\.[^"]+\.js)"', code)}


def _pages_of_modules() -> dict[Path, set[str]]:
    """Module -> the pages that show it; the frame is ""."""
    frame = FOLDER / "app.js"
    source = frame.read_text(encoding="utf-8")
    table = source[source.index("const PAGES") : source.index("});", source.index("const PAGES"))]
    starts = {
        name: FOLDER / f"pages/{name}.js" for name in re.findall(r'^  "?\w*"?: "([\w-]+)",$', table, re.MULTILINE)
    }
    pages = defaultdict[Path, set[str]](set)
    for page, start in {"": frame, **starts}.items():
        waiting = [start]
        while waiting:
            module = waiting.pop()
            if page not in pages[module]:
                pages[module].add(page)
                waiting += _needs(module) if module.is_relative_to(FOLDER) and "vendor" not in module.parts else ()
    return pages


def places() -> dict[Operation, set[str]]:
    """Operation -> the pages of the console that call it."""
    known, pages = operations(), _pages_of_modules()
    found = {operation: set[str]() for operation in known}
    for call in calls():
        for operation in operations_of(call, known):
            found[operation] |= pages[call.module]
    return found


def test_every_operation_has_a_page_or_a_reason() -> None:
    """What no page calls stands in the table, and nothing else does: a new operation needs a page, or a reason."""
    listed = [Operation(row["method"], row["path"]) for row in _rows()]

    assert sorted(listed) == sorted(operation for operation, pages in places().items() if not pages)
    assert len(listed) <= ROWS_MAX


def test_the_reasons_are_good() -> None:
    """A page of the server exists; what programs alone call says who does; what has no page yet becomes less."""
    rows = _rows()
    kinds = {kind: [row for row in rows if row["place"] == kind] for kind in ("machine", "page", "none yet")}

    assert sum(map(len, kinds.values())) == len(rows)
    assert [row for row in kinds["machine"] if not row["reason"].endswith(".")] == []
    folder = tools.CHECKOUT / "src/signalpost/console"
    assert [row for row in kinds["page"] if not (folder / row["reason"]).is_file()] == []
    assert len(kinds["none yet"]) <= NONE_YET_MAX


def test_no_module_calls_what_the_api_does_not_have() -> None:
    """Each call is one of a documented operation, and made by a module that some page shows."""
    known, pages, found = operations(), _pages_of_modules(), list(calls())

    assert [call for call in found if not operations_of(call, known)] == []
    assert {call.module.name for call in found if not pages[call.module]} == set()
    assert len({call.module for call in found}) * 3 > len(MODULES)  # the reading of calls reads them
