"""What a collector of OpenTelemetry receives from a real service process, and that nothing ever waits for one."""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.helpers.collector import Collector, attributes, collecting, settings
from tests.helpers.service_process import Api, Service, installed, installed_with_owner
from tests.helpers.webhooks import Receiver, receiver_server

from signalpost.kit import ids
from signalpost.main.service import GRACE_SECONDS
from signalpost.telemetry.config import INSTALL
from signalpost.telemetry.exporting import END_SECONDS
from signalpost.telemetry.spans import ids_of_post

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("e2e-telemetry")]

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TEXT = "Fresh rye bread at the corner of Linden Street"
QUERY_TOKEN = "tok_in_a_query_string_0123456789"


@pytest.fixture(scope="module")
async def collector() -> AsyncIterator[Collector]:
    async with collecting() as running:
        yield running


@pytest.fixture(scope="module")
async def receiver() -> AsyncIterator[Receiver]:
    async with receiver_server() as running:
        yield running


@pytest.fixture(scope="module")
async def home(collector: Collector) -> AsyncIterator[tuple[Service, Api]]:
    variables = settings(
        collector, OTEL_EXPORTER_OTLP_HEADERS="x-tenant=acme", OTEL_RESOURCE_ATTRIBUTES="deployment.environment=test"
    )
    async with installed_with_owner(**variables) as service:
        await service.start()
        yield service, await service.owner()


@pytest.fixture(scope="module")
async def published(home: tuple[Service, Api], receiver: Receiver, collector: Collector) -> Any:
    """A post of a client that traces, with a webhook whose address holds a token; all its spans have arrived."""
    _, api = home
    await api.post("/webhooks", json={"url": f"{receiver.url}hook?token={QUERY_TOKEN}", "events": ["post.published"]})
    await api.connect("sandbox", username="baker")
    body = {"profileId": api.profile, "platforms": ["sandbox"], "text": TEXT}
    post = await api.call("POST", "/posts", json=body, headers=_headers(api, f"00-{TRACE}-{PARENT}-01"))
    await api.ends(post)
    await receiver.wait(1)
    await collector.span("deliver post.published")
    await collector.span("POST /posts")
    return post


def _headers(api: Api, *traceparents: str) -> list[tuple[str, str]]:
    return [("Authorization", f"Bearer {api.key}"), *(("traceparent", value) for value in traceparents)]


async def test_a_request_continues_the_trace_of_its_client(published: Any, collector: Collector) -> None:
    request = await collector.span("POST /posts")

    assert (request.trace_id.hex(), request.parent_span_id.hex()) == (TRACE, PARENT)
    found = attributes(request.attributes)
    assert found["http.response.status_code"] == 201
    assert found["http.route"] == "/posts"
    assert found["signalpost.operation"] == "create_post"
    assert found["signalpost.request.id"].startswith("req_")
    assert found["signalpost.workspace.id"].startswith("wsp_")


async def test_statements_stand_within_the_request(published: Any, collector: Collector) -> None:
    request = await collector.span("POST /posts")
    within = [span for span in collector.spans if span.parent_span_id == request.span_id]

    assert "insert post" in {span.name for span in within}
    for span in within:
        assert attributes(span.attributes)["db.system.name"] == "postgresql"
        assert span.start_time_unix_nano >= request.start_time_unix_nano


async def test_a_post_has_a_trace_with_its_attempts_and_deliveries(
    published: Any, collector: Collector, receiver: Receiver
) -> None:
    """The request and the first span of the post are linked, both ways; all that follows is in the post's trace."""
    request, first = await collector.span("POST /posts"), await collector.span("post")
    attempt, delivery = await collector.span("publish sandbox"), await collector.span("deliver post.published")
    post_id = ids.decode("pst", published["id"])
    assert post_id is not None

    assert (int(first.trace_id.hex(), 16), int(first.span_id.hex(), 16)) == ids_of_post(post_id)
    assert [(link.trace_id, link.span_id) for link in first.links] == [(request.trace_id, request.span_id)]
    assert (first.trace_id, first.span_id) in [(link.trace_id, link.span_id) for link in request.links]
    for span in (attempt, delivery):
        assert (span.trace_id, span.parent_span_id) == (first.trace_id, first.span_id)
    assert attributes(attempt.attributes)["signalpost.post.id"] == published["id"]
    assert attributes(attempt.attributes)["signalpost.target.status"] == "published"

    calls = [span for span in collector.spans if span.parent_span_id == delivery.span_id and span.name == "POST"]
    sent = receiver.requests[0].headers["traceparent"]
    assert sent == f"00-{delivery.trace_id.hex()}-{calls[0].span_id.hex()}-01"
    assert attributes(calls[0].attributes)["http.response.status_code"] == 200


async def test_lines_of_the_log_name_their_spans(
    published: Any, collector: Collector, home: tuple[Service, Api]
) -> None:
    request, attempt = await collector.span("POST /posts"), await collector.span("publish sandbox")
    lines = [json.loads(line) for line in home[0].log.splitlines() if line.startswith("{")]
    completed = [line for line in lines if line.get("trace_id") == TRACE and line["event"] == "request.completed"]
    settled = [line for line in lines if line["event"] == "target.settled"]

    assert [line["span_id"] for line in completed] == [request.span_id.hex()]
    assert (settled[0]["trace_id"], settled[0]["span_id"]) == (attempt.trace_id.hex(), attempt.span_id.hex())

    def exported() -> list[Any]:
        return [record for record in collector.logs if record.body.string_value == "target.settled"]

    record = (await collector.until(exported))[0]
    assert (record.trace_id, record.span_id) == (attempt.trace_id, attempt.span_id)
    assert attributes(record.attributes)["status"] == "published"
    assert record.severity_text == "INFO"


async def test_metrics_are_those_of_the_page(published: Any, collector: Collector, home: tuple[Service, Api]) -> None:
    """The same names and numbers, of every kind."""
    service, _ = home
    names = {"signalpost_http_requests_total", "signalpost_engine_workers", "signalpost_engine_lag_seconds"}
    await collector.until(lambda: collector.metrics.keys() >= names)

    def posts_created() -> float:
        points = collector.metrics["signalpost_http_requests_total"].sum.data_points
        return sum(point.as_double for point in points if attributes(point.attributes)["operation"] == "create_post")

    await collector.until(lambda: posts_created() >= 1)
    async with httpx.AsyncClient() as client:
        page = (await client.get(f"{service.base_url}/metrics")).text
    families = {line.split()[2] for line in page.splitlines() if line.startswith("# TYPE")}
    await collector.until(lambda: collector.metrics["signalpost_engine_workers"].gauge.data_points[0].as_double == 1)

    assert f'signalpost_http_requests_total{{code="201",operation="create_post"}} {posts_created()}' in page
    assert {name for name in collector.metrics if not name.endswith("_created")} - families == set()
    lag = collector.metrics["signalpost_engine_lag_seconds"].histogram.data_points
    assert lag
    for point in lag:
        assert sum(point.bucket_counts) == point.count
        assert len(point.bucket_counts) == len(point.explicit_bounds) + 1
    total = collector.metrics["signalpost_http_requests_total"].sum
    assert total.is_monotonic
    assert total.aggregation_temporality == 2  # cumulative


async def test_the_standard_variables_are_heard(published: Any, collector: Collector) -> None:
    for resource in collector.resources:
        assert resource["service.name"] == "signalpost"
        assert resource["deployment.environment"] == "test"
        assert len(resource["service.instance.id"]) == 36
    assert all(b"x-tenant: acme" in head.lower() for head in collector.heads)


async def test_no_secret_and_no_text_of_a_user_is_exported(
    published: Any, collector: Collector, home: tuple[Service, Api]
) -> None:
    _, api = home
    secrets = [api.key, api.key.encode().hex(), TEXT, QUERY_TOKEN, "correct horse", "owner@example.test", "Bakery"]
    texts = "\n".join(collector.texts())

    assert "insert post" in texts
    for secret in secrets:
        assert secret not in texts
        assert secret.encode() not in collector.received
    assert "127.0.0.1:" not in texts


@pytest.mark.parametrize(
    "hostile",
    [
        ("00-" + "0" * 32 + f"-{PARENT}-01",),
        (f"00-{TRACE}-" + "0" * 16 + "-01",),
        (f"ff-{TRACE}-{PARENT}-01",),
        (f"00-{TRACE.upper()}-{PARENT}-01",),
        (f"00-{TRACE}-{PARENT}",),
        ("00-" + "a" * 7_000,),
        ("';drop table post;--",),
        ("\x00\x01",),
        ("",),
        (f"00-{TRACE}-{PARENT}-01" + "x" * 300,),
        (f"00-{TRACE}-{PARENT}-01", f"00-{TRACE}-{PARENT}-01"),
    ],
)
async def test_a_hostile_traceparent_is_none(
    hostile: tuple[str, ...], published: Any, collector: Collector, home: tuple[Service, Api]
) -> None:
    service, api = home
    before = len(collector.named("GET /profiles"))
    lines = [f"GET /api/v1/profiles HTTP/1.1\r\nHost: 127.0.0.1:{service.port}\r\nConnection: close"]
    lines += [f"{name}: {value}" for name, value in _headers(api, *hostile)]
    reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n")
    answer = await reader.read()
    writer.close()
    if b" 200 " not in answer.split(b"\r\n")[0]:
        assert answer.startswith(b"HTTP/1.1 4") or not answer  # the HTTP server refuses such a header itself
        return

    await collector.until(lambda: len(collector.named("GET /profiles")) > before)

    span = collector.named("GET /profiles")[-1]
    assert span.parent_span_id == b""
    assert span.trace_id.hex() != TRACE


async def test_a_client_that_is_not_sampled_is_not_recorded_and_its_post_is(
    published: Any, collector: Collector, home: tuple[Service, Api]
) -> None:
    _, api = home
    other = "11111111111111111111111111111111"
    body = {"profileId": api.profile, "platforms": ["sandbox"], "text": "another"}
    post = await api.call("POST", "/posts", json=body, headers=_headers(api, f"00-{other}-{PARENT}-00"))
    post_id = ids.decode("pst", post["id"])
    assert post_id is not None
    trace_id = ids_of_post(post_id)[0].to_bytes(16)

    def attempts() -> list[Any]:
        return [span for span in collector.named("publish sandbox") if span.trace_id == trace_id]

    await collector.until(attempts)
    assert [span for span in collector.spans if span.trace_id.hex() == other] == []


async def test_nothing_waits_for_a_collector_that_hangs() -> None:
    """Requests and publishing go on with full queues, and the end of the process is bounded."""
    async with collecting(answers=False) as frozen:
        variables = settings(
            frozen, OTEL_BSP_MAX_QUEUE_SIZE="8", OTEL_BSP_MAX_EXPORT_BATCH_SIZE="4", OTEL_EXPORTER_OTLP_TIMEOUT="600"
        )
        async with installed_with_owner(**variables) as service:
            api = await (await service.start()).owner()
            await frozen.until(lambda: frozen.spans and frozen.metrics and frozen.logs)  # all three hang now
            held = len(frozen.spans)
            await api.connect("sandbox", username="baker")
            for number in range(5):
                await api.ends(await api.publish(["sandbox"], f"post {number}"))
            began = time.monotonic()
            assert await service.stop() == 0
            took = time.monotonic() - began
    assert len(frozen.spans) == held <= 4  # the one batch that was never answered; all others were dropped
    assert took < GRACE_SECONDS + END_SECONDS


async def test_a_collector_that_is_away_is_in_the_log_and_keeps_nobody_waiting(tmp_path: Path) -> None:
    """Without addresses, and each complaint once a minute."""
    secret = "s3cret-of-the-collector"
    variables = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://user:{secret}@127.0.0.1:9/?key={secret}",
        "OTEL_EXPORTER_OTLP_TIMEOUT": "1", "OTEL_BSP_SCHEDULE_DELAY": "50", "OTEL_METRICS_EXPORTER": "none",
        "OTEL_LOGS_EXPORTER": "none",
    }  # fmt: skip
    async with installed_with_owner(**variables) as service:
        api = await (await service.start()).owner()
        await api.connect("sandbox", username="baker")
        await api.ends(await api.publish(["sandbox"], "on its way"))

        async def complained() -> bool:
            return "telemetry.not_exported" in service.log

        await service.until(complained, "a complaint")
        assert await service.stop() == 0
        complaints = [json.loads(line) for line in service.log.splitlines() if "telemetry.not_exported" in line]
        assert len({line["reason"] for line in complaints}) == len(complaints)
        assert secret not in service.log


async def test_without_the_variables_nothing_is_loaded() -> None:
    """The libraries of the protocol are not even mapped into the process; with a collector, they are."""
    async with installed() as service:
        await service.start()
        without = _mapped(service)
    async with collecting() as collector, installed(**settings(collector)) as service:
        await service.start()
        mapped = _mapped(service)

    assert "_upb" in mapped
    assert "_upb" not in without


def _mapped(service: Service) -> str:
    assert service.process is not None
    return Path(f"/proc/{service.process.pid}/maps").read_text()


async def test_without_the_extra_the_service_runs_and_says_what_to_install(tmp_path: Path) -> None:
    """A package of the same name without content hides what is installed here."""
    (tmp_path / "opentelemetry").mkdir()
    (tmp_path / "opentelemetry" / "__init__.py").touch()
    variables = {"PYTHONPATH": str(tmp_path), "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
    async with installed(**variables) as service:
        await service.start()
        off = [json.loads(line) for line in service.log.splitlines() if "telemetry.off" in line]
        doctor = await service.command("doctor")

    assert [(line["level"], INSTALL in line["remedy"]) for line in off] == [("warning", True)]
    assert doctor.returncode == 1
    assert INSTALL in doctor.stdout


async def test_the_variables_may_stand_in_the_env_file_of_the_data_folder() -> None:
    async with collecting() as collector, installed() as service:
        data = service.folder / "data"
        data.mkdir()
        lines = [f"{name}={value}" for name, value in settings(collector).items()]
        (data / ".env").write_text("\n".join(lines))
        (data / ".env").chmod(0o600)
        api = await (await service.start()).owner()
        await collector.until(lambda: collector.logs and collector.metrics)
        await _posts_that_are_written_together_are_each_linked_with_their_request(api, collector)


async def _posts_that_are_written_together_are_each_linked_with_their_request(api: Api, collector: Collector) -> None:
    await api.connect("sandbox", username="baker")
    drafts = (api.publish(["sandbox"], f"post {number}", publishMode="draft") for number in range(12))
    posts = await asyncio.gather(*drafts)
    await collector.until(lambda: len(collector.named("POST /posts")) == len(collector.named("post")) == len(posts))

    requests = {(span.trace_id, span.span_id): span for span in collector.named("POST /posts")}
    for first in collector.named("post"):
        (link,) = first.links
        (back,) = requests.pop((link.trace_id, link.span_id)).links
        assert (back.trace_id, back.span_id) == (first.trace_id, first.span_id)


async def test_the_trace_of_a_post_goes_on_in_another_process(receiver: Receiver) -> None:
    """The API without an engine, and a worker: each exports for itself, and the ids meet."""
    async with collecting() as collector, installed_with_owner(**settings(collector)) as service:
        await service.launch("--port", str(service.port), "--no-worker")

        async def answers() -> bool:
            with contextlib.suppress(httpx.TransportError):
                async with httpx.AsyncClient() as client:
                    return (await client.get(f"{service.base_url}/api/v1/healthz/api")).is_success
            return False

        await service.until(answers, "an answer")
        api = await service.owner()
        await api.post("/webhooks", json={"url": receiver.url, "events": ["post.published"]})
        await api.connect("sandbox", username="baker")
        post = await api.publish(["sandbox"], "by a worker")
        worker = Service(service.folder, **service.settings)
        await worker.launch(command="worker")
        await api.ends(post)
        first, attempt = await collector.span("post"), await collector.span("publish sandbox")
        delivery = await collector.span("deliver post.published")
        instances = {resource["service.instance.id"] for resource in collector.resources}
        assert await worker.stop() == 0
        assert await service.stop() == 0

    assert len(instances) == 2
    assert {(span.trace_id, span.parent_span_id) for span in (attempt, delivery)} == {(first.trace_id, first.span_id)}
    assert "signalpost_engine_items_finished_total" in collector.metrics
