"""Requests to X and Pinterest are checked by what these networks specify; one that differs in anything is refused."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import httpx
import pytest
from simulator import Simulator
from simulator.messages import Request
from simulator.networks.pinterest import Pinterest
from simulator.networks.x import X
from simulator.specification import FOLDER, Specification, shape
from simulator.world import Logged
from tests.counterparts import specifications
from tests.helpers.scenes import SCENES
from tests.helpers.scenes.stage import Stage, connected

from signalpost.kit.http import Client
from signalpost.networks.contract import Published

NETWORKS = {"x": X, "pinterest": Pinterest}
EXTRA = "hand_made"


@pytest.mark.slow
@pytest.mark.parametrize("key", NETWORKS)
def test_the_stored_part_is_what_the_published_client_says(key: str) -> None:
    reader, network = specifications.READERS[key]
    assert specifications.cut(specifications.site(), reader, network) == (FOLDER / f"{key}.json").read_text()


def specification(key: str) -> Specification:
    found = NETWORKS[key].specification
    assert found is not None
    return found


@pytest.mark.parametrize("key", NETWORKS)
def test_each_call_is_specified_or_left_out_with_a_reason(key: str, simulator: Simulator) -> None:
    known = specification(key)
    calls = set(simulator.world.networks[key].calls)
    specified = {call for call in calls if shape(call) in known.content["operations"]}

    assert calls - specified == set(known.unspecified)
    assert {shape(call) for call in specified} == set(known.content["operations"])
    assert all(known.unspecified.values())


def test_what_is_taken_although_it_is_not_specified_has_dated_sources() -> None:
    deviations = [(key, one) for key in NETWORKS for one in specification(key).deviations]
    assert deviations
    for key, deviation in deviations:
        queries = [one["query"]["properties"] for one in specification(key).content["operations"].values()]
        assert any(deviation.beside in query for query in queries)
        assert not any(deviation.name in query for query in queries)  # or it can go
        assert len(deviation.seen) > 1
        assert all(date.fromisoformat(day) > date(2026, 1, 1) for _, day in deviation.seen)


# --- every request of our connectors ---------------------------------------------------------------------------------


@pytest.fixture(params=NETWORKS)
async def used(request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    """A network to which our connector has sent everything that it can."""
    async with Simulator(start=datetime.now(UTC)) as simulator, Client() as http:
        stage = await connected(simulator, request.param, SCENES[request.param], http)
        await _use(stage)
        yield stage


async def _use(stage: Stage) -> None:
    connector = stage.connector
    kinds = ["image", "video", *(["gif"] if "gif" in connector.facts.media else [])]
    posts = [stage.post(kind, files=(stage.file(kind, alt_text="seen"),)) for kind in kinds]  # type: ignore[arg-type]
    posts.append(stage.post("several", files=(stage.file("image", 1), stage.file("image", 2))))
    if stage.key == "x":
        options: dict[str, Any] = {"replySettings": "following", "madeWithAi": True, "paidPartnership": True}
        posts.append(stage.post("options", "a reply", options=options | {"communityId": "77"}))
        posts.append(stage.post("asked", options={"poll": {"options": ["yes", "no"], "minutes": 60}}))
    else:
        options = {"aiDisclosures": ["AI_MODIFIED"], "link": "https://example.com/"}
        posts.append(stage.post("options", files=(stage.file("image"),), options=options))
        assert connector.choices is not None
        for option in ("boardId", "boardSectionId"):
            await connector.choices(stage.session(), [option], stage.identity.facts.get("boardId", "5001"))
    published = []
    for post in posts:
        outcome = await stage.publish(post)
        assert isinstance(outcome, Published), outcome
        published.append(outcome.remote_id)
    stage.world.add_fault(stage.key, "lost", "POST /2/tweets" if stage.key == "x" else "POST /v5/pins")
    assert isinstance(await stage.publish(stage.post("lost", files=(stage.file("image", 3),))), Published)
    assert connector.metrics is not None
    assert connector.delete is not None
    assert connector.refresh is not None
    await connector.metrics(stage.session(), published)
    await connector.check(stage.session())
    await connector.delete(stage.session(), published[0], ())
    stage.world.clock.advance(timedelta(days=29).total_seconds() if stage.key == "pinterest" else 7_000)
    await connector.refresh(stage.session())


def _requests(stage: Stage) -> list[tuple[str, Request]]:
    def made(one: Logged) -> Request:
        return Request(one.call.partition(" ")[0], one.target, one.headers, one.body)

    known = specification(stage.key)
    return [(one.call, made(one)) for one in stage.world.log if shape(one.call) in known.content["operations"]]


async def test_connectors_send_what_is_specified_and_every_change_by_hand_is_found(used: Stage) -> None:
    """Whatever the connector sends passes as it is, and not with a parameter or member more, or without its body."""
    known, requests = specification(used.key), _requests(used)

    assert {shape(call) for call, _ in requests} == set(known.content["operations"])
    for call, request in requests:
        assert known.error(call, request) is None, call
        mark = "&" if "?" in request.target else "?"
        added = Request(request.method, f"{request.target}{mark}{EXTRA}=1", request.headers, request.body)
        assert EXTRA in (known.error(call, added) or ""), call
        if request.content_type != "application/json":
            continue
        for body in _changed(json.loads(request.body)):
            changed = Request(request.method, request.target, request.headers, json.dumps(body).encode())
            assert known.error(call, changed), (call, body)


def _changed(value: Any) -> list[Any]:
    """Return an object with a member more: at its top, and inside each of its objects."""
    if isinstance(value, list):
        return [[*value[:at], one, *value[at + 1 :]] for at in range(len(value)) for one in _changed(value[at])]
    if not isinstance(value, dict):
        return []
    inside = [{**value, name: one} for name in value for one in _changed(value[name])]
    return [{**value, EXTRA: "1"}, *inside]


BODIES = {
    "x": [
        ({"text": "x", EXTRA: True}, EXTRA), ({"text": 1}, "$.text"), ({"text": "x", "reply": {"id": "1"}}, "$.reply"),
        ({"text": "x", "reply_settings": "everyone"}, "$.reply_settings"), ({"text": "x", "poll": {}}, "$.poll"),
    ],
    "pinterest": [
        ({"board_id": "5001", "note": "x"}, "note"), ({"board_id": 5001}, "$.board_id"),
        ({"board_id": "5001", "title": "x" * 101}, "$.title"),
        ({"board_id": "5001", "media_source": {"source_type": "image_base64"}}, "$.media_source"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("key", "body", "place"), [(key, *one) for key, many in BODIES.items() for one in many])
async def test_a_request_that_is_not_as_specified_is_refused(
    key: str, body: dict[str, Any], place: str, simulator: Simulator
) -> None:
    world = simulator.world
    app, alice = world.add_app(key, "https://service.example/callback"), world.add_person(key, "alice")
    oauth = world.networks[key].oauth
    assert oauth is not None
    headers = {"Authorization": f"Bearer {oauth.grant(app, alice).access_token}"}
    path = "/2/tweets" if key == "x" else "/v5/pins"
    async with httpx.AsyncClient(base_url=simulator.url(key), headers=headers) as client:
        refused = await client.post(path, json=body)

    assert refused.status_code == 400
    assert "not as specified" in refused.text
    assert place in refused.text
    assert not world.ledger.of(key)
