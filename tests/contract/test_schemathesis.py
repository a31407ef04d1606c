"""Requests made from the OpenAPI document, good and bad: no 5xx, and every answer is one that the document promises.

Half of them name things that are there. The same requests come every time, so a failure can be repeated.
"""

import contextlib
from collections import Counter
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.contract.conftest import CreateSample
from tests.faults.scene import sizes
from tests.figures.record import Record, holds
from tests.helpers.api import Api
from tests.helpers.contract import DOCUMENT, ENDPOINTS, Sample, name_of, prefix_of

from signalpost.web.routing import Endpoint

PATH_MAX = 60_000
"""Characters. Neither the client of these tests nor the server takes much more."""
schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
CHECKS: list[Any] = [
    not_a_server_error, status_code_conformance, content_type_conformance, response_headers_conformance,
    response_schema_conformance,
]  # fmt: skip
_quietly = settings(
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def requests_of(endpoint: Endpoint, mode: GenerationMode, count: int) -> list[Any]:
    """Requests that the document allows, or such as it does not; none where nothing about a request can be wrong."""
    found: list[Any] = []

    @settings(_quietly, max_examples=count)
    @given(case=SCHEMA[endpoint.path][endpoint.method].as_strategy(generation_mode=mode))
    def keep(case: Any) -> None:
        found.append(case)

    with contextlib.suppress(Unsatisfiable):
        keep()
    assert found or mode is GenerationMode.NEGATIVE
    return found


def _aim(case: Any, sample: Sample, endpoint: Endpoint) -> None:
    """Point the request at what is there."""
    for path_input in endpoint.path_inputs:
        if prefix := prefix_of(path_input):
            case.path_parameters[path_input.param] = sample.ids[prefix]
    if isinstance(case.body, dict) and "profileId" in case.body:
        case.body["profileId"] = sample.owner.profile
    if isinstance(case.query, dict) and "profileId" in case.query:
        case.query["profileId"] = sample.owner.profile


def _prepare(case: Any, headers: dict[str, str]) -> requests.PreparedRequest:
    wanted = case.as_transport_kwargs(base_url="http://signalpost.test/api/v1", headers=headers)
    wanted.pop("timeout", None)
    return requests.Request(**wanted).prepare()


async def _send(api: Api, case: Any, prepared: requests.PreparedRequest) -> Any:
    path = prepared.path_url.encode("ascii").decode()
    body = prepared.body.encode() if isinstance(prepared.body, str) else prepared.body
    return await api.call(case.method, path, content=body, headers=dict(prepared.headers), bare=True)


@holds("S11")
@sizes("count", quick=4, heavy=60)
@pytest.mark.parametrize("mode", GenerationMode, ids=lambda mode: mode.value)
@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=name_of)
async def test_answers_are_those_of_the_document(
    api: Api, sample: Sample, fresh_sample: CreateSample, record: Record, endpoint: Endpoint, mode: GenerationMode,
    count: int,
) -> None:  # fmt: skip
    statuses: Counter[int] = Counter()
    if endpoint.method != "GET":
        sample = await fresh_sample(endpoint)
    for number, case in enumerate(requests_of(endpoint, mode, count)):
        if number % 2:
            _aim(case, sample, endpoint)
        key = sample.owner.test_key if number % 4 > 1 else sample.owner.key
        headers = {"Authorization": f"Bearer {key}"} | sample.prepare(endpoint).headers
        prepared = _prepare(case, headers)
        if len(prepared.path_url) > PATH_MAX:
            continue
        answer = await _send(api, case, prepared)
        statuses[answer.status_code // 100] += 1
        case.validate_response(answer, checks=CHECKS)
    hostile = statuses.total() if mode is GenerationMode.NEGATIVE else 0
    record("S11", tried={"hostile inputs": hostile}, measured={"answers 5xx": statuses[5]})
