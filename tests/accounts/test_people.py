"""People to mention over the API: who is there, how often the network is asked, and what is said when it is silent."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost import networks
from signalpost.accounts.actions import people as actions
from signalpost.conformance.harness import FakeResponse
from signalpost.context import AppContext
from signalpost.kit import clock
from signalpost.kit.http import MaybeSent
from signalpost.main import app
from signalpost.networks.contract import ApiError, NeedsReconnect, NetworkSession, Outcome, Person, Refused, TryLater


@dataclass
class Directory:
    """A network with people, which fails as a test wants it to."""

    failure: Exception | None = None
    outcome: Outcome | None = None
    questions: list[str] = field(default_factory=list)

    async def people(self, _session: NetworkSession, text: str) -> Sequence[Person]:
        self.questions.append(text)
        if self.failure is not None:
            raise self.failure
        return [Person(handle=f"{text}{number}", name="") for number in range(30)]

    def explain(self, _error: ApiError) -> Outcome:
        assert self.outcome is not None
        return self.outcome


@pytest.fixture
def directory(monkeypatch: pytest.MonkeyPatch) -> Directory:
    directory, sandbox = Directory(), networks.CONNECTORS["sandbox"]
    changed = replace(sandbox, people=directory.people, explain=directory.explain)
    monkeypatch.setitem(networks.CONNECTORS, "sandbox", changed)
    return directory


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


@pytest.fixture
async def path(api: Api, owner: Login) -> str:
    body = {"profileId": owner.profile, "fields": {"username": "bakery"}}
    account = (await api.post("/platforms/sandbox/connect", json=body, key=owner.key)).json()
    return f"/platforms/accounts/{account['id']}/people"


async def test_people_are_found_by_the_beginning_of_their_names(api: Api, owner: Login, path: str) -> None:
    """The sandbox has some."""
    people = (await api.get(path, params={"q": "@AB"}, key=owner.key)).json()["data"]
    nobody = (await api.get(path, params={"q": "nobody at all"}, key=owner.key)).json()["data"]

    assert people == [{"handle": "noor.abel", "name": "Noor Abel"}, {"handle": "zoe.abbott", "name": "Zoë Abbott"}]
    assert nobody == []


async def test_an_answer_is_kept_for_a_minute(
    api: Api, owner: Login, path: str, directory: Directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("al", "al", "ali", "@al "):
        listed = (await api.get(path, params={"q": text}, key=owner.key)).json()["data"]
    assert directory.questions == ["al", "ali"]
    assert (len(listed), listed[0]) == (20, {"handle": "al0", "name": "al0"})

    later = clock.monotonic() + 61
    monkeypatch.setattr(clock, "monotonic", lambda: later)
    await api.get(path, params={"q": "al"}, key=owner.key)
    assert directory.questions == ["al", "ali", "al"]


async def test_a_workspace_asks_so_often_and_no_more(
    context: AppContext, api: Api, owner: Login, path: str, directory: Directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many processes it asks."""
    monkeypatch.setattr(actions, "PER_MINUTE", 2)
    answers = [await api.get(path, params={"q": text}, key=owner.key) for text in ("al", "ali", "alic", "al")]

    assert [answer.status_code for answer in answers] == [200, 200, 429, 200]
    assert int(answers[2].headers["retry-after"]) > 0
    async with Api(app.create(replace(context, states={}))) as other:
        assert (await other.get(path, params={"q": "alice"}, key=owner.key)).status_code == 429
    assert directory.questions == ["al", "ali"]


@pytest.mark.parametrize("text", ["", "a", "x" * 101])
async def test_one_letter_is_too_little(api: Api, owner: Login, path: str, directory: Directory, text: str) -> None:
    answer = await api.get(path, params={"q": text}, key=owner.key)

    assert (answer.status_code, directory.questions) == (422, [])


REFUSAL = ApiError(FakeResponse(403, b"{}"), "GET /people")


@pytest.mark.parametrize(
    ("failure", "outcome", "status", "code"),
    [
        (REFUSAL, NeedsReconnect(message="The token is dead"), 409, "invalid_state"),
        (REFUSAL, Refused(code="permission_missing", message="Not allowed"), 409, "invalid_state"),
        (REFUSAL, TryLater(message="Busy"), 502, "platform_error"),
        (MaybeSent("no answer", timed_out=True), None, 504, "platform_timeout"),
        (TimeoutError(), None, 504, "platform_timeout"),
    ],
)
async def test_what_the_network_does_not_say_is_a_problem_and_is_not_kept(
    api: Api, owner: Login, path: str, directory: Directory,
    failure: Exception, outcome: Outcome | None, status: int, code: str,
) -> None:  # fmt: skip
    directory.failure, directory.outcome = failure, outcome
    answer = await api.get(path, params={"q": "al"}, key=owner.key)
    directory.failure = None
    again = await api.get(path, params={"q": "al"}, key=owner.key)

    assert (answer.status_code, answer.json()["code"], again.status_code) == (status, code, 200)
    assert "Sandbox" in answer.json()["detail"]


async def test_an_account_that_is_disconnected_finds_nobody(
    api: Api, owner: Login, path: str, directory: Directory
) -> None:
    await api.get(path, params={"q": "al"}, key=owner.key)
    await api.delete(path.removesuffix("/people"), key=owner.key)
    answer = await api.get(path, params={"q": "al"}, key=owner.key)

    assert (answer.status_code, answer.json()["code"]) == (409, "invalid_state")


async def test_a_network_without_such_a_search_finds_nobody(
    api: Api, owner: Login, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(networks.CONNECTORS, "sandbox", replace(networks.CONNECTORS["sandbox"], people=None))
    [account] = (await api.get("/platforms/accounts/all", key=owner.key)).json()["data"]

    assert account["capabilities"]["mentions"] is False
    assert (await api.get(path, params={"q": "al"}, key=owner.key)).json()["data"] == []
