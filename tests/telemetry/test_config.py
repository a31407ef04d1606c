"""Which `OTEL_*` variables ask for what, and what is said if it cannot be done."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from signalpost.main import telemetry
from signalpost.settings import Settings
from signalpost.telemetry.config import INSTALL, Signals, Unusable, read

ENDPOINT = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
ALL = Signals(traces=True, metrics=True, logs=True)
_START: Final = """
import asyncio, pathlib, sys
from signalpost.main import service, telemetry
from signalpost.settings import Settings
async def main():
    async with telemetry.exporting(Settings(data_dir=pathlib.Path(sys.argv[1]))) as exporting:
        assert exporting is None
asyncio.run(main())
print(*sys.modules)
"""


@pytest.mark.parametrize(
    ("variables", "signals"),
    [
        ({}, Signals()),
        ({"OTEL_SERVICE_NAME": "social", "OTEL_TRACES_SAMPLER": "always_on"}, Signals()),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": ""}, Signals()),
        (ENDPOINT, ALL),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector.example.com/otlp?x=1"}, ALL),
        ({"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "http://127.0.0.1:4318/v1/logs"}, Signals(logs=True)),
        ({"OTEL_METRICS_EXPORTER": "otlp"}, Signals(metrics=True)),
        (ENDPOINT | {"OTEL_METRICS_EXPORTER": "none", "OTEL_LOGS_EXPORTER": "None"}, Signals(traces=True)),
        (ENDPOINT | {"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "zipkin"}, Signals()),
        (ENDPOINT | {"OTEL_SDK_DISABLED": "false"}, ALL),
        (ENDPOINT | {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, ALL),
        (
            ENDPOINT | {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}
            | {f"OTEL_EXPORTER_OTLP_{name}_PROTOCOL": "http/protobuf" for name in ("TRACES", "METRICS", "LOGS")},
            ALL,
        ),
    ],
)  # fmt: skip
def test_an_endpoint_or_an_exporter_switches_a_signal_on(variables: dict[str, str], signals: Signals) -> None:
    assert read(variables) == signals


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        (ENDPOINT | {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "OTEL_EXPORTER_OTLP_PROTOCOL"),
        (ENDPOINT | {"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json"}, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"),
        ({"OTEL_TRACES_EXPORTER": "console"}, "OTEL_TRACES_EXPORTER"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:s3cret"}, "OTEL_EXPORTER_OTLP_ENDPOINT"),
        ({"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "http://s3cret /"}, "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"),
    ],
)
def test_what_cannot_be_done_is_said_by_name_without_values(variables: dict[str, str], name: str) -> None:
    with pytest.raises(Unusable) as raised:
        read(variables)
    assert name in str(raised.value)
    assert name in raised.value.remedy
    assert "s3cret" not in str(raised.value) + raised.value.remedy


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    code = "from signalpost.telemetry.config import read\ntry:\n    read({'OTEL_TRACES_EXPORTER': 'otlp'})\n"
    code += "except Exception as error:\n    print(type(error).__name__, error.remedy)"
    without = "import sys\nsys.modules['opentelemetry'] = None\n"  # as if nothing of this name were installed
    done = subprocess.run([sys.executable, "-c", without + code], capture_output=True, text=True, check=True)

    assert done.stdout.startswith("Unusable ")
    assert INSTALL in done.stdout


def test_without_the_variables_nothing_is_imported(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _START, str(tmp_path)], capture_output=True, text=True, check=True, env={}
    )
    modules = done.stdout.split()

    assert "signalpost.main.telemetry" in modules
    assert not [name for name in modules if name.split(".")[0] in ("opentelemetry", "google", "requests")]
    assert not [name for name in modules if name.startswith("signalpost") and "traced" in name]


def test_doctor_says_what_is_exported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Variables of the environment win over those of `.env`, as settings do."""
    monkeypatch.setenv("OTEL_LOGS_EXPORTER", "none")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")  # so that it is removed again
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT")
    assert telemetry.examine(Settings(data_dir=tmp_path)) == []
    lines = ["OTEL_LOGS_EXPORTER=otlp", "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318"]
    (tmp_path / ".env").write_text("\n".join(lines))
    (check,) = telemetry.examine(Settings(data_dir=tmp_path))

    assert (check.ok, check.detail, check.fix) == (True, "Exports traces, metrics.", None)
