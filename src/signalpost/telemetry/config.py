"""What the `OTEL_*` variables ask for. Reading them imports nothing of OpenTelemetry."""

import importlib.util
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from signalpost.kit import settings_loader

SIGNALS: Final = ("traces", "metrics", "logs")
INSTALL: Final = "pip install '.[otel]'"
_PROTOCOL: Final = "http/protobuf"
_URL: Final = re.compile(r"https?://[^/\s?#]+(/[^\s]*)?")
_PREFIX: Final = "OTEL_"


class Signals(Struct, frozen=True):
    """Which of the three are exported."""

    traces: bool = False
    metrics: bool = False
    logs: bool = False

    def __bool__(self) -> bool:
        return self.traces or self.metrics or self.logs


class Unusable(Exception):
    """The variables ask for something, and it cannot be done. The message says what, `remedy` what to do."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.remedy = remedy


def adopt(env_file: Path) -> None:
    """Take over the `OTEL_*` variables of the data folder's `.env`, for the library reads the environment itself."""
    for name, value in settings_loader.read_env_file(env_file).items():
        if name.startswith(_PREFIX) and value:
            os.environ.setdefault(name, value)


def read(environment: Mapping[str, str]) -> Signals:
    """Return what is to be exported: nothing, unless an endpoint is set or an exporter is named.

    Raises:
        Unusable: what is asked for is not supported, or the extra is not installed. No message quotes a value that
            may be secret.
    """
    if _value(environment, "OTEL_SDK_DISABLED") == "true":
        return Signals()
    signals = Signals(**{signal: _is_on(environment, signal) for signal in SIGNALS})
    if not signals:
        return signals
    for signal in SIGNALS:
        if getattr(signals, signal):
            _check(environment, signal.upper())
    if not _is_installed():
        raise Unusable("OTEL_* variables are set, and the packages that send to a collector are not installed", INSTALL)
    return signals


def _value(environment: Mapping[str, str], name: str) -> str:
    return environment.get(name, "").strip().lower()


def _is_on(environment: Mapping[str, str], signal: str) -> bool:
    """Whether a signal is exported.

    Raises:
        Unusable: its exporter is another one than `otlp` and `none`.
    """
    name = f"OTEL_{signal.upper()}_EXPORTER"
    exporter = _value(environment, name)
    if exporter not in ("", "otlp", "none"):
        raise Unusable(f"{name} must be otlp or none", f"Set {name} to otlp or none.")
    endpoints = ("OTEL_EXPORTER_OTLP_ENDPOINT", f"OTEL_EXPORTER_OTLP_{signal.upper()}_ENDPOINT")
    return exporter == "otlp" or (exporter == "" and any(_value(environment, name) for name in endpoints))


def _check(environment: Mapping[str, str], signal: str) -> None:
    for name in (f"OTEL_EXPORTER_OTLP_{signal}_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        if (protocol := _value(environment, name)) and protocol != _PROTOCOL:
            raise Unusable(f"{name} must be {_PROTOCOL}", f"Set {name} to {_PROTOCOL}, most often on port 4318.")
        if protocol:
            break
    for name in (f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"):
        if (endpoint := environment.get(name, "").strip()) and not _URL.fullmatch(endpoint):
            raise Unusable(f"{name} must be an address", f"Set {name} to an address such as http://localhost:4318.")


def _is_installed() -> bool:
    try:
        return all(
            importlib.util.find_spec(f"opentelemetry.{name}") for name in ("sdk", "exporter.otlp.proto.http")
        )  # fmt: skip
    except ModuleNotFoundError:  # not even what would contain it
        return False
