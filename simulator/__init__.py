"""Stand-ins of the social networks: their OAuth, their API, their rules and their failures, and what became public.

A development tool and the oracle of tests. It imports nothing of the service; its rules come from the networks' own
documentation. `simulator/README.md` says how to run it and how a network is added.
"""

from simulator.ledger import Entry, Ledger
from simulator.server import Simulator
from simulator.world import App, Destination, Fault, Person, World

__all__ = ["App", "Destination", "Entry", "Fault", "Ledger", "Person", "Simulator", "World"]
