"""The package for n8n, compiled as its users compile it, and n8n's engine that runs its nodes."""

import dataclasses
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.clients.drivers import Place
from tests.counterparts import tools
from tests.counterparts.process import Program, running

SOURCE = tools.CHECKOUT / "clients" / "n8n"


def installed(folder: Path) -> Path:
    """Put the sources into `folder`, beside the packages that they and their linter need."""
    package = folder / "n8n-nodes-signalpost"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("dist", "node_modules"))
    (package / "node_modules").symlink_to(tools.node_packages("n8n-engine") / "node_modules")
    return package


def run(package: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script of an installed package in its folder."""
    return subprocess.run([tools.node(), *arguments], cwd=package, capture_output=True, text=True, check=False)


def build(folder: Path) -> Path:
    """Compile the package as its script `build` does.

    Raises:
        AssertionError: it does not compile, with what the compiler says.
    """
    package = installed(folder)
    for command in (("node_modules/typescript/bin/tsc",), ("copy.mjs",)):
        done = run(package, *command)
        assert done.returncode == 0, done.stdout + done.stderr
    return package


@asynccontextmanager
async def engine_process(package: Path, home: Path) -> AsyncIterator[Program]:
    """n8n's engine with the nodes of a package; it exchanges lines of JSON, as `start.mjs` says."""
    environment = {"N8N_USER_FOLDER": str(home), "N8N_LOG_LEVEL": "silent"}
    script = tools.node_script("n8n-engine")
    async with running(tools.node(), script, package, folder=home, environment=environment) as program:
        yield program


@dataclass(frozen=True)
class Engine:
    """The engine with the credentials of a place."""

    program: Program
    place: Place

    def at(self, url: str, key: str | None = None) -> "Engine":
        """The same with another address or key in the credentials."""
        return Engine(self.program, dataclasses.replace(self.place, url=url, key=key or self.place.key))

    async def command(self, command: str, **of: Any) -> Any:
        credentials = {"baseUrl": self.place.url, "apiKey": self.place.key}
        await self.program.send({"command": command, "credentials": credentials, **of})
        return (await self.program.json_line())["answer"]

    async def execute(self, resource: str, operation: str, /, **of: Any) -> Any:
        """Run the action node with `parameters`; `items`, `executionId`, `onError` as n8n has them."""
        parameters = {"resource": resource, "operation": operation, **of.pop("parameters", {})}
        return await self.command("execute", parameters=parameters, **of)

    async def rows(self, resource: str, operation: str, /, **of: Any) -> list[Any]:
        """Run the action node, and return the JSON of its items."""
        answer = await self.execute(resource, operation, **of)
        assert "error" not in answer, answer
        return [item["json"] for item in answer["items"]]
