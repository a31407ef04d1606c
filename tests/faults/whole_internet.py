"""A network namespace in which this machine has every address there is, and hears who connects: run by `unshare`.

It reads a JSON list of `[host, answers]` from standard input: a host as users write it, and what each lookup of it
answers (null: whatever the system makes of it). The guarded client calls all of them, and it is told who heard of it.
"""

import asyncio
import json
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

from signalpost.kit.http import Client, HttpFailure

PORT = 443
AT_ONCE = 32
_CONFIGURATION = (
    "ip link set lo up",
    "ip route add local 0.0.0.0/0 dev lo",
    "ip -6 route add local ::/0 dev lo",
)


class Canaries:
    """Listen at every address; count connections by the address that was called."""

    def __init__(self) -> None:
        self.heard: Counter[str] = Counter()

    async def listen(self) -> None:
        for family, address in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
            await asyncio.start_server(self._hear, address, PORT, family=family, backlog=1000)

    async def _hear(self, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heard[writer.get_extra_info("sockname")[0].removeprefix("::ffff:")] += 1
        writer.close()

    async def hears(self, address: str) -> bool:
        """Whether a program without a guard would reach a canary at this address."""
        try:
            _, writer = await asyncio.open_connection(address, PORT)
        except OSError:  # such as a broadcast address, which nobody can connect to
            return False
        writer.close()
        return True


async def _call(hosts: Sequence[tuple[str, list[list[str]] | None]]) -> list[str]:
    """Call all hosts through the guarded client; return what it raised that it should not."""
    asked: Counter[str] = Counter()
    answers = {host: found for host, found in hosts if found}
    wrong: list[str] = []

    async def lookup(host: str) -> Sequence[str]:
        asked[host] += 1
        return answers[host][min(asked[host], len(answers[host])) - 1]

    async def call(client: Client, host: str) -> None:
        async with limit:
            url = f"https://{host}/"
            for step in (client.check_url(url), client.request("POST", url, json={}, timeout_seconds=5)):
                try:
                    await step
                except HttpFailure:
                    pass
                except Exception as error:  # noqa: BLE001 - whatever else comes out is what we look for
                    wrong.append(f"{host}: {error!r}")

    limit = asyncio.Semaphore(AT_ONCE)
    async with Client() as by_system, Client(lookup=lookup) as by_answers:
        await asyncio.gather(*(call(by_answers if found else by_system, host) for host, found in hosts))
    return wrong


async def _main(wanted: dict[str, Any]) -> dict[str, Any]:
    canaries = Canaries()
    await canaries.listen()
    armed = [address for address in wanted["addresses"] if await canaries.hears(address)]
    canaries.heard.clear()
    wrong = await _call(wanted["forbidden"])
    heard = dict(canaries.heard)
    canaries.heard.clear()
    await _call([(host, None) for host in wanted["public"]])
    reached = len(canaries.heard)
    return {"armed": len(armed), "heard": heard, "reached": reached, "wrong": wrong}


if __name__ == "__main__":
    for command in _CONFIGURATION:
        subprocess.run(command.split(), check=True)
    json.dump(asyncio.run(_main(json.load(sys.stdin))), sys.stdout)
