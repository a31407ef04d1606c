"""Change components: by the staff, by incidents, and by what is published and delivered."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from msgspec import UNSET

from signalpost import networks
from signalpost.kit import clock, ids, issue_text, problems
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.status import queries, views
from signalpost.status.actions import notify
from signalpost.status.queries import COMPONENT, COMPONENTS_MAX, ComponentRow, read_component
from signalpost.status.schemas import Component, ComponentStatusUpdate, ComponentUpsert
from signalpost.status.states import ComponentStatus, holds, worst
from signalpost.web.fields import ComponentId

MEASURED = ("queue", "webhooks")
"""Keys of the components besides networks whose status can be automatic."""

_LOCK = "select pg_advisory_xact_lock(hashtextextended('status_component', 0))"
_BY_ID = f"select {COMPONENT} from status_component where id = $1 or ($1 is null and key = $2)"  # noqa: S608
_BY_HAND = "update status_component set automatic = false, updated_at = now() where id = $1 and automatic"
_COUNT = "select count(*) from status_component"
_WRITE = f"""
insert into status_component (id, key, name, description, group_name, position, status, platform, automatic)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (id) do update set key = excluded.key, name = excluded.name, description = excluded.description,
    group_name = excluded.group_name, position = excluded.position, status = excluded.status,
    platform = excluded.platform, automatic = excluded.automatic, updated_at = now()
returning {COMPONENT}
"""  # noqa: S608 - columns of a struct
_SET = f"""
update status_component c set status = n.status, updated_at = now()
from unnest($1::uuid[], $2::text[]) as n(id, status) where c.id = n.id and c.status <> n.status
returning {", ".join(f"c.{name}" for name in ComponentRow.__struct_fields__)}
"""  # noqa: S608 - columns of a struct


async def lock(db: Db) -> None:
    """Let nobody else change components or incidents until the end of the transaction."""
    await db.execute(_LOCK)


async def upsert(db: Db, data: ComponentUpsert) -> Component:
    """Create a component, or change one.

    Raises:
        ValidationFailed: there is no component with this id, or a new one lacks its key or name.
        AlreadyExists: another component has this key.
        TooManyItems: there are enough.
    """
    await lock(db)
    record = await db.fetchrow(_BY_ID, data.id, data.key)
    row = None if record is None else read_component(record)
    if row is None:
        row = await _new(db, data)
    old = row.status
    _merge(row, data)
    if data.id is not None and data.key is not None:
        other = await db.fetchrow(_BY_ID, None, data.key)
        if other is not None and other["id"] != row.id:
            raise problems.AlreadyExists(f"Another component has the key {data.key}.")
    values = (row.id, row.key, row.name, row.description, row.group_name, row.position, row.status, row.platform)
    [record] = await db.fetch(_WRITE, *values, row.automatic)
    row = read_component(record)
    if row.status != old:
        await notify.components(db, [row])
    return views.component(row)


async def _new(db: Db, data: ComponentUpsert) -> ComponentRow:
    if data.id is not None:
        raise problems.ValidationFailed(errors=[ComponentId.not_found("/id")])
    missing = [f"/{name}" for name in ("key", "name") if getattr(data, name) is None]
    if missing:
        raise problems.ValidationFailed(
            errors=[Issue(path, "required", "A new component needs this.") for path in missing]
        )
    if await db.fetchval(_COUNT) >= COMPONENTS_MAX:
        raise problems.TooManyItems(f"There can be at most {COMPONENTS_MAX} components.")
    return ComponentRow(
        id=ids.new_id(), key=data.key or "", name=data.name or "", description=None, group_name=None, position=1_000,
        status=data.status or "operational", platform=None, automatic=False, updated_at=clock.actual(),
    )  # fmt: skip


def _merge(row: ComponentRow, data: ComponentUpsert) -> None:
    row.key = data.key or row.key
    row.name = data.name or row.name
    row.position = row.position if data.order is None else data.order
    row.status = data.status or row.status
    row.automatic = row.automatic if data.automatic is None else data.automatic
    if data.description is not UNSET:
        row.description = data.description
    if data.group is not UNSET:
        row.group_name = data.group
    if data.platform is not UNSET:
        row.platform = data.platform
        if data.platform is not None and data.platform not in networks.PLATFORMS:
            raise problems.ValidationFailed(
                errors=[issue_text.not_allowed("/platform", data.platform, sorted(networks.PLATFORMS))]
            )
    if row.automatic and row.platform is None and row.key not in MEASURED:
        raise problems.invalid("/automatic", "not_allowed", "Nothing is measured for a component without `platform`.")


async def set_status(db: Db, id_or_key: str, data: ComponentStatusUpdate) -> Component:
    """Give a component a status. It is no longer automatic: otherwise the next minute would overrule the person.

    Raises:
        NotFound: there is no such component.
    """
    row = await queries.component(db, id_or_key)
    if row is None:
        raise unknown(id_or_key)
    await lock(db)
    await db.execute(_BY_HAND, row.id)
    await change(db, {row.id: data.status})
    row = await queries.component(db, id_or_key) or row
    return views.component(row)


def unknown(id_or_key: str) -> problems.NotFound:
    """Return the problem of a component that is not there."""
    detail = ComponentId.not_found_detail(id_or_key) if id_or_key.startswith("cmp_") else "No component has this key."
    return problems.NotFound(detail, remediation="`GET /status/components` lists them all.")


async def change(db: Db, statuses: Mapping[UUID, ComponentStatus], *, tell: bool = True) -> None:
    """Give components these statuses; those that change are reported to webhooks unless `tell` is false."""
    if statuses:
        changed = await db.fetch(_SET, list(statuses), list(statuses.values()))
        if tell:
            await notify.components(db, [read_component(record) for record in changed])


async def settle(db: Db, component_ids: Collection[UUID], *, ended: bool, tell: bool = True) -> None:
    """Give components what the active incidents make of them; those without one are operational if one has `ended`."""
    if not component_ids:
        return
    held = await held_statuses(db)
    statuses: dict[UUID, ComponentStatus] = {}
    for component_id in component_ids:
        if component_id in held:
            statuses[component_id] = worst(held[component_id])
        elif ended:
            statuses[component_id] = "operational"
    await change(db, statuses, tell=tell)


async def held_statuses(db: Db) -> dict[UUID, Sequence[ComponentStatus]]:
    """Return what active incidents make of components."""
    held: dict[UUID, list[ComponentStatus]] = {}
    for incident in await queries.active(db):
        if incident.component_status is not None and holds(incident.status):
            for component_id in incident.component_ids:
                held.setdefault(component_id, []).append(incident.component_status)
    return dict(held)
