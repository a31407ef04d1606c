"""The outgoing clients of a process: one for each purpose, so that what hangs in one stops none of the others."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from signalpost.kit.http.client import CallLimits, Client

CALLS_MAX = CallLimits(per_workspace=16, per_tenant=32)
"""Of each client but that for publishing, whose calls the engine's lanes bound."""
MODEL_CALLS_MAX = CallLimits(per_workspace=4, per_tenant=8)
PAYMENT_CALLS_MAX = CallLimits(per_workspace=4, per_tenant=8)


@dataclass(frozen=True)
class Clients:
    """Each client has connections, name lookups and limits of its own."""

    publishing: Client
    webhooks: Client
    accounts: Client
    """Sign-in, renewal and health checks of accounts, and checks of addresses."""
    pages: Client
    """Files and pages at addresses that users name."""
    messenger: Client
    """Files that people send by messenger, and replies to them."""
    models: Client
    """The operator's language model, whose responses take long."""
    payments: Client
    """The provider that takes payments."""
    push: Client
    """Push services of browsers, whose addresses browsers name."""

    @classmethod
    def create(cls, allowed_private_hosts: Sequence[str] = (), user_agent: str = "http-client") -> Self:
        """Return clients that have no connections yet.

        Raises:
            ValueError: an entry of `allowed_private_hosts` is invalid.
        """

        def client(
            connections_max: int, per_host_max: int, calls_max: CallLimits | None, *, propagates: bool = False
        ) -> Client:
            return Client(
                allowed_private_hosts,
                user_agent,
                connections_max=connections_max,
                connections_per_host_max=per_host_max,
                calls_max=calls_max,
                propagates=propagates,
            )

        return cls(
            publishing=client(512, 256, None),
            webhooks=client(512, 64, CALLS_MAX, propagates=True),
            accounts=client(128, 64, CALLS_MAX),
            pages=client(512, 64, CALLS_MAX),
            messenger=client(128, 64, CALLS_MAX),
            models=client(64, 64, MODEL_CALLS_MAX),
            payments=client(32, 32, PAYMENT_CALLS_MAX),
            push=client(128, 64, CALLS_MAX),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        async with AsyncExitStack() as stack:
            for client in vars(self).values():
                stack.push_async_callback(client.close)
