"""An address that users give is called in a namespace where every address has a listener: none of them hears of it."""

import asyncio
import json
import os
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Any

from tests.counterparts.tools import NotInstalled
from tests.faults.scene import sizes
from tests.figures.record import Record, holds

SEED = 20261123
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
_PRIVATE_V4 = """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 169.254.169.254/32 172.16.0.0/12
    192.0.0.0/24 192.0.0.192/32 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
    224.0.0.0/4 240.0.0.0/4
    """
_PRIVATE_V6 = """
    ::/128 ::1/128 fc00::/7 fd00:ec2::254/128 fd00:ec2::23/128 fe80::/10 fec0::/10 ff00::/8 2001:db8::/32 2001::/32
    2001:10::/28 100::/64 64:ff9b:1::/48 3fff::/20 4000::/3 8000::/2 5f00::/16
    """
PRIVATE_V4 = tuple(map(IPv4Network, _PRIVATE_V4.split()))
PRIVATE_V6 = tuple(map(IPv6Network, _PRIVATE_V6.split()))
PUBLIC = tuple(
    IPv4Network(network) for network in ("1.1.1.0/24", "8.8.8.0/24", "93.184.216.0/24", "151.101.0.0/16", "46.4.0.0/16")
)


def _any_of(chance: random.Random, network: IPv4Network | IPv6Network) -> IPv4Address | IPv6Address:
    return network[chance.randrange(network.num_addresses)]


SPELLINGS: tuple[Callable[[int], str], ...] = (
    lambda n: str(IPv4Address(n)),
    lambda n: f"{IPv4Address(n)}.",
    str,
    hex,
    lambda n: f"0{n:o}",
    lambda n: ".".join(hex(part) for part in n.to_bytes(4)),
    lambda n: ".".join(f"0{part:o}" for part in n.to_bytes(4)),
    lambda n: f"{n >> 24}.{n & 0xFFFFFF}",
    lambda n: f"{n >> 24}.{n >> 16 & 255}.{n & 0xFFFF}",
    lambda n: str(IPv4Address(n)).translate({48 + digit: 0xFF10 + digit for digit in range(10)}),
    lambda n: str(IPv4Address(n)).replace(".", "\u3002"),
    lambda n: f"[::ffff:{IPv4Address(n)}]",
    lambda n: f"[::{IPv4Address(n)}]",
    lambda n: f"[::ffff:0:{IPv4Address(n)}]",
    lambda n: f"[64:ff9b::{IPv4Address(n)}]",
    lambda n: f"[64:ff9b:1::{IPv4Address(n)}]",
    lambda n: f"[{IPv6Address(0x2002 << 112 | n << 80 | 1)}]",
    lambda n: f"[2001:0:4136:e378:8000:63bf:{(n ^ 0xFFFFFFFF) >> 16:x}:{(n ^ 0xFFFFFFFF) & 0xFFFF:x}]",
    lambda n: f"[2a00:1450::5efe:{IPv4Address(n)}]",
    lambda n: f"user@{IPv4Address(n)}",
    lambda n: f"{IPv4Address(n)}%00.example.com",
)
"""Ways to write an IPv4 address, and to wrap it into one of IPv6."""


def _cases(count: int) -> Iterator[tuple[str, Any, str]]:
    """Yield so many of: a host, the answers of its lookups (None: by the system), the forbidden address behind it."""
    chance = random.Random(SEED)
    public = str(_any_of(chance, PUBLIC[0]))
    for number in range(count):
        four = _any_of(chance, PRIVATE_V4[number % len(PRIVATE_V4)])
        six = _any_of(chance, PRIVATE_V6[number % len(PRIVATE_V6)])
        name = f"n{number}.test"
        match number % 8:
            case 0 | 1 | 2 | 3:
                yield SPELLINGS[number // 8 % len(SPELLINGS)](int(four)), None, str(four)
            case 4:
                yield f"[{six}]", None, str(six)
            case 5:
                yield name, [[str(chance.choice([four, six]))]], str(four)
            case 6:
                mixed = [public, str(four), str(six)]
                chance.shuffle(mixed)
                yield name, [mixed], str(six)
            case 7:  # public when it is checked, and private when it is called
                yield name, [[public], [str(four)], [str(six)]], str(four)


async def _in_a_namespace(wanted: Any) -> Any:
    if not (shutil.which("unshare", path=PATH) and shutil.which("ip", path=PATH)):
        raise NotInstalled("unshare or ip is missing; run `make test-tools`")
    process = await asyncio.create_subprocess_exec(
        "unshare", "--net", "--map-root-user", sys.executable, "-m", "tests.faults.whole_internet",
        env=os.environ | {"PATH": PATH},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output, errors = await process.communicate(json.dumps(wanted).encode())
    assert process.returncode == 0, errors.decode()[-3000:]
    return json.loads(output)


@holds("S1")
@sizes("count", quick=400, heavy=3_200)
async def test_no_address_of_a_user_leads_into_a_private_network(record: Record, count: int) -> None:
    """Spellings, tunnels, names with several addresses, names that change: nothing connects, public addresses do."""
    chance = random.Random(SEED)
    cases = list(_cases(count))
    public = sorted({str(_any_of(chance, PUBLIC[number % len(PUBLIC)])) for number in range(120)})
    found = await _in_a_namespace(
        {
            "forbidden": [(host, answers) for host, answers, _ in cases],
            "addresses": [address for *_, address in cases],
            "public": public,
        }
    )

    missed = len(public) - found["reached"]
    measured = {"connections": sum(found["heard"].values()), "public addresses not reached": missed}
    record("S1", tried={"forbidden addresses": count, "public addresses": len(public)}, measured=measured, seed=SEED)
    assert found["armed"] > 0.7 * count, "a program without a guard is heard nearly everywhere"
    assert found["heard"] == {}
    assert found["wrong"] == []
    assert missed == 0
