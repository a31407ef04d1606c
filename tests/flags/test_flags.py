"""Feature flags: what staff set, for whom it counts, and how soon."""

from collections.abc import AsyncIterator
from typing import get_args
from uuid import UUID

import pytest
from openfeature import api as openfeature
from openfeature.evaluation_context import EvaluationContext
from openfeature.exception import ErrorCode
from openfeature.flag_evaluation import Reason
from tests.helpers import webhooks
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.webhooks import receiver_server, register

from signalpost.context import AppContext
from signalpost.flags import evaluation, registry
from signalpost.flags.cache import CACHE_SECONDS, FlagCache, is_enabled
from signalpost.flags.evaluation import FlagRules, FlagState, Subject
from signalpost.flags.openfeature import SignalpostProvider
from signalpost.flags.schemas import PlanName
from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.main.app import open_context
from signalpost.plans.limits import PLANS
from signalpost.settings import Settings

BETA = registry.CONSOLE_BETA
PATH = f"/admin/feature-flags/{BETA.key}"


@pytest.fixture
async def staff(make: Make) -> Login:
    return await make.staff()


@pytest.fixture(autouse=True)
async def as_declared(database: Database, context: AppContext) -> AsyncIterator[None]:
    """These tests begin with the flags as they are declared, and leave them so: others change them too."""

    async def reset() -> None:
        async with database.connection() as db:
            await db.execute("delete from feature_flag")
        expire(context)

    await reset()
    yield
    await reset()


def expire(context: AppContext) -> None:
    context.states.pop(FlagCache, None)


async def patch(api: Api, staff: Login, key: str = BETA.key, **fields: object) -> None:
    answer = await api.patch(f"/admin/feature-flags/{key}", json=fields, key=staff.key)
    assert answer.status_code == 200, answer.text


async def test_a_flag_that_nobody_changed_is_as_declared(api: Api, staff: Login) -> None:
    listed = (await api.get("/admin/feature-flags", key=staff.key)).json()

    assert [flag["key"] for flag in listed["data"]] == list(registry.FLAGS)
    assert (await api.get(PATH, key=staff.key)).json() == listed["data"][-1]
    assert listed["data"][-1] == {
        "key": "console.beta", "name": BETA.name, "description": BETA.description, "enabled": False,
        "rolloutPercent": 100, "rules": {"plans": [], "workspaceIds": [], "userIds": []}, "defaultValue": False,
        "updatedBy": None, "updatedAt": None,
    }  # fmt: skip


async def test_a_patch_changes_what_it_names_and_says_who_did_it(api: Api, staff: Login, database: Database) -> None:
    workspace = ids.encode("wsp", staff.workspace_id)
    await patch(api, staff, rolloutPercent=0, rules={"workspaceIds": [workspace, workspace]}, description="A pilot.")

    answer = await api.patch(PATH, json={"rules": {"plans": ["max"]}, "description": None}, key=staff.key)

    flag = answer.json()
    assert (flag["enabled"], flag["rolloutPercent"], flag["description"]) == (False, 0, BETA.description)
    assert flag["rules"] == {"plans": ["max"], "workspaceIds": [workspace], "userIds": []}
    assert (flag["updatedBy"]["type"], flag["updatedAt"][-1]) == ("api_key", "Z")
    async with database.connection() as db:
        entries = await db.fetch(
            "select workspace_id, action, changes::text from audit where subject = $1 and actor ->> 'id' = $2"
            " order by id",
            BETA.key, flag["updatedBy"]["id"],
        )  # fmt: skip
    assert [entry["action"] for entry in entries] == ["update_feature_flag"] * 2
    assert {entry["workspace_id"] for entry in entries} == {UUID(int=0)}, "it is the history of the installation"
    assert "A pilot." in entries[0]["changes"]


async def test_an_unknown_flag_is_not_found_and_nothing_is_stored(api: Api, staff: Login, database: Database) -> None:
    for call in (api.get, api.patch):
        options = {"json": {"enabled": True}} if call == api.patch else {}
        answer = await call("/admin/feature-flags/no.such.flag", key=staff.key, **options)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    async with database.connection() as db:
        assert await db.fetchval("select count(*) from feature_flag") == 0


async def test_a_test_key_of_staff_changes_nothing(api: Api, staff: Login) -> None:
    answer = await api.patch(PATH, json={"enabled": True}, key=staff.test_key)

    assert (answer.status_code, answer.json()["code"]) == (403, "insufficient_scope")


WORKSPACE, USER = UUID(int=7), UUID(int=8)


@pytest.mark.parametrize(
    ("state", "plan", "user", "on"),
    [
        ({"enabled": True}, None, None, True),
        ({"enabled": False}, None, None, False),
        ({"enabled": True, "rollout_percent": 0}, "max", USER, False),
        ({"enabled": True, "rollout_percent": 0, "rules": FlagRules(plans=["max"])}, "max", None, True),
        ({"enabled": True, "rollout_percent": 0, "rules": FlagRules(plans=["max"])}, "pro", None, False),
        ({"enabled": True, "rollout_percent": 0, "rules": FlagRules(plans=["max"])}, None, None, False),
        ({"enabled": True, "rollout_percent": 0, "rules": FlagRules(workspace_ids=[WORKSPACE])}, None, None, True),
        ({"enabled": True, "rollout_percent": 0, "rules": FlagRules(user_ids=[USER])}, None, USER, True),
        ({"enabled": True, "rollout_percent": 0, "rules": FlagRules(user_ids=[USER])}, None, None, False),
        ({"enabled": False, "rules": FlagRules(workspace_ids=[WORKSPACE])}, None, None, False),
    ],
)
def test_rules_add_to_the_rollout_and_disabled_is_off(
    state: dict, plan: str | None, user: UUID | None, on: bool
) -> None:
    subject = Subject(workspace_id=WORKSPACE, plan=plan, user_id=user)

    assert evaluation.is_on(FlagState(key="some.flag", **state), subject) is on


def test_a_rollout_reaches_its_share_and_keeps_those_it_reached() -> None:
    workspaces = [ids.new_id() for _ in range(2_000)]

    def reached(percent: int, key: str = "some.flag") -> set[UUID]:
        state = FlagState(key=key, enabled=True, rollout_percent=percent)
        return {workspace for workspace in workspaces if evaluation.is_on(state, Subject(workspace_id=workspace))}

    tenth, half = reached(10), reached(50)
    assert 120 < len(tenth) < 290
    assert 850 < len(half) < 1_150
    assert tenth < half < reached(100) == set(workspaces)
    assert reached(10, "other.flag") != tenth, "each flag has buckets of its own"


def test_a_bucket_is_documented_and_stays() -> None:
    """Others may compute it: sha256 of key and workspace id, the first eight bytes, modulo 100."""
    assert evaluation.bucket("console.beta", UUID(int=1)) == 80
    assert get_args(PlanName) == PLANS, "rules can name every plan"


async def test_clients_see_public_flags_as_they_are_for_them(
    api: Api, make: Make, staff: Login, context: AppContext
) -> None:
    mine, other = await make.owner(), await make.owner()
    await patch(api, staff, enabled=True, rolloutPercent=0, rules={"userIds": [ids.encode("usr", mine.user_id)]})
    expire(context)

    values = [(await api.get("/feature-flags", key=login.key)).json() for login in (mine, other)]

    assert values == [{"flags": {"console.beta": True}}, {"flags": {"console.beta": False}}]


async def test_other_processes_follow_within_seconds(
    api: Api, staff: Login, settings: Settings, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then they ask the database nothing."""
    async with open_context(settings, dsn) as other:
        now = 1_000.0
        monkeypatch.setattr("signalpost.kit.clock.monotonic", lambda: now)
        assert not await is_enabled(other, BETA, workspace_id=staff.workspace_id)
        await patch(api, staff, enabled=True)

        now += CACHE_SECONDS - 0.1
        assert not await is_enabled(other, BETA, workspace_id=staff.workspace_id)
        now += 0.1
        assert await is_enabled(other, BETA, workspace_id=staff.workspace_id)


async def test_work_in_the_background_knows_the_plan_of_a_rule(api: Api, staff: Login, context: AppContext) -> None:
    await patch(api, staff, enabled=True, rolloutPercent=0, rules={"plans": ["self_hosted"]})
    expire(context)

    assert await is_enabled(context, BETA, workspace_id=staff.workspace_id)


async def test_deliveries_leave_out_the_standard_headers_where_they_are_switched_off(
    api: Api, make: Make, staff: Login, context: AppContext, database: Database
) -> None:
    owner = await make.owner()
    await patch(api, staff, registry.STANDARD_WEBHOOK_HEADERS.key, enabled=False)
    expire(context)
    async with receiver_server() as receiver, webhooks.delivery_worker(context):
        await register(api, owner, receiver.url)
        await webhooks.emit(database, webhooks.post_published(owner))
        (request,) = await receiver.wait(1)

    assert "x-service-signature" in request.headers
    assert not [name for name in request.headers if name.startswith("webhook-")]


# --- OpenFeature ----------------------------------------------------------------------------------------------------


async def test_the_openfeature_sdk_asks_our_provider(api: Api, staff: Login, context: AppContext) -> None:
    """Also a value before anything was read, an unknown flag, another type and a missing workspace: the default."""
    expire(context)
    provider = SignalpostProvider(context)
    openfeature.set_provider(provider)
    client = openfeature.get_client()
    mine = EvaluationContext(ids.encode("wsp", staff.workspace_id), {"plan": "max"})
    early = client.get_boolean_details(BETA.key, True, mine)
    await patch(api, staff, enabled=True, rolloutPercent=0, rules={"plans": ["max"]})

    on = await client.get_boolean_details_async(BETA.key, False, mine)
    off = client.get_boolean_details(BETA.key, True, EvaluationContext(mine.targeting_key, {"plan": "pro"}))
    errors = [
        client.get_boolean_details("no.such.flag", True, mine),
        client.get_string_details(BETA.key, "blue", mine),
        client.get_boolean_details(BETA.key, True, EvaluationContext("somewhere")),
    ]

    assert (early.value, early.error_code) == (True, ErrorCode.PROVIDER_NOT_READY)
    assert (on.value, on.reason, off.value) == (True, Reason.TARGETING_MATCH, False)
    assert [(details.value, details.error_code) for details in errors] == [
        (True, ErrorCode.FLAG_NOT_FOUND),
        ("blue", ErrorCode.TYPE_MISMATCH),
        (True, ErrorCode.TARGETING_KEY_MISSING),
    ]
