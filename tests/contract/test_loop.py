"""No request holds the event loop: the worst that the limits allow, at every endpoint, while others wait.

The processor time of each step is measured, from one `await` to the next; it counts if it is too long each time.
"""

import json
import secrets
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import pytest
from tests.faults.scene import sizes
from tests.figures.record import Record, holds
from tests.helpers.api import Api
from tests.helpers.contract import ENDPOINTS, Sample, name_of
from tests.helpers.factories import Make
from tests.helpers.steps import Steps

from signalpost.kit import ids
from signalpost.web.routing import Endpoint

FAMILY = "\U0001f469‍\U0001f469‍\U0001f467"
SIZE = 1_900_000
HOLDS = "holds of the loop over 20 ms"

WITH_BODY = [endpoint for endpoint in ENDPOINTS if endpoint.body is not None]
READS = [endpoint for endpoint in ENDPOINTS if endpoint.method == "GET"]

# A value of about `size` bytes, for every field of a body at once.
ATTACKS: dict[str, Callable[[int], Any]] = {
    "letters": lambda size: "x" * size,
    "spaces": lambda size: " " * size,
    "families": lambda size: FAMILY * (size // 18),
    "addresses": lambda size: "http://a.b/ " * (size // 12),
    "handles": lambda size: "@a.b #c " * (size // 8),
    "hyphens": lambda size: "a-" * (size // 2) + "!",
    "nul": lambda size: ["\0"] * (size // 12),
    "lists": lambda size: [[]] * (size // 100),
    "objects": lambda size: [{}] * (size // 100),
    "members": lambda size: {f"{number:08}": 1 for number in range(size // 50)},
    "numbers": lambda size: [1] * (size // 3),
    "ids": lambda size: [ids.example("med")] * (size // 50),
    "deep": lambda size: nested(min(size // 2, 400)),
}


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value} if levels % 2 else [value]
    return value


@cache
def attack_text(attack: str, size: int) -> str:
    return json.dumps(ATTACKS[attack](size), ensure_ascii=attack == "nul")


def body_text(parts: Mapping[str, str]) -> bytes:
    """Return a JSON object of members that are JSON already, no larger than the server reads."""
    members = (f"{json.dumps(name)}: {text}" for name, text in parts.items())
    return ("{" + ", ".join(members) + "}").encode()[:2_000_000]


@holds("S11")
@pytest.mark.slow
@sizes("every", quick=6, heavy=1)
@pytest.mark.parametrize("endpoint", WITH_BODY, ids=name_of)
async def test_no_body_holds_the_loop(
    api: Api, sample: Sample, endpoint: Endpoint, steps: Steps, record: Record, every: int
) -> None:
    """Each attack in all fields at once, and in one field, in turn; in every field: below.

    `every`: 6 takes a sixth of the attacks for each endpoint, in turn, so that every attack meets many of them.
    """
    request = sample.prepare(endpoint)
    good = {name: json.dumps(value) for name, value in (request.body or {}).items()}
    fields = [*good, "unknown"]
    attacks = list(enumerate(ATTACKS))[WITH_BODY.index(endpoint) % every :: every]
    for number, attack in attacks:
        share = attack_text(attack, SIZE // len(fields))
        field = fields[number % len(fields)]
        for parts in (dict.fromkeys(fields, share), good | {field: attack_text(attack, SIZE)}):
            await steps.during(partial(request.send, api, content=body_text(parts)))

    record("S11", tried={"hostile inputs": 2 * len(attacks)}, measured={HOLDS: len(steps)})
    assert steps == []


@pytest.mark.heavy
@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("endpoint", WITH_BODY, ids=name_of)
async def test_no_field_holds_the_loop(api: Api, sample: Sample, endpoint: Endpoint, attack: str, steps: Steps) -> None:
    request = sample.prepare(endpoint)
    good = {name: json.dumps(value) for name, value in (request.body or {}).items()}
    for field in (*good, "unknown"):
        await steps.during(partial(request.send, api, content=body_text(good | {field: attack_text(attack, SIZE)})))

    assert steps == []


@holds("S11")
@sizes("every", quick=4, heavy=1)
@pytest.mark.parametrize("endpoint", READS, ids=name_of)
async def test_no_query_holds_the_loop(
    api: Api, sample: Sample, endpoint: Endpoint, steps: Steps, record: Record, every: int
) -> None:
    """Servers accept about 60 KB of query string and headers. `every`: as above."""
    request, first = sample.prepare(endpoint), READS.index(endpoint) % every
    known = [parameter for parameter in ("cursor", "limit", "q", "status", "from") if endpoint.paged]
    for value in ("%41" * 200, "a" * 600, "%C3%BC" * 100, "a-" * 300)[first::every]:
        queries = ["&".join(f"{number}={value}" for number in range(100)), *(f"{name}={value * 100}" for name in known)]
        for query in queries:
            await steps.during(partial(request.send, api, params=query))
    headers = ("accept", "authorization", "x-request-id", "if-none-match", "x-workspace-id", "range", "cookie")
    for header in headers[first::every]:
        await steps.during(partial(request.send, api, headers={header: "a/b;q=0.1, " * 5_000}))

    record("S11", tried={}, measured={HOLDS: len(steps)})
    assert steps == []


async def test_an_idempotency_key_with_the_largest_body_does_not_hold_the_loop(
    api: Api, sample: Sample, steps: Steps
) -> None:
    """The body is hashed, the response encrypted and stored."""
    endpoint = next(endpoint for endpoint in WITH_BODY if name_of(endpoint) == "POST /posts/validate")
    request = sample.prepare(endpoint)
    text = "Ein Satz mit #Hashtag, @someone.test und https://example.com/ä . " * 900
    body = request.body | {"text": text, "thread": [{"text": text} for _ in range(29)]}

    async def send_twice() -> None:
        request.headers["Idempotency-Key"] = secrets.token_hex(8)
        for _ in range(2):
            await request.send(api, body=body)

    await steps.during(send_twice)

    assert steps == []


# What a post of 33 to 39 kB may consist of; a page holds a hundred of them.
LARGEST = {
    "text": {"text": "Ein Satz mit #Hashtag, @someone.test und https://example.com/ä . " * 600},
    "lists": {"options": {"sandbox": {"a": [[]] * 10_800}}},
}


@pytest.mark.parametrize("content", LARGEST)
async def test_the_largest_pages_do_not_hold_the_loop(api: Api, make: Make, steps: Steps, content: str) -> None:
    owner = await make.owner()
    body = {"profileId": owner.profile, "text": "x", "title": "A word", "draft": True} | LARGEST[content]
    for _ in range(100):
        created = await api.post("/posts", json=body, key=owner.key)
        assert created.status_code == 201, created.text

    async def read(query: dict[str, str]) -> None:
        page = await api.get("/posts", params={"limit": "100"} | query, key=owner.key)
        assert page.status_code == 200, page.text
        assert len(page.content) > 3_200_000

    for query in ({}, {"q": "word"}, {"sort": "scheduledAt", "q": "word"}):
        await steps.during(partial(read, query))

    assert steps == []


# What one request for many posts may consist of: as many targets as are allowed, or as much text.
WORST = {
    "targets": (50, "x" * 40),
    "text": (50, "Ein Satz mit #Hashtag, @someone.test und https://example.com/ä . " * 300),
    "one text": (10, "\U0001f469‍\U0001f469‍\U0001f467" * 4_999),
}


@pytest.mark.parametrize("content", WORST)
async def test_the_largest_requests_for_many_posts_do_not_hold_the_loop(
    api: Api, make: Make, steps: Steps, content: str
) -> None:
    owner, (count, text) = await make.owner(), WORST[content]
    profiles = [(await make.profile(owner))["id"] for _ in range(count)]
    for profile in profiles:
        for number in range(10 if content == "targets" and profile == profiles[0] else 1):
            await make.account(owner, profile=profile, username=f"a{number}")
    turn = iter(range(1_000))

    async def create() -> None:
        words = f"{next(turn)} {text}"
        posts = [
            {"profileId": profiles[0], "text": f"{number} {words}", "platforms": ["sandbox"]} for number in range(count)
        ]
        answer = await api.post("/posts/bulk", json={"posts": posts, "draft": content != "targets"}, key=owner.key)
        assert answer.status_code in (201, 413), answer.text[:500]

    async def fan_out() -> None:
        targets = [{"profileId": profile} for profile in profiles]
        body = {"targets": targets, "text": f"{next(turn)} {text}", "draft": content != "targets"}
        answer = await api.post("/posts/fanout", json=body, key=owner.key)
        assert answer.status_code == 201, answer.text[:500]

    await steps.during(create)
    await steps.during(fan_out)

    assert steps == []
