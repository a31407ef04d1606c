"""Every operation that writes says what it does with an archived profile, and does that: a table, completed here."""

from pathlib import Path
from typing import Final

import pytest
from tests.contract.conftest import CreateSample
from tests.contract.test_success import ELSEWHERE, PREPARED
from tests.helpers.api import Api
from tests.helpers.contract import ENDPOINTS, name_of

from signalpost.web.routing import Endpoint

_LINES: Final = Path(__file__).with_name("archived.tsv").read_text().splitlines()
OUTCOMES: Final = {name: (what, *reason) for name, what, *reason in (
    line.split("\t") for line in _LINES if not line.startswith("#"))}  # fmt: skip
_ARCHIVE: Final = "update profile set archived_at = now(), version = version + 1 where workspace_id = $1"


def _that_are(*outcomes: str) -> list[Endpoint]:
    return [
        endpoint
        for endpoint in ENDPOINTS
        if OUTCOMES.get(name_of(endpoint), "-")[0] in outcomes and name_of(endpoint) not in ELSEWHERE
    ]


def test_the_table_has_every_operation_that_writes() -> None:
    assert list(OUTCOMES) == [name_of(endpoint) for endpoint in ENDPOINTS if endpoint.writes]
    for name, (outcome, *reason) in OUTCOMES.items():
        assert (outcome in ("open", "elsewhere")) == bool(reason), name
        assert outcome in ("refused", "each", "open", "elsewhere", "-"), name


@pytest.mark.parametrize("endpoint", _that_are("refused", "each", "open"), ids=name_of)
async def test_it_does_that_with_an_archived_profile(api: Api, fresh_sample: CreateSample, endpoint: Endpoint) -> None:
    sample = await fresh_sample(endpoint)
    request = sample.prepare(endpoint)
    if prepare := PREPARED.get(name_of(endpoint)):
        await prepare(sample, request)
    async with sample.make.context.database.transaction() as db:
        await db.execute(_ARCHIVE, sample.owner.workspace_id)

    answer = await request.send(api)

    [outcome, *_] = OUTCOMES[name_of(endpoint)]
    if outcome == "refused":
        assert (answer.status_code, answer.json()["code"]) == (409, "profile_archived"), answer.text
    elif outcome == "each":
        assert "profile_archived" in answer.text
    else:
        assert answer.status_code == endpoint.status, answer.text


def test_what_can_be_refused_says_so() -> None:
    """The reference of each operation that refuses has the problem among its responses."""
    for endpoint in _that_are("refused"):
        assert "ProfileArchived" in {problem.__name__ for problem in endpoint.raises}, name_of(endpoint)
