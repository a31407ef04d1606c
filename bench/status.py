"""The service status: `python -m bench.status [--quick]`. Starts the service on a temporary folder.

(a) Reading the uptime of 30 components over 90 days of one sample a minute. Goal: at most 50 ms.
(b) The public page, without scripts or queries per reader. Goal: at least 2,000 requests a second of one process.
(c) The job of a minute: a sample of 30 components, in CPU of the database. It runs once a minute.
"""

import argparse
import asyncio
import statistics
import time
from datetime import timedelta
from typing import Any
from uuid import uuid4

import asyncpg

from bench import load
from bench.service import serving, temporary_folder
from signalpost.kit import clock
from signalpost.status import queries, views
from signalpost.status.actions import samples

COMPONENTS = 30
_FILL = """
insert into status_day (component_id, day, sampled)
select c.id, current_date - n, array[1410, 0, 10, 20 * (n % 7 = 0)::int, 20 * (n % 30 = 0)::int]
from status_component c cross join generate_series(0, 89) as n on conflict do nothing
"""


async def fill(db: Any) -> None:
    """Make 30 components with 90 days."""
    for number in range(COMPONENTS - await db.fetchval("select count(*) from status_component")):
        await db.execute(
            "insert into status_component (id, key, name) values ($1, $2, $3)", uuid4(), f"c{number}", f"C {number}"
        )
    await db.execute(_FILL)


async def uptime_ms(db: Any, rounds: int) -> float:
    """Read and compute the uptime of every component."""
    took = []
    for _ in range(rounds):
        started = time.perf_counter()
        today = clock.now().date()
        minutes = await queries.totals(db, today - timedelta(days=queries.UPTIME_DAYS))
        views.component_list(await queries.components(db), minutes, now=clock.now())
        took.append((time.perf_counter() - started) * 1000)
    return statistics.median(took)


async def sample_ms(db: Any, rounds: int) -> float:
    """Count minutes."""
    started = time.perf_counter()
    for minute in range(rounds):
        await samples.sample(db, clock.now() + clock.seconds(60 * (minute + 1)))
    return (time.perf_counter() - started) * 1000 / rounds


async def measure(seconds: float) -> None:
    with temporary_folder() as folder, serving(folder) as service:
        db = await asyncpg.connect(service.cluster.dsn())
        await fill(db)
        uptime, sample = await uptime_ms(db, 20), await sample_ms(db, 50)
        await db.close()
        head = f"GET /status HTTP/1.1\r\nHost: 127.0.0.1:{service.port}\r\nAccept-Encoding: gzip\r\n\r\n".encode()
        run = await load.run(service.port, lambda: head, expect=200, roots=service.roots[:1], seconds=seconds)
    print("| | Goal | Signalpost |\n|---|---|---|")
    print(f"| Uptime of {COMPONENTS} components over 90 days, ms | 50 | {uptime:.1f} |")
    print(f"| Status page, requests per second | 2,000 | {run.per_second:,.0f} |")
    print(f"| CPU per request, ms | | {run.cpu_ms[0]:.3f} |")
    print(f"| A minute's sample of {COMPONENTS} components, ms | | {sample:.2f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a shorter run")
    asyncio.run(measure(3.0 if parser.parse_args().quick else 8.0))


if __name__ == "__main__":
    main()
