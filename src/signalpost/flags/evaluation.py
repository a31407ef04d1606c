"""Whether a flag is on for someone. Pure: no clock, no database."""

import hashlib
from datetime import datetime
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.events import Actor
from signalpost.flags.registry import Flag
from signalpost.kit import ids

BUCKETS: Final = 100


class FlagRules(Struct, frozen=True):
    """For whom a flag is on, whatever the rollout says. The JSON column `rules`."""

    plans: list[str] = []
    workspace_ids: list[UUID] = []
    user_ids: list[UUID] = []


class FlagState(Struct, frozen=True):
    """How a flag is set. A row of `feature_flag`, or what the registry says while there is none."""

    key: str
    enabled: bool
    rollout_percent: int = BUCKETS
    rules: FlagRules = FlagRules()
    description: str | None = None  # None: the declared one
    updated_by: Actor | None = None
    updated_at: datetime | None = None


class Subject(Struct, frozen=True, kw_only=True):
    """Whom a flag is evaluated for. `plan` and `user_id` None: not known, so no rule about them applies."""

    workspace_id: UUID
    plan: str | None = None
    user_id: UUID | None = None


def declared(flag: Flag) -> FlagState:
    """Return the state of a flag that nobody changed."""
    return FlagState(key=flag.key, enabled=flag.default)


def bucket(key: str, workspace_id: UUID) -> int:
    """Return the bucket of a workspace, 0 to 99: the same in every process, and another one for each flag."""
    digest = hashlib.sha256(f"{key}{ids.encode('wsp', workspace_id)}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % BUCKETS


def is_on(state: FlagState, subject: Subject) -> bool:
    """Whether the flag is on: never when disabled, else by a rule, else if the bucket is within the rollout."""
    if not state.enabled:
        return False
    rules = state.rules
    if subject.workspace_id in rules.workspace_ids or subject.plan in rules.plans or subject.user_id in rules.user_ids:
        return True
    return bucket(state.key, subject.workspace_id) < state.rollout_percent
