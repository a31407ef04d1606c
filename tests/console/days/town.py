"""Where the days take place: the service as in production, networks of the simulator, a mail server and a receiver."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import httpx
from simulator import Simulator
from simulator.networks.mastodon import Mastodon
from simulator.networks.x import X
from tests.helpers.mail import Inbox, serving
from tests.helpers.service_process import Service, installed


@dataclass
class Town:
    """An installation whose server and worker are processes of their own, and what is around it."""

    service: Service
    worker: Service
    simulator: Simulator
    inbox: Inbox = field(default_factory=Inbox)

    async def open(self) -> None:
        """Start the server, and the worker as soon as there is a database: it is healthy when both run."""
        async with asyncio.TaskGroup() as both:
            both.create_task(self.service.start("--no-worker"))
            await self.service.until(self._answers, "answer of the server")
            await self.worker.launch(command="worker")

    async def _answers(self) -> bool:
        async with httpx.AsyncClient(timeout=60) as client:
            with suppress(httpx.TransportError):
                return bool((await client.get(f"{self.service.base_url}/api/v1/healthz/api")).status_code)
        return False

    async def lose_power(self) -> None:
        """SIGKILL both at once, and start them again."""
        for each in (self.worker, self.service):
            await each.kill()
        await self.open()

    async def owner(self, email: str, workspace: str) -> None:
        """A user, whom the operator makes."""
        arguments = ("create-owner", "--email", email, "--password", "-", "--workspace", workspace)
        done = await self.service.command(*arguments, text_in="correct horse battery\n")
        assert done.returncode == 0, done.stderr


@asynccontextmanager
async def town(**settings: str) -> AsyncIterator[Town]:
    """A town in which the service runs."""
    inbox = Inbox()
    async with Simulator([Mastodon, X]) as simulator, serving(inbox) as mail, installed(**settings) as service:
        app = simulator.world.add_app("x", f"{service.base_url}/api/v1/platforms/x/callback")
        service.settings |= {
            "SIGNALPOST_BASE_URL": service.base_url, "SIGNALPOST_SMTP_URL": f"smtp://{mail}",
            "SIGNALPOST_MAIL_FROM": "Signalpost <post@example.test>", "SIGNALPOST_REGISTRATION": "open",
            "SIGNALPOST_TRUSTED_PROXIES": "1", "SIGNALPOST_MASTODON_BASE_URL": simulator.url("mastodon"),
            "SIGNALPOST_X_BASE_URL": simulator.url("x"), "SIGNALPOST_X_CLIENT_ID": app.client_id,
            "SIGNALPOST_X_CLIENT_SECRET": app.client_secret,
        }  # fmt: skip
        worker = Service(service.folder, **service.settings)
        here = Town(service, worker, simulator, inbox)
        await here.open()
        try:
            yield here
        finally:
            if worker.runs:
                await worker.kill()
