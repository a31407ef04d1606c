"""Changing a flag, and its values for a caller."""

from typing import Final
from uuid import UUID

from msgspec import UNSET, Struct, structs

from signalpost.audit.actions import record as audit
from signalpost.audit.actions.operations import changes_of
from signalpost.context import AppContext
from signalpost.flags import queries, views
from signalpost.flags.cache import is_enabled
from signalpost.flags.evaluation import FlagRules, FlagState, declared
from signalpost.flags.registry import FLAGS, Flag
from signalpost.flags.schemas import FeatureFlag, FeatureFlagUpdate, FlagRulesUpdate, FlagValues
from signalpost.kit import clock, problems, rows
from signalpost.kit.db import Db
from signalpost.web.caller import Caller
from signalpost.web.operations import Operation

_INSERT: Final = f"{rows.insert('feature_flag', FlagState)} on conflict (key) do nothing"
_UPDATE: Final = f"update feature_flag set {rows.assignments(FlagState, first=2, without=('key',))} where key = $1"  # noqa: S608


def find(key: str) -> Flag:
    """Return the declared flag.

    Raises:
        NotFound: this version declares no such flag.
    """
    if (flag := FLAGS.get(key)) is None:
        raise problems.NotFound(f"No feature flag is called {key[:100]}; GET /admin/feature-flags lists them.")
    return flag


async def list_flags(db: Db) -> list[FeatureFlag]:
    """Return every flag, in the order of the registry."""
    return [views.flag(state) for state in (await queries.states(db)).values()]


async def update_flag(db: Db, caller: Caller, key: str, data: FeatureFlagUpdate) -> FeatureFlag:
    """Change the fields that are present in `data`. Every process hears of it within seconds.

    Raises:
        NotFound: this version declares no such flag.
    """
    await db.execute(_INSERT, *rows.values(declared(find(key))))
    stored = await queries.lock(db, key)
    fields = structs.asdict(data) | {"rules": _merged(stored.rules, data.rules)}
    changed = {name: value for name, value in fields.items() if value is not UNSET}
    state = structs.replace(stored, **changed, updated_by=caller.actor, updated_at=clock.now())
    await db.execute(_UPDATE, key, *rows.values(state, without=("key",)))
    operation = Operation(name="update_feature_flag", caller=caller, row=stored, subject=key, data=data)
    await audit.record(
        db,
        audit.Entry(
            workspace_id=audit.INSTALLATION,
            action=operation.name,
            actor=caller.actor,
            subject=key,
            changes=changes_of(operation) or None,
        ),
    )
    return views.flag(state)


def _merged(stored: FlagRules, data: FlagRulesUpdate | object) -> FlagRules:
    """Return the rules with the lists that the body has, each without repetitions."""
    if not isinstance(data, FlagRulesUpdate):
        return stored
    lists: dict[str, list[str] | list[UUID]] = {
        name: list(dict.fromkeys(value)) for name, value in _present(data) if isinstance(value, list)
    }
    return structs.replace(stored, **lists)


def _present(data: Struct) -> list[tuple[str, object]]:
    return [(name, value) for name, value in structs.asdict(data).items() if value is not UNSET]


async def values_for(context: AppContext, caller: Caller) -> FlagValues:
    """Return the flags that clients may know, as they are for the caller."""
    who = {"workspace_id": caller.workspace_id, "user_id": caller.user_id}
    return FlagValues(
        {flag.key: await is_enabled(context, flag, plan=caller.plan, **who) for flag in FLAGS.values() if flag.public}
    )
