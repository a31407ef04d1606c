"""What reads `GET /metrics`: the alerts and the dashboard, by a real Prometheus that scrapes a real service."""

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.counterparts.tools import CHECKOUT, free_port, program
from tests.helpers.service_process import Api, Service

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("e2e")]

PROMETHEUS = CHECKOUT / "deploy" / "prometheus"
GUIDE = (CHECKOUT / "docs" / "guides" / "monitor.md").read_text()
ALERTS = set(re.findall(r"- alert: (\w+)", (PROMETHEUS / "alerts.yml").read_text()))
PANELS = json.loads((CHECKOUT / "deploy" / "grafana" / "signalpost.json").read_text())["panels"]
QUERIES = [target["expr"] for panel in PANELS for target in panel.get("targets", ())]
OBJECTIVES = re.findall(r"^\| [^|]+ \| `([^`]+)` \|$", GUIDE.partition("## What to hold")[2], re.MULTILINE)
SILENT = {
    # Without a failure, a webhook or payments, these have no series.
    "loop_failures", "leases_lost", "lanes_freed", "unexpected_errors", 'outcome="failed"', 'code=~"5.."',
    "payment_differences", "ended_total", 'source="delivery"',
}  # fmt: skip


def run(*command: str, **options: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_dashboard_is_up_to_date() -> None:
    run(sys.executable, str(CHECKOUT / "scripts" / "generate-dashboard"), "--check")


def test_every_alert_is_tested_and_explained() -> None:
    run(program("promtool"), "test", "rules", "alerts_test.yml", cwd=PROMETHEUS)
    tests = (PROMETHEUS / "alerts_test.yml").read_text()

    assert set(re.findall(r"alertname: (\w+)\n +exp_alerts:\n", tests)) == ALERTS
    assert set(re.findall(r"^### (\w+)$", GUIDE, re.MULTILINE)) == ALERTS


def test_every_alert_says_what_it_means_how_to_look_and_what_to_do() -> None:
    sections = re.split(r"^### (\w+)$", GUIDE.partition("\n## Alerts\n")[2], flags=re.MULTILINE)[1:]
    for alert, text in zip(sections[::2], sections[1::2], strict=True):
        parts = re.findall(r"^- \*\*(.+?)\.\*\* ((?:.+\n?)(?:  .+\n?)*)", text, re.MULTILINE)

        assert [title for title, _ in parts] == ["What it means", "How to look", "What to do"], alert
        assert min(len(part) for _, part in parts) > 25, alert


async def test_prometheus_reads_every_query_of_alerts_and_dashboard(service: Service, api: Api, tmp_path: Path) -> None:
    """Those that say something of a quiet installation have an answer; the others are understood."""
    await api.connect("sandbox", username="watched")
    await api.publish(["sandbox"], "watched")
    page = await asyncio.to_thread(lambda: httpx.get(f"{service.base_url}/metrics", timeout=60).text)
    run(program("promtool"), "check", "metrics", input=page)
    port = free_port()
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(PROMETHEUS / "alerts.yml")],
        "scrape_configs": [
            {"job_name": "signalpost", "static_configs": [{"targets": [service.base_url.removeprefix("http://")]}]}
        ],
    }
    (tmp_path / "prometheus.yml").write_text(json.dumps(config))
    prometheus = await asyncio.create_subprocess_exec(
        program("prometheus"), f"--config.file={tmp_path}/prometheus.yml", f"--storage.tsdb.path={tmp_path}/data",
        f"--web.listen-address=127.0.0.1:{port}", stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}/api/v1", timeout=60) as client:

            async def ask(query: str) -> list[Any]:
                answer = await client.get("/query", params={"query": query.replace("$__rate_interval", "1m")})
                assert answer.status_code == 200, answer.text
                return list(answer.json()["data"]["result"])

            async def ready() -> bool:
                try:
                    return (await client.get(f"http://127.0.0.1:{port}/-/ready")).is_success
                except httpx.TransportError:
                    return False

            async def unanswered() -> list[str]:
                without = [query for query in [*QUERIES, *OBJECTIVES] if not await ask(query)]
                return [query for query in without if not any(word in query for word in SILENT)]

            await service.until(ready, "Prometheus")
            for _ in range(300):  # a rate has an answer after two scrapes of each of its series
                if not (without := await unanswered()):
                    break
                await asyncio.sleep(0.2)
            rules = (await client.get("/rules")).json()["data"]["groups"][0]["rules"]
    finally:
        prometheus.terminate()
        await prometheus.wait()

    assert without == []
    assert {rule["name"]: rule.get("lastError") for rule in rules} == dict.fromkeys(ALERTS)
    assert len(OBJECTIVES) == 3
