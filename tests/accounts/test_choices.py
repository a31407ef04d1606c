"""The choices of an account over the API: what may be asked, and what is said when the network does not answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost import networks
from signalpost.conformance.harness import FakeResponse
from signalpost.kit.http import MaybeSent
from signalpost.networks.contract import (
    ApiError,
    Choice,
    NeedsReconnect,
    NetworkSession,
    Option,
    Outcome,
    Refused,
    TryLater,
)

OPTIONS = {
    "board": Option(type=str, description="Which board.", live=True),
    "section": Option(type=str, description="Which section.", live=True, depends_on="board"),
    "note": Option(type=str, description="Anything."),
}


@dataclass
class Boards:
    """A network with boards, which fails as a test wants it to."""

    failure: Exception | None = None
    outcome: Outcome | None = None

    async def choices(
        self, _session: NetworkSession, options: Sequence[str], of: str | None
    ) -> Mapping[str, Sequence[Choice]]:
        if self.failure is not None:
            raise self.failure
        listed = [Choice(value=f"{of or 'b'}{number}", label=f"No. {number}") for number in range(600)]
        return {option: listed for option in options}  # noqa: C420 - as connectors answer: more than was agreed

    def explain(self, _error: ApiError) -> Outcome:
        assert self.outcome is not None
        return self.outcome


@pytest.fixture
def boards(monkeypatch: pytest.MonkeyPatch) -> Boards:
    boards, sandbox = Boards(), networks.CONNECTORS["sandbox"]
    facts = replace(sandbox.facts, options=OPTIONS)
    changed = replace(sandbox, facts=facts, choices=boards.choices, explain=boards.explain)
    monkeypatch.setitem(networks.CONNECTORS, "sandbox", changed)
    return boards


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


@pytest.fixture
async def path(api: Api, owner: Login) -> str:
    body = {"profileId": owner.profile, "fields": {"username": "bakery"}}
    account = (await api.post("/platforms/sandbox/connect", json=body, key=owner.key)).json()
    return f"/platforms/accounts/{account['id']}/choices"


async def test_options_are_listed_with_where_their_choices_come_from(
    api: Api, owner: Login, path: str, boards: Boards
) -> None:
    answer = (await api.get(path, key=owner.key)).json()
    sections = (await api.get(path, params={"option": "section", "of": "x"}, key=owner.key)).json()
    listed = (await api.get("/platforms", key=owner.key)).json()["data"]
    described = {one["key"]: one for one in next(one for one in listed if one["platform"] == "sandbox")["options"]}

    assert [entry["option"] for entry in answer["data"]] == ["board"]
    assert len(answer["data"][0]["choices"]) == 500
    assert sections["data"][0]["choices"][0] == {"value": "x0", "label": "No. 0", "reason": None}
    assert {key: (one["source"], one["dependsOn"]) for key, one in described.items()} == {
        "board": ("/api/v1/platforms/accounts/{accountId}/choices", None),
        "section": ("/api/v1/platforms/accounts/{accountId}/choices", "board"),
        "note": (None, None),
    }


@pytest.mark.parametrize(
    ("query", "where", "code"),
    [
        ({"option": "note"}, "option", "not_allowed"),
        ({"option": "nothing"}, "option", "not_allowed"),
        ({"option": "section"}, "of", "required"),
    ],
)
async def test_only_what_depends_on_the_account_can_be_asked(
    api: Api, owner: Login, path: str, boards: Boards, query: dict[str, str], where: str, code: str
) -> None:
    answer = await api.get(path, params=query, key=owner.key)

    assert answer.status_code == 422
    assert [(issue["path"], issue["code"]) for issue in answer.json()["errors"]] == [(where, code)]


REFUSAL = ApiError(FakeResponse(403, b"{}"), "GET /boards")


@pytest.mark.parametrize(
    ("failure", "outcome", "status", "code"),
    [
        (REFUSAL, NeedsReconnect(message="The token is dead"), 409, "invalid_state"),
        (REFUSAL, Refused(code="permission_missing", message="Not allowed"), 409, "invalid_state"),
        (REFUSAL, TryLater(message="Busy"), 502, "platform_error"),
        (MaybeSent("no answer", timed_out=True), None, 504, "platform_timeout"),
        (MaybeSent("reset"), None, 502, "platform_error"),
        (TimeoutError(), None, 504, "platform_timeout"),
    ],
)
async def test_what_the_network_does_not_say_is_a_problem_with_a_sentence(
    api: Api, owner: Login, path: str, boards: Boards,
    failure: Exception, outcome: Outcome | None, status: int, code: str,
) -> None:  # fmt: skip
    boards.failure, boards.outcome = failure, outcome
    answer = await api.get(path, key=owner.key)

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert "Sandbox" in answer.json()["detail"]


async def test_an_account_that_is_disconnected_has_no_choices(
    api: Api, owner: Login, path: str, boards: Boards
) -> None:
    await api.delete(path.removesuffix("/choices"), key=owner.key)
    answer = await api.get(path, key=owner.key)

    assert (answer.status_code, answer.json()["code"]) == (409, "invalid_state")
    assert "Connect the account again" in answer.json()["detail"]


async def test_a_network_without_such_options_is_not_asked(api: Api, owner: Login, path: str) -> None:
    assert (await api.get(path, key=owner.key)).json()["data"] == []
