"""What Facebook, Instagram and Threads share: the Graph API, its errors, and containers that are published later."""

from signalpost.networks.meta.containers import Container, ContainerApi, find_published, publish_container, ready
from signalpost.networks.meta.errors import MetaError, explainer, read_error
from signalpost.networks.meta.graph import GRAPH_VERSION, Graph

__all__ = [
    "GRAPH_VERSION",
    "Container",
    "ContainerApi",
    "Graph",
    "MetaError",
    "explainer",
    "find_published",
    "publish_container",
    "read_error",
    "ready",
]
