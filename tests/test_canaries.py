"""What every test is watched for: a secret in the open is found, and fails the test that it belongs to."""

import base64
from typing import Any
from urllib.parse import quote

import asyncpg
import pytest
from tests.helpers.api import Api
from tests.helpers.canaries import CANARIES, Canaries, Watch, search_database
from tests.helpers.factories import Make
from tests.helpers.identity import register

from signalpost.kit import log
from signalpost.kit.crypto import KeyRing

TOKEN = "EAAG-token_0f1e2d3c4b5a69788796"
SHORT = "correct horse"


@pytest.fixture
def canaries() -> Canaries:
    found = Canaries()
    found.test = "tests/a.py::test"
    found.add(TOKEN)
    found.add(SHORT)
    return found


@pytest.mark.parametrize(
    "text",
    [
        f'{{"header":"Bearer {TOKEN}"}}',
        f"https://network.test/me?access_token={quote(TOKEN)}&fields=id",
        f"token{TOKEN}x",
        TOKEN[10:],
        base64.b64encode(f"user:{TOKEN}".encode()).decode(),
        base64.urlsafe_b64encode(b'{"t":"' + TOKEN.encode() + b'"}').decode(),
        TOKEN.encode().hex(),
        f"password={SHORT!r}",
    ],
)
def test_a_secret_is_found_in_each_form(canaries: Canaries, text: str) -> None:
    assert canaries.found_in("nothing\nhere") == []

    [line] = canaries.found_in(f"before\n{text}\nafter")

    assert line.endswith("of tests/a.py::test")
    assert "before" not in line


def test_what_was_clean_is_looked_at_again_when_it_becomes_secret(canaries: Canaries) -> None:
    later = "sp_live_000000000000_later"
    assert canaries.found_in(later) == []

    canaries.add(later)

    assert len(canaries.found_in(later)) == 1


def test_a_test_that_leaves_a_secret_in_the_open_fails(request: pytest.FixtureRequest) -> None:
    """In a log line, or in what its client was told."""
    secret = "never-to-be-seen-4711"
    CANARIES.add(secret)

    def reported(sections: list[tuple[str, str]]) -> pytest.TestReport:
        report = pytest.TestReport(request.node.nodeid, ("", 0, ""), {}, "passed", None, "teardown", sections)
        steps: Any = Watch().pytest_runtest_makereport(request.node, None)  # type: ignore[arg-type]  # unused
        next(steps)
        with pytest.raises(StopIteration):
            steps.send(report)
        return report

    assert reported([("Captured stderr call", "fine"), ("Captured stdout call", f"key: {secret}")]).passed
    failed = reported([("Captured stderr call", f'{{"key":"{secret}"}}')])
    CANARIES.says(f"You sent {secret}.")
    told = reported([])

    assert failed.outcome == told.outcome == "failed"
    assert secret in str(failed.longrepr)
    assert request.node.nodeid in str(told.longrepr)


async def test_secrets_are_known_from_their_making(api: Api, make: Make) -> None:
    """Passwords, tokens, keys, and what is sealed: the test told nobody. Nothing below debug level is left out."""
    registered = await register(api)
    owner = await make.owner()
    hook = {"url": "https://example.test/hook", "events": ["post.published"]}
    webhook = (await api.post("/webhooks", key=owner.key, json=hook)).json()
    KeyRing({"k": bytes(32)}, "k").seal(b'{"accessToken": "sealed-for-an-account-17"}', context="account.secrets|1|2")

    for secret in (registered["accessToken"], registered["refreshToken"], owner.key, webhook["secret"]):
        assert len(CANARIES.found_in(secret)) == 1, secret
    assert len(CANARIES.found_in("sealed-for-an-account-17")) == 1
    assert log.get("test").writes("debug")


async def test_a_secret_in_a_table_is_found_and_sealed_bytes_are_not(fresh_dsn: str) -> None:
    CANARIES.add(TOKEN)
    connection = await asyncpg.connect(fresh_dsn)
    await connection.execute("create table leak (sealed bytea, note jsonb, empty text)")
    await connection.execute("insert into leak values ($1, '{}')", TOKEN.encode())
    assert await search_database(fresh_dsn) == []

    await connection.execute("insert into leak (note) values (jsonb_build_array('Bearer ' || $1::text))", TOKEN)
    [line] = await search_database(fresh_dsn)
    await connection.close()

    assert line.startswith("leak: ")
