"""Families of Prometheus as metrics of OTLP."""

import math

from opentelemetry.sdk.metrics import export as sdk
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from signalpost.telemetry.metrics import converted

STARTED, NOW = 1_000, 2_000


def metrics_of(registry: CollectorRegistry) -> dict[str, sdk.Metric]:
    return {metric.name: metric for metric in converted(registry.collect(), STARTED, NOW)}


def test_counters_are_cumulative_sums_under_the_name_of_the_page() -> None:
    registry = CollectorRegistry()
    counter = Counter("tries_total", "Tries", ("code",), registry=registry)
    counter.labels("200").inc(3)
    counter.labels("500").inc()
    data = metrics_of(registry)["tries_total"].data

    assert isinstance(data, sdk.Sum)
    assert data.is_monotonic
    assert data.aggregation_temporality is sdk.AggregationTemporality.CUMULATIVE
    assert {(point.attributes or {})["code"]: point.value for point in data.data_points} == {"200": 3.0, "500": 1.0}
    assert {(point.start_time_unix_nano, point.time_unix_nano) for point in data.data_points} == {(STARTED, NOW)}


def test_buckets_are_counted_each_for_itself() -> None:
    registry = CollectorRegistry()
    histogram = Histogram("wait_seconds", "Wait", ("kind",), registry=registry, buckets=(0.1, 1, 10))
    for value in (0.05, 0.5, 0.6, 100):
        histogram.labels("a").observe(value)
    histogram.labels("b").observe(5)
    metric = metrics_of(registry)["wait_seconds"]
    assert isinstance(metric.data, sdk.Histogram)
    points = {(point.attributes or {})["kind"]: point for point in metric.data.data_points}

    assert metric.unit == "s"
    assert list(points["a"].bucket_counts) == [1, 2, 0, 1]
    assert list(points["b"].bucket_counts) == [0, 0, 1, 0]
    assert list(points["a"].explicit_bounds) == [0.1, 1.0, 10.0]
    assert (points["a"].count, points["a"].sum) == (4, 101.15)


def test_what_is_not_known_is_left_out() -> None:
    registry = CollectorRegistry()
    Gauge("age", "Age", registry=registry).set(math.nan)
    Gauge("workers", "Workers", registry=registry).set(2)
    Histogram("never", "Never", ("kind",), registry=registry)

    assert metrics_of(registry).keys() == {"workers"}
