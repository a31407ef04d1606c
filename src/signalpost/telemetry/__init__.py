"""Traces, metrics and logs for an OpenTelemetry collector, by the `OTEL_*` variables; nothing without them."""
