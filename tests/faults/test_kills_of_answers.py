"""Answers to comments by workers that are killed, frozen or cut from the database: each is sent once, none is lost."""

import dataclasses
import itertools
from collections import Counter
from functools import partial
from typing import Any

import pytest
from tests.faults import sabotage
from tests.faults.hostile import HostileNetwork, slow
from tests.faults.processes import Process
from tests.faults.scene import Scene, Tenant
from tests.faults.test_kills import SEED, kill_workers
from tests.figures.record import Record, holds
from tests.helpers.comments import Commented

from signalpost.kit import ids

STEPS = (
    "reply-begun", "reply-before-intent", "reply-after-intent", "reply-before-call", "reply-after-call",
    "reply-before-done", "reply-after-done", "reply-answered",
)  # fmt: skip
HARMS = ("kill", "freeze", "cut")
QUICK = [("reply-after-call", "kill"), ("reply-before-call", "freeze"), ("reply-before-call", "cut")]
_CUT = "pg_terminate_backend(pid) from pg_stat_activity where application_name = $1"
_STATES = "select r.text, r.state from comment_reply r order by r.id"


def sized(name: str, *, quick: Any, heavy: Any) -> pytest.MarkDecorator:
    """Run a test small with one kind of network, and in full with each."""
    heavy_ones = [
        pytest.param(kind, heavy, id=f"{kind}-heavy", marks=[pytest.mark.heavy, pytest.mark.timeout(1200)])
        for kind in ("mastodon", "relative", "bluesky")
    ]
    return pytest.mark.parametrize(
        ("kind", name), [pytest.param("relative", quick, id="quick", marks=pytest.mark.small), *heavy_ones]
    )


def short_pauses() -> None:
    """What is not settled is looked at again within seconds, however often; who kills that often blames no answer."""
    sabotage.short_waits()
    sabotage.constants(DELAYS=(1.0,) * 60, CRASHES_MAX=60)


@dataclasses.dataclass
class Commentators:
    """A published post with a comment of each of so many people."""

    scene: Scene
    tenant: Tenant
    network: HostileNetwork
    comments: list[str]
    _numbers: Any = dataclasses.field(default_factory=itertools.count)

    async def answer(self) -> str:
        """Answer the next comment; return a text that no other answer has."""
        number = next(self._numbers)
        text = f"answer-{number}."
        await self.tenant.call("POST", f"/comments/{self.comments[number]}/reply", 201, json={"text": text})
        return text

    async def all_ended(self) -> dict[str, str]:
        """Wait until nothing is being sent; return the states by text."""
        under_way = "exists (select from comment_reply where state = 'sending')"
        await self.scene.until(lambda: self.scene.value(f"not {under_way}"), "end of all answers")
        return {row["text"]: row["state"] for row in await self.scene.query(_STATES)}

    def sent(self) -> Counter[str]:
        """How often each answer became public; at some networks it begins with whom it answers."""
        return Counter(post.text.rpartition(" ")[2] for post in self.network.made("answer-"))


async def commentators(scene: Scene, network: HostileNetwork, kind: str, count: int) -> Commentators:
    tenant = await scene.tenant()
    network.visitors = count
    account = await (tenant.bluesky if kind == "bluesky" else tenant.mastodon)(network)
    worker = await scene.worker(sabotage.short_waits)
    post = await tenant.post(account, text="What do you say?")
    await tenant.ends(post, "published")
    await worker.stop()
    commented = Commented(scene.context, scene.api, tenant.login)
    commented.post = await tenant.call("GET", f"/posts/{post}")
    again = await commented.collect()
    rows = await scene.query("select id from comment order by id")
    assert len(rows) == count, (again, await scene.query("select * from comment_source"))
    return Commentators(scene, tenant, network, [ids.encode("cmt", row["id"]) for row in rows])


def start_worker(scene: Scene) -> Process:
    return scene.start_worker(short_pauses)


@holds("R23")
@sized("size", quick=(3, 12), heavy=(60, 240))
async def test_workers_are_killed_while_they_send_answers(
    scene: Scene, record: Record, kind: str, size: tuple[int, int]
) -> None:
    """`size`: kills, answers. One answer of the network in twenty is lost; the relative knows no idempotency keys."""
    kills, answers = size
    async with HostileNetwork(knows_keys=kind != "relative", loses=0.05) as network:
        people = await commentators(scene, network, kind, answers)
        network.on("answer-", slow(0.4))
        texts = [await people.answer() for _ in range(answers)]
        workers = [start_worker(scene) for _ in range(2)]
        await kill_workers(workers, kills, (0.2, 1.2), partial(start_worker, scene))
        states, sent = await people.all_ended(), people.sent()
    doubles = sum(count - 1 for count in sent.values())
    lost = [text for text in texts if states[text] != "sent" or text not in sent]
    tried = {"answers": answers, "kills": kills}
    record("R23", tried=tried, measured={"doubles": doubles, "lost": len(lost)}, seed=SEED)
    assert doubles == 0, sent
    assert lost == [], states


@holds("R23")
@sized("cases", quick=QUICK, heavy=list(itertools.product(STEPS, HARMS)))
async def test_a_process_is_harmed_at_each_step_of_an_answer(
    scene: Scene, record: Record, kind: str, cases: list[tuple[str, str]]
) -> None:
    """It stands still there; then it is killed, goes on when another is done, or has lost its database sessions."""
    async with HostileNetwork(knows_keys=kind != "relative") as network:
        people = await commentators(scene, network, kind, len(cases))
        for step, harm in cases:
            victim = await scene.worker(short_pauses, partial(sabotage.freeze_at, step, scene.trigger))
            scene.trigger.touch()
            await people.answer()
            await scene.until(lambda: victim.is_frozen, f"a process that stands still at {step}")  # noqa: B023
            if harm == "kill":
                victim.kill()
            elif harm == "cut":
                await scene.value(_CUT, victim.name)
                victim.thaw()
            other = start_worker(scene)
            await people.all_ended()
            if harm == "freeze":
                victim.thaw()
            for process in (victim, other):
                if process.runs:
                    await process.stop()
        states, sent = await people.all_ended(), people.sent()
    doubles = sum(count - 1 for count in sent.values())
    lost = [text for text, state in states.items() if state != "sent" or text not in sent]
    record("R23", tried={"harms at a step": len(cases)}, measured={"doubles": doubles, "lost": len(lost)})
    assert doubles == 0, sent
    assert lost == [], (states, cases)
    assert len(states) == len(cases)
