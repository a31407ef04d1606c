"""Packages as pip installs them: a module and its entry point in a folder of the import path, also of new processes."""

import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from signalpost import networks
from signalpost.network_packages import status

Install = Callable[..., str]

HEAD = """
import asyncio, logging, os, sys, threading
from signalpost.networks.contract import *
async def connect(server, fields):
    response = await server.call("GET", "/me")
    return Identity(remote_id="me", username="me", display_name="Me", secrets={"token": fields["token"]})
async def publish(session, outgoing, journal):
    await journal.intend("part:0", {"at": "now"})
    response = await session.server.call("POST", "/posts", json={"text": outgoing.text})
    await journal.done("part:0", {"id": "1"})
    return Published(remote_id="1", url=None)
async def reconcile(session, outgoing, journal):
    return OutcomeUnknown(message="nobody knows")
def explain(error):
    return Refused(code="content_rejected", message="no")
def facts(**members):
    return Facts(**{"key": SLUG, "name": "Noticeboard", "source": "its documentation", "verified_on": "2026-11-27",
        "base_url": "https://noticeboard.example", "text": TextRule(max_length=100),
        "credential_fields": (CredentialField(name="token", label="Token", secret=True),)} | members)
LOCKED = Option(type=threading.Lock(), description="x")
def connector(**members):
    return Connector(**{"facts": facts(), "contract": "1.0", "publish": publish, "explain": explain,
        "reconcile": reconcile, "connect": connect} | members)
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Return what installs a package with this code; what was loaded of it is forgotten at the end."""
    monkeypatch.syspath_prepend(tmp_path)
    python_path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    monkeypatch.setenv("PYTHONPATH", python_path)
    monkeypatch.setattr(networks, "CONNECTORS", networks.CONNECTORS)
    monkeypatch.setattr(networks, "PLATFORMS", networks.PLATFORMS)
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    installed: list[tuple[str, str]] = []

    def install(code: str, slug: str = "noticeboard", *, distribution: str = "", head: str = HEAD) -> str:
        distribution = distribution or f"signalpost-{slug}"
        module = distribution.replace("-", "_")
        (tmp_path / f"{module}.py").write_text(f"SLUG = {slug!r}\n{head}\n{textwrap.dedent(code)}\n")
        metadata = tmp_path / f"{module}-1.2.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.2.0\n")
        (metadata / "entry_points.txt").write_text(f"[signalpost.networks]\n{slug} = {module}:CONNECTOR\n")
        installed.append((slug, module))
        return slug

    yield install
    for slug, module in installed:
        status.forget(slug)
        sys.modules.pop(module, None)
