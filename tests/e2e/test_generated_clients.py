"""Clients that others' generators make of the OpenAPI document compile with default options, and publish."""

import asyncio
import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from tests.counterparts import tools
from tests.helpers.service_process import Api, Service

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("e2e")]
PROGRAMS = tools.HERE / "clients"


async def run(*command: str | Path, cwd: Path) -> str:
    """Run a program that finds those installed beside it; return what it writes."""
    path = f"{Path(command[0]).parent}{os.pathsep}{os.environ['PATH']}"
    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, cwd=cwd, check=False, env=os.environ | {"PATH": path}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def readme_body() -> str:
    """The post of README's last call, which as JSON is TypeScript as well."""
    readme = (tools.CHECKOUT / "README.md").read_text()
    [body] = re.findall(r"\$API/posts .*? -d '(\{.*?\})'\n", readme, re.DOTALL)
    return body.replace("'$PROFILE'", "prof_…")


@pytest.fixture(scope="module")
async def arguments(home: tuple[Service, Api]) -> tuple[str, str, str]:
    """Where the programs find the service, its key, and a profile that has a sandbox account."""
    service, api = home
    profile = await api.post("/profiles", json={"name": "Generated clients"})
    await api.post("/platforms/sandbox/connect", json={"profileId": profile["id"], "fields": {"username": "generated"}})
    return f"{service.base_url}/api/v1", api.key, profile["id"]


@pytest.fixture
async def document(api: Api, tmp_path: Path) -> Path:
    place = tmp_path / "openapi.json"
    place.write_text(json.dumps(await api.get("/openapi.json")))
    return place


def test_the_call_of_readme_is_found() -> None:
    assert json.loads(readme_body())["platforms"] == ["bluesky"]


async def test_typescript(arguments: tuple[str, str, str], document: Path, tmp_path: Path) -> None:
    packages = tools.node_packages("clients") / "node_modules"
    (tmp_path / "node_modules").symlink_to(packages)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "first_post.ts").write_text(
        (PROGRAMS / "first_post.ts").read_text().replace("README_BODY", readme_body())
    )
    await run(tools.node(), packages / "openapi-typescript/bin/cli.js", document, "-o", "api.d.ts", cwd=tmp_path)
    options = ("--strict", "--module", "nodenext", "--target", "es2022", "--types", "node")
    await run(tools.node(), packages / "typescript/bin/tsc", *options, "first_post.ts", cwd=tmp_path)

    out = await run(tools.node(), "first_post.js", *arguments, cwd=tmp_path)

    assert json.loads(out) == {
        "status": "published",
        "code": "validation_failed",
        "path": "/platforms/0",
        "deleted": 200,
    }


BODIES_THAT_ARE_NOT_JSON = {
    "PATCH /media/uploads/{id} within media. Endpoint will not be generated",
    "POST /posts/bulk within posts",
    "GET /workspaces/{id}/export/content within identity",
}
"""The generator leaves them out: the first is for clients of tus, the second has a body in JSON too, the third is a
file, whose URL is opened without a client."""


async def test_python(arguments: tuple[str, str, str], document: Path, tmp_path: Path) -> None:
    programs = tools.folder("client", tools.CHECKOUT / "requirements" / "client.txt") / "bin"
    generate = ("generate", "--path", document, "--meta", "none", "--output-path", tmp_path / "generated")
    warnings = await run(programs / "openapi-python-client", *generate, cwd=tmp_path)
    left_out = set(re.findall(r"^WARNING parsing (.*)\.$", warnings, re.MULTILINE))
    assert left_out == BODIES_THAT_ARE_NOT_JSON, warnings

    # Beside the generated package, where Python finds it.
    program = tmp_path / "first_post.py"
    program.write_text((PROGRAMS / "first_post.py.txt").read_text())
    out = await run(programs / "python", program, *arguments, cwd=tmp_path)

    assert json.loads(out) == {
        "status": "published",
        "code": "validation_failed",
        "path": "/platforms/0",
        "deleted": True,
    }
