"""What `/metrics` has, as OTLP: the same instruments, read from the same registry, under the same names."""

import math
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, Final

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics import export as sdk
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from prometheus_client import REGISTRY
from prometheus_client.metrics_core import Metric
from prometheus_client.samples import Sample

from signalpost.kit import log

_CUMULATIVE: Final = sdk.AggregationTemporality.CUMULATIVE
_logger = log.get("telemetry")


class Bridge:
    """Sends what the registry has, from a thread of its own: while a collector keeps it waiting, nothing is sent."""

    def __init__(self, resource: Resource, version: str) -> None:
        self._exporter = OTLPMetricExporter()
        self._resource = resource
        self._scope = InstrumentationScope("signalpost", version)
        self._started_at = time.time_ns()
        self._wanted = threading.Event()
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="telemetry-metrics", daemon=True)
        self._thread.start()

    def offer(self) -> None:
        """Have the present values sent, unless earlier ones are on their way still."""
        self._wanted.set()

    def close(self, timeout_seconds: float) -> None:
        """Send the last values, and give up after this time."""
        self._is_closing = True
        self._wanted.set()
        self._thread.join(timeout_seconds)
        self._exporter.shutdown()

    def _run(self) -> None:
        while not self._is_closing:
            self._wanted.wait()
            self._send()
            self._wanted.clear()

    def _send(self) -> None:
        try:
            metrics = list(converted(REGISTRY.collect(), self._started_at, time.time_ns()))
            scoped = sdk.ScopeMetrics(self._scope, metrics, "")
            self._exporter.export(sdk.MetricsData([sdk.ResourceMetrics(self._resource, [scoped], "")]))
        except Exception:  # the next ones may be sent
            _logger.exception("telemetry.metrics_not_sent")


def converted(families: Iterable[Metric], started_at: int, now: int) -> Iterator[sdk.Metric]:
    """Yield families of Prometheus as metrics; instants are nanoseconds since 1970.

    What is not known (NaN) is left out. Sums and histograms are cumulative.
    """
    for family in families:
        unit = "s" if "_seconds" in family.name else ""
        if family.type == "histogram":
            if histograms := list(_histograms(family.samples, started_at, now)):
                yield sdk.Metric(family.name, family.documentation, unit, sdk.Histogram(histograms, _CUMULATIVE))
            continue
        by_name: dict[str, list[sdk.NumberDataPoint]] = defaultdict(list)
        for sample in family.samples:
            if not math.isnan(sample.value) and not sample.name.endswith("_created"):
                point = sdk.NumberDataPoint(sample.labels, started_at, now, sample.value)
                by_name[sample.name].append(point)
        for name, points in by_name.items():
            data: Any = sdk.Gauge(points)
            if family.type == "counter":
                data = sdk.Sum(points, _CUMULATIVE, is_monotonic=True)
            yield sdk.Metric(name, family.documentation, unit, data)


def _histograms(samples: Iterable[Sample], started_at: int, now: int) -> Iterator[sdk.HistogramDataPoint]:
    buckets: dict[frozenset[tuple[str, str]], list[tuple[float, float]]] = defaultdict(list)
    sums: dict[frozenset[tuple[str, str]], float] = {}
    for sample in samples:
        labels = frozenset((name, value) for name, value in sample.labels.items() if name != "le")
        if sample.name.endswith("_bucket"):
            buckets[labels].append((float(sample.labels["le"]), sample.value))
        elif sample.name.endswith("_sum"):
            sums[labels] = sample.value
    for labels, cumulative in buckets.items():
        cumulative.sort()
        counts = [count for _, count in cumulative]
        own = [int(count - before) for count, before in zip(counts, [0.0, *counts], strict=False)]
        bounds = [bound for bound, _ in cumulative if not math.isinf(bound)]
        yield sdk.HistogramDataPoint(
            dict(labels), started_at, now, int(counts[-1]), sums.get(labels, 0.0), own, bounds,
            min=None, max=None,  # type: ignore[arg-type] # Prometheus does not know them
        )  # fmt: skip
