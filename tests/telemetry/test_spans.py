"""What is recorded, within what, and with which ids; read from the library's own exporter in memory."""

import asyncio

import pytest
from opentelemetry.sdk.trace.sampling import ParentBasedTraceIdRatio, Sampler, TraceIdRatioBased
from tests.telemetry.recording import Recording

from signalpost.kit import ids, log, tracing
from signalpost.telemetry.spans import LINKS_MAX, ids_of_post

TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def sampled(monkeypatch: pytest.MonkeyPatch, sampler: Sampler) -> Recording:
    recording = Recording(sampler)
    monkeypatch.setattr(tracing, "recorder", recording.recorder)
    return recording


def test_without_a_recorder_there_are_no_spans() -> None:
    with tracing.Recorded("nothing") as span:
        assert span is None
        assert tracing.open_span() is None
    tracing.post_written(ids.new_id(), None)


def test_a_span_stands_within_the_current_one_and_errors_are_named_by_class(recording: Recording) -> None:
    def fail() -> None:
        with tracing.Recorded("outer", kind="server", parent=TRACEPARENT):
            with tracing.Recorded("inner", {"a": 1}):
                pass
            raise ValueError("secret")

    with pytest.raises(ValueError, match="secret"):
        fail()
    outer, inner = recording.spans("outer")[0], recording.spans("inner")[0]

    assert outer.parent is not None
    assert outer.context.trace_id == inner.context.trace_id == int(TRACEPARENT.split("-")[1], 16)
    assert inner.parent == outer.context
    assert dict(outer.attributes or {}) == {"error.type": "ValueError"}
    assert "secret" not in outer.to_json()
    assert outer.events == ()


async def test_a_task_that_outlives_its_span_records_nothing_within_it(recording: Recording) -> None:
    over = asyncio.Event()

    async def later() -> tracing.Span | None:
        await over.wait()
        return tracing.open_span()

    with tracing.Recorded("request"):
        task = asyncio.create_task(later())
        await asyncio.sleep(0)
    over.set()

    assert await task is None


def test_posts_are_linked_with_the_span_that_wrote_them_up_to_a_bound(recording: Recording) -> None:
    posts = [ids.new_id() for _ in range(LINKS_MAX + 5)]
    with tracing.Recorded("POST /posts/bulk") as span:
        for post in posts:
            tracing.post_written(post, span)
        assert recording.spans("post") == []  # not before it has ended well
    request, firsts = recording.spans("POST /posts/bulk")[0], recording.spans("post")

    assert [(span.context.trace_id, span.context.span_id) for span in firsts] == list(map(ids_of_post, posts))
    assert all(span.links[0].context == request.context for span in firsts)
    assert len(request.links) == LINKS_MAX
    assert all(span.parent is None for span in firsts)


def test_a_post_that_was_rolled_back_has_no_trace(recording: Recording) -> None:
    def write(*, raises: bool) -> None:
        with tracing.Recorded("POST /posts") as span:
            assert span is not None
            tracing.post_written(ids.new_id(), span)
            if raises:
                raise RuntimeError
            span.fail("500")

    write(raises=False)
    with pytest.raises(RuntimeError):
        write(raises=True)
    assert len(recording.spans("POST /posts")) == 2

    assert recording.spans("post") == []


def test_other_ids_are_random_after_those_of_a_post(recording: Recording) -> None:
    tracing.post_written(ids.new_id(), None)
    for _ in range(2):
        with tracing.Recorded("job"):
            pass
    first, second = recording.spans("job")

    assert len({first.context.trace_id, second.context.trace_id, recording.spans("post")[0].context.trace_id}) == 3


@pytest.mark.parametrize("sampler", [TraceIdRatioBased(0.5), ParentBasedTraceIdRatio(0.5)])
def test_all_spans_of_a_post_are_recorded_or_none(monkeypatch: pytest.MonkeyPatch, sampler: Sampler) -> None:
    """Each process decides by the post's id."""
    one, other = Recording(sampler), Recording(sampler)
    posts = [ids.new_id() for _ in range(200)]
    monkeypatch.setattr(tracing, "recorder", one.recorder)
    for post in posts:
        tracing.post_written(post, None)
    monkeypatch.setattr(tracing, "recorder", other.recorder)
    for post in posts:
        with tracing.Recorded("publish", parent=post):
            pass
    written = {span.context.trace_id for span in one.spans("post")}

    assert written == {span.context.trace_id for span in other.spans("publish")}
    assert 50 < len(written) < 150


def test_a_sampler_that_asks_no_client_records_as_it_likes(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = sampled(monkeypatch, TraceIdRatioBased(0.0))
    with tracing.Recorded("request", parent=TRACEPARENT) as span:
        assert span is not None
        assert span.traceparent.endswith("-00")
        assert tracing.open_span() is None

    assert recording.spans("request") == []


def test_lines_of_the_log_name_the_span(recording: Recording, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    lines: list[dict[str, object]] = []
    log.exporter = lambda fields: lines.append(dict(fields))
    try:
        with tracing.Recorded("job") as span:
            log.get("test").error("within")
        log.get("test").error("outside")
    finally:
        log.exporter = None

    assert span is not None
    assert (lines[0]["trace_id"], lines[0]["span_id"]) == (span.trace_id, span.span_id)
    assert "trace_id" not in lines[1]
