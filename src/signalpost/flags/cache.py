"""The flags as this process last read them, so that asking for one costs no statement."""

import asyncio
from collections.abc import Mapping
from uuid import UUID

from signalpost.context import AppContext
from signalpost.flags import queries
from signalpost.flags.evaluation import FlagState, Subject, is_on
from signalpost.flags.registry import Flag
from signalpost.identity import queries as identity
from signalpost.kit import clock

CACHE_SECONDS = 5.0
"""How long a change takes at most to be heard of in every process."""


class FlagCache:
    """The flags of one process: `context.state(FlagCache)`. Holds one state for each declared flag."""

    def __init__(self) -> None:
        self.seconds = CACHE_SECONDS
        self.states: Mapping[str, FlagState] = {}
        self._read_at: float | None = None
        self._reading = asyncio.Lock()

    async def current(self, context: AppContext) -> Mapping[str, FlagState]:
        """Return the flags, read again if that was some seconds ago. Call it without holding a connection.

        Raises:
            Unavailable: they have to be read, and the database cannot be reached.
        """
        if self._is_stale():
            async with self._reading:
                if self._is_stale():
                    async with context.database.connection() as db:
                        self.states = await queries.states(db)
                    self._read_at = clock.monotonic()
        return self.states

    def _is_stale(self) -> bool:
        return self._read_at is None or clock.monotonic() - self._read_at >= self.seconds


async def is_enabled(
    context: AppContext, flag: Flag, *, workspace_id: UUID, plan: str | None = None, user_id: UUID | None = None
) -> bool:
    """Whether the flag is on for a workspace. Call it without holding a connection.

    Args:
        context: of this process.
        flag: from the registry.
        workspace_id: whose rollout bucket counts.
        plan: the plan in force, where it is known; else it is read if a rule of the flag names plans.
        user_id: who asks; None for work in the background, for which no rule about users applies.

    Raises:
        Unavailable: the flags have to be read, and the database cannot be reached.
    """
    state = (await context.state(FlagCache).current(context))[flag.key]
    if plan is None and state.enabled and state.rules.plans:
        async with context.database.connection() as db:
            plan = (await identity.workspace_terms(context.settings, db, workspace_id)).plan
    return is_on(state, Subject(workspace_id=workspace_id, plan=plan, user_id=user_id))
