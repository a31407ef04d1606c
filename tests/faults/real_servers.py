"""Real servers of Matrix and Nostr behind a proxy that loses answers, with a ledger: what they have in the end."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import nostr_sdk
from tests.counterparts import nostr_relay, synapse
from tests.faults.scene import Tenant
from tests.faults.tcp_proxy import TcpProxy
from tests.networks.test_nostr import NSEC, reader, relay
from tests.simulator.test_nostr import KEYS, found

NOTES_MAX = 500


@dataclass
class RealServer:
    """A network as it is: `key` of ours, at an address that an operator sets."""

    key: str
    proxy: TcpProxy
    connect: Callable[[Tenant, int], Awaitable[str]]
    """Connect the account of this number; returns its id."""
    texts: Callable[[], Awaitable[list[str]]]
    """What is public, read past the proxy; a post that is there twice is in it twice."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.proxy.port}"


@asynccontextmanager
async def matrix(loses: float) -> AsyncIterator[RealServer]:
    """Synapse; an account is a room."""
    async with synapse() as server, TcpProxy(urlsplit(server.url).port or 0, loses=loses) as proxy:
        admin, bot = await server.add_user("admin", is_admin=True), await server.add_user("bot")
        for user in (admin, bot):
            await server.free_of_limits(admin, user)
        rooms: list[str] = []

        async def connect(tenant: Tenant, number: int) -> str:
            rooms.append(await server.add_room(admin, f"room{number}", bot))
            return await tenant.connect(
                "matrix", homeserverUrl=f"http://127.0.0.1:{proxy.port}", accessToken=bot.token, room=rooms[-1]
            )

        async def texts() -> list[str]:
            return [event["content"]["body"] for room in rooms for event in await server.messages(bot, room)]

        yield RealServer("matrix", proxy, connect, texts)


@asynccontextmanager
async def nostr(loses: float) -> AsyncIterator[RealServer]:
    """nostr-relay behind the proxy, and the relay of nostr-sdk beside it; there is one account, whose key has both."""
    async with nostr_relay() as first, relay() as second, TcpProxy(urlsplit(first).port or 0, loses=loses) as proxy:
        address = f"ws://127.0.0.1:{proxy.port}/"

        async def connect(tenant: Tenant, number: int) -> str:
            assert number == 0
            account = await tenant.connect("nostr", privateKey=NSEC, relays=address)
            add = "update account set facts = jsonb_set(facts, '{relays}', to_jsonb($1::text[]))"
            await tenant.scene.query(add, [address, second])
            return account

        async def texts() -> list[str]:
            notes: dict[str, str] = {}
            mine = nostr_sdk.Filter().author(KEYS.public_key()).kind(nostr_sdk.Kind(1)).limit(NOTES_MAX)
            for one in (first, second):
                async with reader(one) as client:
                    notes |= {event.id().to_hex(): event.content() for event in await found(client, mine)}
            assert len(notes) < NOTES_MAX
            return list(notes.values())

        yield RealServer("nostr", proxy, connect, texts)


SERVERS = {"matrix": (matrix, 8), "nostr": (nostr, 1)}
"""With how many accounts, at most."""
