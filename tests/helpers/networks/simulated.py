"""A network of the simulator with one account, as the fakes have it."""

from collections.abc import Callable, Mapping
from typing import Any

from simulator import Person, World
from simulator.network import Network
from tests.helpers.simulated import SimulatedServer, open_with

from signalpost.conformance.fake import TOKEN
from signalpost.conformance.harness import Clock


def with_account(
    network: type[Network],
    clock: Clock,
    *,
    person: Mapping[str, Any] | None = None,
    app: Mapping[str, Any] | None = None,
    prepare: Callable[[World, Person], None] | None = None,
) -> SimulatedServer:
    """Return the network with an account named `me`, whose token is `TOKEN`.

    Args:
        network: the part of the simulator.
        clock: the test's.
        person: values of the account.
        app: values of the app that it was connected with.
        prepare: called with the world and the account, to add what the account has.
    """

    def seed(found: Any) -> None:
        me = found.world.add_person(found.key, "me", **{"id": "me", **(person or {})})
        if prepare is not None:
            prepare(found.world, me)
        open_with(found, TOKEN, me, found.world.add_app(found.key, **(app or {})))

    return SimulatedServer(clock, network, seed)
