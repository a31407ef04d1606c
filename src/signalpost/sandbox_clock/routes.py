"""The clock of the sandbox over HTTP."""

from signalpost.kit.db import Db
from signalpost.sandbox_clock import actions, views
from signalpost.sandbox_clock.schemas import SandboxClock, SandboxClockMove
from signalpost.web.caller import Caller
from signalpost.web.routing import Routes

routes = Routes("Sandbox")


@routes.get("/sandbox/clock", scope="posts:read")
async def get_sandbox_clock(db: Db, caller: Caller) -> SandboxClock:
    """Return what time it is in the sandbox. Needs a test key."""
    return views.sandbox_clock(await actions.read_clock(db, caller))


@routes.post("/sandbox/clock", scope="posts:publish", example={"advanceSeconds": 86_400})
async def move_sandbox_clock(db: Db, caller: Caller, data: SandboxClockMove) -> SandboxClock:
    """Move the clock of the sandbox forward, and watch scheduled test posts go out.

    Needs a test key that is not limited to profiles. The clock belongs to the workspace, and moves its test posts only:
    those whose time has come by it are published at once and in order, with their events and webhooks. What else waits,
    such as a retry or an approval, comes nearer by as much. A post that is scheduled later follows within a second.

    What happens is recorded with its real time. Live posts, deliveries of webhooks and everything that expires go by
    the real time, and so do requests, unless `X-Test-Now` sets theirs.
    """
    return views.sandbox_clock(await actions.move_clock(db, caller, data))


@routes.delete("/sandbox/clock", scope="posts:publish", status=204)
async def delete_sandbox_clock(db: Db, caller: Caller) -> None:
    """Return the sandbox to the real time. Test posts whose scheduled time is still to come wait for it again.

    What was published stays published. Nothing happens if nobody had moved the clock.
    """
    await actions.end_clock(db, caller)
