"""CPU and memory of processes, from /proc."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def family(root: int) -> list[int]:
    """Return a process and all its descendants."""
    process_ids = [root]
    with suppress(FileNotFoundError, ProcessLookupError):  # it may end meanwhile
        for task in Path(f"/proc/{root}/task").iterdir():
            for child in (task / "children").read_text().split():
                process_ids += family(int(child))
    return process_ids


def cpu_ms(*roots: int) -> float:
    """Return the milliseconds of CPU that these processes and all their descendants have used, ended ones included."""
    ticks = 0
    for process_id in (process_id for root in roots for process_id in family(root)):
        with suppress(FileNotFoundError, ProcessLookupError):
            fields = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / _TICKS_PER_SECOND * 1000


async def at_rest(*roots: int) -> None:
    """Wait until these processes have nothing left to do: until they use less than 5 % of a processor for 3 seconds.

    What has just been written is indexed and sealed behind it; a figure that begins meanwhile counts that, too.

    Raises:
        TimeoutError: they work for more than ten minutes.
    """
    async with asyncio.timeout(600):
        used = [cpu_ms(*roots)]
        while len(used) < 4 or used[-1] - used[-4] > 150:
            await asyncio.sleep(1)
            used.append(cpu_ms(*roots))


def memory_mb(*roots: int) -> float:
    """Return the megabytes of these processes and all their descendants; pages that several share count once."""
    return sum(_memory_bytes(process_id) for root in roots for process_id in family(root)) / 1_000_000


def _memory_bytes(process_id: int) -> int:
    try:
        lines = Path(f"/proc/{process_id}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
