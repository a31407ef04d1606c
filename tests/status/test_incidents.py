"""Incidents and maintenance: which status may follow which, what components have meanwhile, what is refused."""

import secrets
from datetime import timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make

from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.status.actions import incidents
from signalpost.status.states import ENDS, STATUSES_OF, IncidentKind

NEXT_WEEK = clock.wire(clock.now() + timedelta(days=7))
LATER = clock.wire(clock.now() + timedelta(days=7, hours=2))
MOVES = [(kind, old, new) for kind, statuses in STATUSES_OF.items() for old in statuses for new in statuses]


async def component(api: Api, staff: str) -> dict[str, Any]:
    data = {"key": f"c-{secrets.token_hex(6)}", "name": "A part"}
    answer = await api.post("/status/admin/components", json=data, key=staff)
    assert answer.status_code == 201, answer.text
    created: dict[str, Any] = answer.json()
    return created


async def declare(api: Api, staff: str, *parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    data = {"title": "Slow", "body": "We look into it.", "impact": "major", "componentIds": [p["id"] for p in parts]}
    answer = await api.post("/status/admin/incidents", json=data | fields, key=staff)
    assert answer.status_code == 201, answer.text
    created: dict[str, Any] = answer.json()
    return created


async def say(api: Api, staff: str, incident: dict[str, Any], status: str, **fields: Any) -> Any:
    data = {"status": status, "body": "News."} | fields
    return await api.post(f"/status/admin/incidents/{incident['id']}/updates", json=data, key=staff)


async def status_of(api: Api, part: dict[str, Any]) -> str:
    listed = (await api.get("/status/components")).json()["data"]
    return str(next(row["status"] for row in listed if row["id"] == part["id"]))


@pytest.mark.parametrize(("kind", "old", "new"), MOVES)
async def test_each_status_leads_where_the_table_says(
    api: Api, staff: str, kind: IncidentKind, old: str, new: str
) -> None:
    """Open states in any order, an end from each of them, and back from an end, but from no end to the same."""
    times = {"scheduledFor": NEXT_WEEK, "scheduledUntil": LATER} if kind == "maintenance" else {}
    incident = await declare(api, staff, kind=kind, status=old, notify=False, **times)
    answer = await say(api, staff, incident, new, notify=False)

    if old in ENDS and new in ENDS:
        assert (answer.status_code, answer.json()["code"]) == (409, "invalid_state")
        return
    assert answer.status_code == 201, answer.text
    changed = answer.json()
    assert (changed["status"], changed["updates"][0]["status"]) == (new, new)
    assert (changed["resolvedAt"] is not None) == (new in ENDS)
    where = "recent" if new in ENDS else "active"
    listed = (await api.get(f"/status/incidents/{where}", params={"limit": "100"})).json()["data"]
    assert incident["id"] in [row["id"] for row in listed]
    if new not in ENDS:
        assert (await say(api, staff, incident, STATUSES_OF[kind][-1], notify=False)).status_code == 201


@pytest.mark.parametrize(("kind", "status"), [("incident", "scheduled"), ("maintenance", "resolved")])
async def test_a_status_of_the_other_kind_is_refused(api: Api, staff: str, kind: IncidentKind, status: str) -> None:
    incident = await declare(api, staff, kind=kind, status="identified" if kind == "incident" else "in_progress")
    answer = await say(api, staff, incident, status)

    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "/status")
    assert answer.json()["errors"][0]["params"]["allowed"] == list(STATUSES_OF[kind])
    await say(api, staff, incident, STATUSES_OF[kind][-1])


async def test_an_incident_that_ended_a_day_ago_stays_ended(api: Api, staff: str, database: Database) -> None:
    incident = await declare(api, staff, status="resolved")
    async with database.transaction() as db:
        await db.execute(
            "update status_incident set ended_at = now() - interval '24 hours 1 second' where id = $1",
            ids.decode("inc", incident["id"]),
        )
    answer = await say(api, staff, incident, "monitoring")

    assert (answer.status_code, answer.json()["code"]) == (409, "invalid_state")


async def test_components_have_the_worst_of_their_incidents_until_the_last_one_ends(api: Api, staff: str) -> None:
    one, other = await component(api, staff), await component(api, staff)
    outage = await declare(api, staff, one, other, impact="critical")
    work = await declare(api, staff, one, kind="maintenance", status="in_progress", impact="none")
    assert [await status_of(api, part) for part in (one, other)] == ["major_outage", "major_outage"]

    await say(api, staff, outage, "monitoring", impact="minor")
    assert [await status_of(api, part) for part in (one, other)] == ["degraded_performance", "degraded_performance"]
    await say(api, staff, outage, "resolved")
    assert [await status_of(api, part) for part in (one, other)] == ["under_maintenance", "operational"]
    await say(api, staff, work, "completed")
    assert await status_of(api, one) == "operational"
    await say(api, staff, outage, "investigating")
    assert [await status_of(api, part) for part in (one, other)] == ["degraded_performance", "degraded_performance"]
    await say(api, staff, outage, "resolved")


async def test_maintenance_begins_by_itself_and_its_components_are_told_apart(
    api: Api, staff: str, database: Database
) -> None:
    """Two windows that overlap do no harm: the component is under maintenance until the second one ends."""
    part = await component(api, staff)
    times = {"kind": "maintenance", "impact": "none", "scheduledFor": NEXT_WEEK, "scheduledUntil": LATER}
    windows = [await declare(api, staff, part, **times) for _ in range(2)]
    assert await status_of(api, part) == "operational"
    async with database.transaction() as db:
        chosen = [ids.decode("inc", window["id"]) for window in windows]
        await db.execute("update status_incident set scheduled_for = now() where id = any($1)", chosen)
        assert await incidents.begin_maintenance(db) == 2
        assert await incidents.begin_maintenance(db) == 0
    assert await status_of(api, part) == "under_maintenance"
    active = {row["id"]: row for row in (await api.get("/status/incidents/active")).json()["data"]}
    assert {active[window["id"]]["updates"][0]["author"] for window in windows} == {"Signalpost"}

    await say(api, staff, windows[0], "completed")
    assert await status_of(api, part) == "under_maintenance"
    await say(api, staff, windows[1], "completed")
    assert await status_of(api, part) == "operational"


UNKNOWN = ids.encode("cmp", ids.new_id())


@pytest.mark.parametrize(
    ("changed", "path", "code"),
    [
        ({"componentIds": [UNKNOWN]}, "/componentIds/0", "not_found"),
        ({"title": "Down\r\nBcc: all@example.test"}, "/title", "format"),
        ({"title": "   "}, "/title", "format"),
        ({"body": " \n"}, "/body", "format"),
        ({"status": "completed"}, "/status", "not_allowed"),
        ({"scheduledFor": NEXT_WEEK}, "/scheduledFor", "not_allowed"),
        ({"kind": "maintenance"}, "/scheduledFor", "required"),
        (
            {"kind": "maintenance", "scheduledFor": LATER, "scheduledUntil": NEXT_WEEK},
            "/scheduledUntil",
            "out_of_range",
        ),
    ],
)
async def test_what_makes_no_sense_is_refused_by_its_place(
    api: Api, staff: str, changed: dict[str, Any], path: str, code: str
) -> None:
    data = {"title": "Slow", "body": "We look into it.", "impact": "none", "componentIds": []} | changed
    answer = await api.post("/status/admin/incidents", json=data, key=staff)

    assert answer.status_code == 422, answer.text
    assert (path, code) in [(issue["path"], issue["code"]) for issue in answer.json()["errors"]]


async def test_no_address_of_a_member_is_shown_in_public(api: Api, staff: str, make: Make) -> None:
    """People without a name are shown as staff, not by the address that stands for it elsewhere."""
    nameless = await make.owner()
    async with make.context.database.transaction() as db:
        await db.execute("update app_user set is_staff = true where id = $1", nameless.user_id)
    login = await make.login(nameless.user_id, nameless.workspace_id, nameless.email, scopes=["instance:admin"])
    incident = await declare(api, login.key, status="resolved")

    assert incident["updates"][0]["author"] == "Staff"
    assert nameless.email not in str(incident)


async def test_a_component_is_created_changed_and_set_by_key_or_id(api: Api, staff: str) -> None:
    part = await component(api, staff)
    changed = await api.post(
        "/status/admin/components", json={"id": part["id"], "description": "New", "order": 3}, key=staff
    )
    assert changed.json() | {"updatedAt": ""} == part | {"description": "New", "order": 3, "updatedAt": ""}
    for name in (part["id"], part["key"]):
        answer = await api.patch(
            f"/status/admin/components/{name}/status", json={"status": "partial_outage"}, key=staff
        )
        assert (answer.status_code, answer.json()["status"]) == (200, "partial_outage")
    taken = await api.post("/status/admin/components", json={"id": part["id"], "key": "api"}, key=staff)
    assert (taken.status_code, taken.json()["code"]) == (409, "already_exists")
    missing = await api.patch("/status/admin/components/nothing/status", json={"status": "operational"}, key=staff)
    assert missing.status_code == 404
    nameless = await api.post("/status/admin/components", json={"key": "nameless"}, key=staff)
    assert [issue["path"] for issue in nameless.json()["errors"]] == ["/name"]
    unmeasured = await api.post("/status/admin/components", json={"id": part["id"], "automatic": True}, key=staff)
    assert unmeasured.json()["errors"][0]["path"] == "/automatic"
    await api.patch(f"/status/admin/components/{part['key']}/status", json={"status": "operational"}, key=staff)
