"""What a network's fake consists of: the classes of the conformance suite."""

from signalpost.conformance.fake import THREAD, TOKEN, Case, FakeServer, NetworkFake

__all__ = ["THREAD", "TOKEN", "Case", "FakeServer", "NetworkFake"]
