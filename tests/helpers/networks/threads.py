"""Threads as the simulator has it, and what its errors mean."""

from typing import Any

from simulator.networks.threads import Threads
from tests.helpers.networks.facebook import SHARED_ERRORS, error, meta_response
from tests.helpers.networks.instagram import FILES, clip, photo
from tests.helpers.simulated import open_with, simulated, write_comment

from signalpost.conformance.fake import TOKEN, Case, NetworkFake
from signalpost.conformance.harness import outgoing
from signalpost.networks.contract import NeedsReconnect, Refused, TryLater

ACCOUNT = "1800"
CREATE = f"POST /v1.0/{ACCOUNT}/threads_publish"


def seed(network: Any) -> None:
    network.files |= FILES
    bakery = network.world.add_person("threads", "bakery", id=ACCOUNT)
    open_with(network, TOKEN, bakery, network.world.add_app("threads"))


FAKE = NetworkFake(
    server=simulated(Threads, seed),
    write_comment=write_comment,
    account={"secrets": {"accessToken": TOKEN}, "remote_id": ACCOUNT},
    create_call=CREATE,
    refusal=meta_response(400, 100, 0, "rude"),
    cases={
        "thread": Case(post=outgoing("one & only", "two", "three", media=(photo(),))),
        "carousel": Case(post=outgoing("several", media=(photo("red"), photo("green"), clip()))),
        "link": Case(post=outgoing("look", link="https://example.com/a")),
    },
    errors=[
        *SHARED_ERRORS,
        (error(24, 4279009), TryLater, "media_processing_failed"),
        (error(4279013, 4279013), NeedsReconnect, None),
        (error(100, message="Param text must be at most 500 characters long."), Refused, "content_rejected"),
        (error(100, message="THREADS_API__LINK_LIMIT_EXCEEDED"), Refused, "content_rejected"),
    ],
)
