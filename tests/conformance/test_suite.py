"""The conformance suite: our own connectors and the example pass it, and each kind of mistake fails its check."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.limits import TEST_SECONDS
from tests.helpers.networks import FAKES

from signalpost.conformance import suite
from signalpost.conformance.fake import TOKEN, NetworkFake
from signalpost.networks import CONNECTORS
from signalpost.networks.contract import VERSION, ApiError, Connector, OutcomeUnknown, Published, Refused, TryLater

CHECKOUT = Path(__file__).parents[2]
EXAMPLE = CHECKOUT / "examples" / "signalpost-ntfy"
GUIDE = CHECKOUT / "docs" / "guides" / "write-a-connector.md"


@pytest.fixture(scope="module")
def ntfy() -> Iterator[Any]:
    """The module of the example with its fake."""
    sys.path.insert(0, str(EXAMPLE / "src"))
    import signalpost_ntfy.fake  # type: ignore[import-not-found]

    yield signalpost_ntfy.fake
    sys.path.remove(str(EXAMPLE / "src"))


@pytest.mark.parametrize("key", FAKES)
async def test_our_own_connectors_pass(key: str) -> None:
    """They state no version of the contract, since they come with it."""
    results = await suite.run(replace(CONNECTORS[key], contract=VERSION), FAKES[key])
    assert not [result for result in results if result.count], suite.as_text(results)


async def test_the_example_passes_and_is_short(ntfy: Any) -> None:
    results = await suite.run(ntfy.CONNECTOR, ntfy.FAKE)
    assert not [result for result in results if result.count], suite.as_text(results)
    assert len((EXAMPLE / "src" / "signalpost_ntfy" / "__init__.py").read_text().splitlines()) <= 100


def test_the_guide_shows_the_example_as_it_is() -> None:
    guide = GUIDE.read_text()
    for path in ("src/signalpost_ntfy/__init__.py", "src/signalpost_ntfy/fake.py", "tests/test_conformance.py"):
        assert f"```python\n{(EXAMPLE / path).read_text()}```" in guide, path
    assert f"```toml\n{(EXAMPLE / 'pyproject.toml').read_text()}```" in guide
    assert f"### {VERSION}" in guide


# --- mistakes ------------------------------------------------------------------------------------------------------


async def _no_intent(session: Any, outgoing: Any, _journal: Any) -> Any:
    await session.server.call(
        "POST", "/", json={"topic": "news", "message": outgoing.text}, headers={"Authorization": f"Bearer {TOKEN}"}
    )
    return Published(remote_id="1", url=None)


async def _nothing(*_: Any) -> Any:
    return Published(remote_id="1", url=None)


async def _absent(*_: Any) -> Any:
    from signalpost.networks.contract import Absent

    return Absent()


async def _prints(session: Any, *_: Any) -> Any:
    print(session.secrets["token"])  # noqa: T201 - the mistake
    return OutcomeUnknown(message="x")


def _refuses(error: ApiError) -> Any:
    return Refused(code="content_rejected", message=f"{error}")


def _raises(error: ApiError) -> Any:
    return TryLater(message=error.response.json()["error"]["message"])


def _slow(error: ApiError) -> Any:
    text, count = error.response.body.decode("utf-8", "replace"), 0
    for start in range(0, len(text), 4) if '"message"' in text else ():  # only of texts that users wrote
        count += text[start:].count("a")
    return TryLater(message=f"{count}", code="rate_limited", after_seconds=17)


def _echoes(error: ApiError) -> Any:
    return Refused(code="content_rejected", message="no", response=error.response.body.decode("utf-8", "replace"))


async def _asks_for_ever(session: Any, _remote_ids: Any, _since: Any) -> Any:
    while (await session.server.call("GET", "/comments")).headers.get("Link"):
        pass


async def _lists_nothing(*_: Any) -> Any:
    return []


async def _answers_blindly(session: Any, reply: Any, _journal: Any) -> Any:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    await session.server.call("POST", "/", json={"topic": "news", "message": reply.text}, headers=headers)
    return Published(remote_id="1", url=None)


MISTAKES: dict[str, tuple[Callable[[Connector], Connector], str]] = {
    "no version": (lambda connector: replace(connector, contract=""), "claims"),
    "no reconcile": (lambda connector: replace(connector, reconcile=None), "claims"),
    "no intent": (lambda connector: replace(connector, publish=_no_intent), "publish"),
    "publishes nothing": (lambda connector: replace(connector, publish=_nothing), "publish"),
    "sends again without looking": (lambda connector: replace(connector, reconcile=_absent), "an answer is lost"),
    "prints the token": (lambda connector: replace(connector, publish=_prints), "no token is logged"),
    "every error refuses": (lambda connector: replace(connector, explain=_refuses), "rate limits"),
    "believes error bodies": (lambda connector: replace(connector, explain=_raises), "any error response"),
    "quadratic": (lambda connector: replace(connector, explain=_slow), "hostile texts"),
    "repeats the token": (lambda connector: replace(connector, explain=_echoes, publish=_fails), "secrets"),
    "comments for ever": (lambda connector: replace(connector, comments=_asks_for_ever), "lists of comments"),
    "comments that are none": (lambda connector: replace(connector, comments=_lists_nothing), "lists of comments"),
    "answers twice": (lambda connector: replace(connector, reply=_answers_blindly), "answers to comments"),
    "believes any answer": (lambda connector: replace(connector, reply=_nothing), "hostile answers to answers"),
    "check of nothing": (lambda connector: replace(connector, check=_nothing), "functions"),
}


async def _fails(session: Any, *_: Any) -> Any:
    try:
        await session.server.call("POST", "/", headers={"Authorization": f"Bearer {TOKEN}"}, json={})
    except ApiError as error:
        return Refused(code="content_rejected", message=error.response.body.decode())
    return OutcomeUnknown(message="x")


@pytest.mark.parametrize("mistake", MISTAKES)
async def test_a_mistake_fails_its_check(mistake: str, ntfy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil, check = MISTAKES[mistake]
    fake: NetworkFake = replace(ntfy.FAKE, comment=FAKES["mastodon"].comment)
    if mistake == "sends again without looking":
        # the example itself looks before it sends, so its own look has to go as well
        monkeypatch.setattr("signalpost_ntfy._find", _never)
    if mistake == "quadratic":
        monkeypatch.setattr("signalpost.conformance.answers.SIZE", 2_000)
        monkeypatch.setattr("signalpost.conformance.answers.SECONDS_MAX", 0.005)

    results = await suite.run(spoil(ntfy.CONNECTOR), fake)

    assert check in {result.check for result in results if result.count}, suite.as_text(results)


async def _never(*_: Any) -> None:
    return None


def _command(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "signalpost", "networks", "check", *arguments], cwd=EXAMPLE / "src", text=True,
        capture_output=True, timeout=TEST_SECONDS, check=False,
    )  # fmt: skip


def test_the_command_reports_and_exits() -> None:
    """0: all is well; 2: there is nothing to check."""
    passed = _command("signalpost_ntfy.fake", "--json")
    assert passed.returncode == 0, passed.stderr
    assert all(row["ok"] for row in json.loads(passed.stdout)["data"])
    empty, absent = _command("signalpost_ntfy"), _command("nowhere")
    assert (empty.returncode, "no FAKE" in empty.stderr) == (2, True)
    assert (absent.returncode, "ModuleNotFoundError" in absent.stderr) == (2, True)


def test_the_command_fails_with_1(tmp_path: Path) -> None:
    (tmp_path / "spoiled.py").write_text(
        f"import sys; sys.path.insert(0, {str(EXAMPLE / 'src')!r})\n"
        "from dataclasses import replace\nfrom signalpost_ntfy.fake import FAKE, CONNECTOR\n"
        "CONNECTOR = replace(CONNECTOR, contract='9.0')\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "signalpost", "networks", "check", "spoiled"], cwd=tmp_path, text=True,
        capture_output=True, timeout=TEST_SECONDS, check=False,
    )  # fmt: skip
    assert run.returncode == 1, run.stderr
    assert "FAILED  claims" in run.stdout
    assert "version '9.0'" in run.stdout


# --- what connectors may use ---------------------------------------------------------------------------------------

PUBLIC = frozenset((
    "signalpost.conformance", "signalpost.networks.contract", "signalpost.networks.codes",
    "signalpost.networks.counting", "signalpost.networks.fetching",
    "signalpost.networks.first_comment", "signalpost.networks.fitting",
    "signalpost.networks.articles", "signalpost.networks.in_parts", "signalpost.networks.instances",
    "signalpost.networks.integrators", "signalpost.networks.links",
    "signalpost.networks.metrics", "signalpost.networks.oauth2", "signalpost.networks.opengraph",
    "signalpost.networks.listing", "signalpost.networks.outcome_mapping", "signalpost.networks.plain_text",
    "signalpost.networks.preflight", "signalpost.networks.replies",
    "signalpost.networks.responses",
    "signalpost.networks.sites", "signalpost.networks.threads", "signalpost.networks.uploads",
    "signalpost.kit.clock", "signalpost.kit.foreign",
    "signalpost.kit.http", "signalpost.kit.issue_text", "signalpost.kit.lru", "signalpost.kit.sniff",
    "signalpost.kit.unicode",
    "signalpost.kit.worker_threads",
))  # fmt: skip
"""What a package may use; the guide lists it. Changes in it change the version of the contract."""


_IMPORTED = re.compile(r"^[ \t]*from (signalpost\.[\w.]+) import (?:\(([^)]*)\)|(.+))", re.MULTILINE)


def _signalpost_modules(path: Path) -> Iterator[str]:
    for module, several, one in _IMPORTED.findall(path.read_text()):
        for name in re.findall(r"\w+", re.sub(r"#.*| as \w+", "", several or one)):
            yield f"{module}.{name}" if module in {"signalpost.kit", "signalpost.networks"} else module


def test_our_own_connectors_use_nothing_that_a_package_cannot() -> None:
    """`meta` is a library of three connectors, under the same rule. No private name of another module is used."""
    folder = CHECKOUT / "src" / "signalpost" / "networks"
    files = [*(folder / "connectors").rglob("*.py"), *(folder / "meta").rglob("*.py"), *EXAMPLE.rglob("*.py")]
    for path in files:
        for module in _signalpost_modules(path):
            own = module.startswith(("signalpost.networks.connectors.", "signalpost.networks.meta"))
            public = module in PUBLIC or module.rpartition(".")[0] in PUBLIC
            assert own or public, f"{path.name} uses {module}"


def test_the_guide_lists_what_packages_may_use() -> None:
    guide = GUIDE.read_text()
    assert not [module for module in PUBLIC if f"`{module}`" not in guide]
