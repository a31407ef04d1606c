"""Imports a package in a process of its own, which may hang or die; `python -m signalpost.network_packages.probe SLUG`.

The process gets no setting of the service. It prints one line of JSON: what `examine` says, or what went wrong.
"""

import asyncio
import contextlib
import os
import sys
from importlib.metadata import EntryPoint
from typing import Any, Final

import msgspec

from signalpost.network_packages.examining import examine
from signalpost.network_packages.finding import find, package_of
from signalpost.network_packages.status import PackageStatus
from signalpost.networks.responses import redacted

IMPORT_SECONDS: Final = 15.0
MODULES_MAX: Final = 1_500
"""Beyond those of the service itself. Large libraries, such as a cloud provider's, have about a thousand."""
OUTPUT_BYTES_MAX: Final = 20_000
DETAIL_MAX: Final = 1_000


async def probe(entry: EntryPoint, *, seconds: float = IMPORT_SECONDS) -> PackageStatus:
    """Return whether the package behind an entry point can be imported and registered."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", __name__, entry.name,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env={name: value for name, value in os.environ.items() if not name.startswith("SIGNALPOST_")},
    )  # fmt: skip
    slug, package = entry.name, package_of(entry)
    try:
        async with asyncio.timeout(seconds):
            output, errors = await process.communicate()
    except TimeoutError:
        return PackageStatus(slug, package, "import_hangs", f"Its import took longer than {seconds:g} s.")
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    try:
        return msgspec.json.decode(output[-OUTPUT_BYTES_MAX:].splitlines()[-1], type=PackageStatus)
    except (IndexError, msgspec.DecodeError):
        last = errors[-DETAIL_MAX:].decode("utf-8", "replace").strip()
        detail = f"The import ended with exit code {process.returncode}: {redacted(last)}"
        return PackageStatus(slug, package, "import_died", detail)


def imported(entry: EntryPoint) -> tuple[PackageStatus, Any]:
    """Import the package in this process; return what `examine` says or how the import failed, and the connector."""
    package, before = package_of(entry), len(sys.modules)
    try:
        connector = entry.load()
    except Exception as error:  # noqa: BLE001 - foreign code raises anything
        detail = redacted(f"{type(error).__name__}: {error}")[:DETAIL_MAX]
        return PackageStatus(entry.name, package, "import_failed", detail), None
    if (count := len(sys.modules) - before) > MODULES_MAX:
        detail = f"It imports {count} modules; {MODULES_MAX} are allowed."
        return PackageStatus(entry.name, package, "imports_too_much", detail), None
    return examine(entry.name, package, connector), connector


def main() -> None:
    """Import the package that the command line names, and print the result; the package itself prints to nowhere."""
    with os.fdopen(os.dup(1), "wb") as output:
        os.dup2(2, 1)
        entry = find(sys.argv[1], frozenset())
        status = entry if isinstance(entry, PackageStatus) else imported(entry)[0]
        output.write(msgspec.json.encode(status) + b"\n")


if __name__ == "__main__":
    main()
    os._exit(0)  # whatever the package left running
