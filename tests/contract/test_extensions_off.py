"""Without its extensions the service serves every operation of the specification, and nothing of them is left."""

import dataclasses
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.contract.test_success import ELSEWHERE, PREPARED
from tests.contract.test_table import shape_of, specified
from tests.helpers.api import Api
from tests.helpers.contract import ENDPOINTS, create_sample, name_of
from tests.helpers.factories import Make

from signalpost.apps import work as apps_work
from signalpost.comments import work as comments_work
from signalpost.context import AppContext
from signalpost.feeds import work as feeds_work
from signalpost.kit.settings_loader import BadSettings
from signalpost.link_pages import work as link_pages_work
from signalpost.main import app, wiring
from signalpost.report_links import work as report_links_work
from signalpost.request_log import work as request_log_work
from signalpost.sandbox_clock import work as sandbox_clock_work
from signalpost.snippets import work as snippets_work
from signalpost.web.routing import Endpoint

SPECIFIED = {shape_of(name) for name in specified()}
CORE = [e for e in ENDPOINTS if shape_of(name_of(e)) in SPECIFIED and name_of(e) not in ELSEWHERE]
EXTENSIONS = [e for room in wiring.ROOMS if room.kind == "extension" for e in room.routes if not e.hidden]


@pytest.fixture(scope="module")
async def bare(context: AppContext) -> AsyncIterator[AppContext]:
    """The context of an installation without extensions, on the same database."""
    settings = dataclasses.replace(
        context.settings, extensions_off=tuple(wiring.EXTENSIONS), oidc_issuer="https://login.example.test"
    )
    opened = dataclasses.replace(
        context, settings=settings, states={}, conditions={}, subscribers=defaultdict(list),
        hooks=wiring.hooks(wiring.rooms(settings)),
    )  # fmt: skip
    wiring.subscribe(opened)
    opened.engine = wiring.engine(opened)
    yield opened
    await opened.engine.stop(0)


@pytest.fixture(scope="module")
async def client(bare: AppContext) -> AsyncIterator[Api]:
    async with Api(app.create(bare)) as opened:
        yield opened


@pytest.mark.parametrize("endpoint", CORE, ids=name_of)
async def test_an_operation_of_the_specification_succeeds(bare: AppContext, client: Api, endpoint: Endpoint) -> None:
    sample = await create_sample(client, Make(bare, client), [endpoint])
    request = sample.prepare(endpoint)
    if prepare := PREPARED.get(name_of(endpoint)):
        await prepare(sample, request)

    answer = await request.send(client)

    assert answer.status_code == endpoint.status, answer.text


async def test_operations_and_pages_of_extensions_are_gone(bare: AppContext, client: Api) -> None:
    owner = await Make(bare, client).owner()
    for endpoint in EXTENSIONS:
        answer = await client.call(endpoint.method, endpoint.path, key=owner.key)
        assert answer.status_code in (404, 405), (name_of(endpoint), answer.text)
    paths = (await client.get("/openapi.json", bare=True)).json()["paths"]
    assert not {endpoint.path for endpoint in EXTENSIONS} & paths.keys()
    for path in (
        "/oauth/authorize",
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-protected-resource",
        "/l/bakery",
        "/l/bakery/k3x9q2ab",
    ):
        assert (await client.get(path, bare=True)).status_code == 404, path
    assert "single sign-on" not in (await client.get("/sign-in", bare=True)).text


async def test_their_jobs_are_not_started_anew(bare: AppContext) -> None:
    every = {job.kind for job in wiring.job_kinds(bare)}
    started = {job.kind for job in wiring.job_kinds(bare, wiring.rooms(bare.settings))}
    of_comments = {job.kind for job in comments_work.jobs(bare)}
    assert every - started == {
        work.JOB
        for work in (apps_work, link_pages_work, report_links_work, request_log_work, sandbox_clock_work, snippets_work)
    } | of_comments | {feeds_work.PURGE_JOB}


async def test_an_unknown_extension_is_named_at_the_start(context: AppContext, tmp_path: Path) -> None:
    settings = dataclasses.replace(context.settings, extensions_off=("streams",), data_dir=tmp_path)
    with pytest.raises(BadSettings) as refused:
        wiring.rooms(settings)
    known = "apps, calendar_links, comments, feeds, link_pages, mcp, oidc"
    known += ", report_links, request_log, sandbox_clock, snippets, stream"
    assert f"'streams' is no extension; these are: {known}" in str(refused.value)
