"""No request borrows a second connection while it holds one: many of them at once would wait for each other."""

import pytest
from tests.contract.conftest import CreateSample
from tests.helpers.api import Api
from tests.helpers.contract import ENDPOINTS, Sample, name_of

from signalpost.context import AppContext
from signalpost.web.routing import Endpoint


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=name_of)
async def test_one_connection_is_enough(
    api: Api, context: AppContext, sample: Sample, fresh_sample: CreateSample, endpoint: Endpoint,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    if endpoint.method != "GET":
        sample = await fresh_sample(endpoint)  # some requests delete what they are about
    monkeypatch.setattr(context.database.pool, "share", 1)
    response = await sample.prepare(endpoint).send(api)

    assert response.status_code != 503, response.text
