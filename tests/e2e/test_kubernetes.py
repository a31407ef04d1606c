"""The Helm chart: by Helm itself, the schemas of Kubernetes, and its commands run as processes."""

import contextlib
import dataclasses
import importlib
import re
import subprocess
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.counterparts.tools import CHECKOUT, folder, free_port
from tests.helpers.service_process import Service, installed

from signalpost.settings import PREFIX, Settings

CHART = CHECKOUT / "deploy" / "helm" / "signalpost"
VALUES = sorted((CHART / "ci").glob("*.yaml"))
VERSIONS = ("1.27", "1.37")
GUIDE = (CHECKOUT / "docs" / "guides" / "kubernetes.md").read_text()
SETTINGS = {f"{PREFIX}{field.name.upper()}" for field in dataclasses.fields(Settings)}
CUSTOM = {"PodMonitor", "PrometheusRule"}
"""Kinds of the Prometheus operator, of which Kubernetes has no schemas."""
yaml: Any = importlib.import_module("yaml")


def run(name: str, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    program = folder("kubernetes", CHECKOUT / "requirements" / "kubernetes.txt") / "bin" / name
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=100, check=False, **options)


def rendered(values: Path, *more: str) -> str:
    done = run("helm", "template", "signalpost", str(CHART), "--namespace", "social", "--values", str(values), *more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def objects(text: str) -> list[dict[str, Any]]:
    return [document for document in yaml.safe_load_all(text) if document]


def pods(documents: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The pods that the objects make: kind -> specification."""
    return {one["kind"]: one["spec"]["template"]["spec"] for one in documents if "template" in one.get("spec", {})}


@pytest.fixture(scope="module", params=VALUES, ids=lambda path: path.stem)
def chart(request: pytest.FixtureRequest) -> Iterator[list[dict[str, Any]]]:
    return objects(rendered(request.param))


@pytest.mark.parametrize("values", VALUES, ids=lambda path: path.stem)
def test_helm_and_the_schemas_find_nothing(values: Path, tmp_path: Path) -> None:
    linted = run("helm", "lint", "--strict", str(CHART), "--values", str(values))
    assert linted.returncode == 0, linted.stdout
    file = tmp_path / "signalpost.yaml"
    file.write_text(rendered(values))
    for kubernetes in VERSIONS:
        done = run("kubernetes-validate", "--strict", "--kubernetes-version", kubernetes, str(file))
        assert done.returncode == 0, done.stdout + done.stderr
        warned = re.findall(r"^WARN .*", done.stdout + done.stderr, re.MULTILINE)
        assert {kind for line in warned for kind in CUSTOM if f"kind {kind} " in line} in (CUSTOM, set())
        assert len(warned) in (0, len(CUSTOM)), warned


def test_pods_are_restricted(chart: list[dict[str, Any]]) -> None:
    """As the Pod Security Standard of that name asks, and more: nothing is written but to volumes."""
    assert set(pods(chart)) == {"Deployment", "StatefulSet", "Job"}
    for pod in pods(chart).values():
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod)
        assert all(set(volume) <= {"name", "emptyDir"} for volume in pod["volumes"])
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
            }  # fmt: skip
            assert {"cpu", "memory"} <= set(container["resources"]["requests"])
            assert "memory" in container["resources"]["limits"]


def test_what_is_named_is_there(chart: list[dict[str, Any]]) -> None:
    """Selectors find pods, ports are those of containers, volumes are mounted, and settings exist."""
    by_name = {(one["kind"], one["metadata"]["name"]): one for one in chart}
    labelled = [one["spec"]["template"] for one in chart if "template" in one.get("spec", {})]
    for one in chart:
        match one["kind"]:
            case "Service":
                selector = one["spec"]["selector"]
            case "PodDisruptionBudget" | "Deployment" | "StatefulSet" | "PodMonitor":
                selector = one["spec"]["selector"]["matchLabels"]
            case "NetworkPolicy":
                selector = one["spec"]["podSelector"]["matchLabels"]
            case "HorizontalPodAutoscaler":
                target = one["spec"]["scaleTargetRef"]
                assert "replicas" not in by_name[target["kind"], target["name"]]["spec"]
                continue
            case _:
                continue
        assert any(selector.items() <= pod["metadata"]["labels"].items() for pod in labelled), one["metadata"]
    for pod in pods(chart).values():
        [container] = pod["containers"]
        mounted = {mount["name"] for mount in container["volumeMounts"]}
        assert {volume["name"] for volume in pod["volumes"]} <= mounted <= {"data", "tmp"}
        assert {setting["name"] for setting in container["env"]} <= SETTINGS
        probes = [container[name]["httpGet"]["port"] for name in container if name.endswith("Probe")]
        assert set(probes) <= {port["name"] for port in container.get("ports", ())}


WRONG = [
    ("baseUrl=social.example.com", "baseUrl"), ("secretName=", "secretName"), ("storageUrl=/data", "storageUrl"),
    ("api.replica=3", "replica"), ("workers.replicas=3", "workers"), ("settings.REGISTRATION=closed", "REGISTRATION"),
    ("image.digest=latest", "digest"), ("migration.deadlineSeconds=10", "deadlineSeconds"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "named"), WRONG, ids=[value for value, _ in WRONG])
def test_a_wrong_value_is_refused_and_named(value: str, named: str) -> None:
    done = run("helm", "template", "r", str(CHART), "--values", str(VALUES[0]), "--set", value)
    assert done.returncode != 0
    assert named in done.stderr


def test_the_values_of_the_guide_are_taken(tmp_path: Path) -> None:
    values, more = re.findall(r"^```yaml\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    (tmp_path / "values.yaml").write_text(values)
    (tmp_path / "more.yaml").write_text(more)
    documents = objects(rendered(tmp_path / "values.yaml", "--values", str(tmp_path / "more.yaml")))

    [ingress] = [one for one in documents if one["kind"] == "Ingress"]
    assert ingress["spec"]["rules"][0]["host"] == "social.example.com"
    assert {one["metadata"]["name"] for one in documents if one["kind"] in ("Deployment", "StatefulSet", "Job")} == set(
        re.findall(r"^\| (?:Deployment|StatefulSet|Job) `([\w-]+)`", GUIDE, re.MULTILINE)
    )


def test_the_alerts_are_part_of_it() -> None:
    [rule] = [
        one for one in objects(rendered(CHART / "ci" / "everything-values.yaml")) if one["kind"] == "PrometheusRule"
    ]
    assert rule["spec"] == yaml.safe_load((CHECKOUT / "deploy" / "prometheus" / "alerts.yml").read_text())


def test_the_chart_has_the_version_of_the_program() -> None:
    assert yaml.safe_load((CHART / "Chart.yaml").read_text())["appVersion"] == version("signalpost")


@pytest.mark.slow
@pytest.mark.xdist_group("e2e")
async def test_its_commands_publish(fresh_dsn: str) -> None:
    """The three pods as processes of one machine, with the settings that the chart gives them."""
    by_kind = pods(objects(rendered(CHART / "ci" / "everything-values.yaml")))
    async with installed() as api_pod, installed() as worker_pod:
        secret = {
            "SIGNALPOST_DATABASE_URL": fresh_dsn,
            "SIGNALPOST_MASTER_KEY": "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
            "SIGNALPOST_METRICS_TOKEN": "of-the-tests",
        }
        here = {"SIGNALPOST_BASE_URL": api_pod.base_url, "SIGNALPOST_STORAGE_URL": f"file://{api_pod.folder}/media"}
        metrics_port = free_port()
        for pod, kind in ((api_pod, "Deployment"), (worker_pod, "StatefulSet")):
            pod.settings = given(by_kind[kind]) | secret | here
        migrated = await worker_pod.command(*arguments(by_kind["Job"], {}), **given(by_kind["Job"]))
        assert migrated.returncode == 0, migrated.stderr
        await launched(api_pod, by_kind["Deployment"], {"8000": str(api_pod.port), "0.0.0.0": "127.0.0.1"})
        await launched(worker_pod, by_kind["StatefulSet"], {"9464": str(metrics_port)})
        [container] = by_kind["Deployment"]["containers"]
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            await api_pod.until(lambda path=container[probe]["httpGet"]["path"]: is_up(api_pod.base_url + path), probe)

        api = await api_pod.owner()
        await api.connect("sandbox", username="baker")
        await api.ends(await api.publish(["sandbox"], "from pods"))

        token = {"Authorization": f"Bearer {secret['SIGNALPOST_METRICS_TOKEN']}"}
        async with httpx.AsyncClient() as client:
            page = await client.get(f"http://127.0.0.1:{metrics_port}/metrics", headers=token)
        assert 'signalpost_engine_items_finished_total{platform="sandbox",source="target"} 1.0' in page.text
        assert (await api_pod.stop(), await worker_pod.stop()) == (0, 0)


def given(pod: dict[str, Any]) -> dict[str, str]:
    """The environment of a pod, without what its Secret adds."""
    [container] = pod["containers"]
    return {setting["name"]: setting["value"] for setting in container["env"]}


def arguments(pod: dict[str, Any], here: dict[str, str]) -> list[str]:
    """What a pod calls `signalpost` with, except for the data folder; `here`: what is another value on this machine."""
    [container] = pod["containers"]
    program, *words = container["args"]
    assert program == "signalpost"
    at = words.index("--data-dir")
    return [here.get(word, word) for word in words[:at] + words[at + 2 :]]


async def launched(service: Service, pod: dict[str, Any], here: dict[str, str]) -> None:
    command, *rest = arguments(pod, here)
    await service.launch(*rest, command=command)


async def is_up(url: str) -> bool:
    async with httpx.AsyncClient() as client:
        with contextlib.suppress(httpx.TransportError):
            return (await client.get(url)).status_code == 200
    return False
