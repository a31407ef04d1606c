"""What plans cost, what a workspace has, and what people say about it."""

import asyncio

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.billing.actions.feedback import PER_DAY
from signalpost.context import AppContext
from signalpost.identity.actions import sign_in
from signalpost.kit.db import Database
from signalpost.plans import actions as plans

PRICES = {"free": (0, 0), "starter": (900, 9_000), "pro": (2_900, 29_000), "max": (7_900, 79_000)}


async def test_plans_have_the_prices_and_limits_of_the_contract(shop: Api) -> None:
    found = (await shop.get("/billing/plans")).json()
    plans = {plan["key"]: plan for plan in found["data"]}

    assert (found["billingEnabled"], found["currency"], list(plans)) == (True, "usd", list(PRICES))
    for key, (month, year) in PRICES.items():
        assert plans[key]["priceMonthly"] == {"amount": month, "currency": "usd"}
        assert plans[key]["priceYearly"] == {"amount": year, "currency": "usd"}
    assert [key for key, plan in plans.items() if plan["recommended"]] == ["pro"]
    assert [plan["limits"]["webhooks"] for plan in plans.values()] == [0, 0, 3, None]
    assert [plan["limits"]["approvals"] for plan in plans.values()] == [False, False, True, True]
    assert plans["free"]["features"] == []
    assert len(plans["max"]["features"]) == 5


async def test_where_billing_is_off_there_is_one_plan(api: Api, make: Make) -> None:
    owner = await make.owner(plan="free")
    found = (await api.get("/billing/plans")).json()
    status = (await api.get("/billing/status", key=owner.key)).json()

    assert found["billingEnabled"] is False
    assert [(plan["key"], plan["current"]) for plan in found["data"]] == [("self_hosted", True)]
    assert (status["plan"], status["status"], status["limits"]["posts"]) == ("self_hosted", "none", None)


async def test_the_status_shows_the_plan_and_its_usage(shop: Api, make: Make) -> None:
    owner = await make.owner(plan="pro")
    await make.account(owner)
    await make.post(owner)
    status = (await shop.get("/billing/status", key=owner.key)).json()

    assert (status["plan"], status["status"], status["cancelAtPeriodEnd"]) == ("pro", "none", False)
    assert (status["usage"]["posts"], status["limits"]["posts"]) == (1, 2_000)


async def test_feedback_is_kept_and_bounded(api: Api, make: Make, database: Database) -> None:
    """It belongs to the workspace, and nobody fills the table."""
    owner = await make.owner()
    data = {"reason": "missing_feature", "stage": "cancel", "comment": "<b>A calendar</b>", "rating": 2}
    codes = [(await api.post("/billing/feedback", json=data, key=owner.key)).status_code for _ in range(PER_DAY + 1)]
    async with database.connection() as db:
        rows = await db.fetch(
            "select plan, reason, stage, comment, rating from billing_feedback where workspace_id = $1",
            owner.workspace_id,
        )

    assert codes == [204] * PER_DAY + [429]
    assert {tuple(row) for row in rows} == {("self_hosted", "missing_feature", "cancel", "<b>A calendar</b>", 2)}


@pytest.mark.parametrize(
    ("changed", "path"), [({"reason": "bored"}, "/reason"), ({"rating": 6}, "/rating"), ({"stage": None}, "/stage")]
)
async def test_feedback_that_makes_no_sense_is_refused(
    api: Api, make: Make, changed: dict[str, object], path: str
) -> None:
    owner = await make.owner()
    data = {"reason": "other", "stage": "general"} | changed
    answer = await api.post("/billing/feedback", json=data, key=owner.key)

    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, path)


async def test_the_plan_of_a_signed_in_reader_is_marked(shop: Api, make: Make) -> None:
    """By any credential; without one, or with one that is not valid, none is."""
    owner = await make.owner(plan="pro")

    async def current(**options: str) -> list[str]:
        answer = await shop.get("/billing/plans", **options)
        assert answer.status_code == 200
        return [plan["key"] for plan in answer.json()["data"] if plan["current"]]

    assert [await current(key=owner.key), await current(), await current(key="sp_live_wrong")] == [["pro"], [], []]


async def session(make: Make, login: Login) -> str:
    async with make.context.database.transaction() as db:
        opened = await sign_in.open_session(
            db, make.context.keys, login.user_id, login.workspace_id, "owner", "192.0.2.1"
        )
    return opened.access_token


async def test_one_user_owns_three_free_workspaces(shop: Api, make: Make, sold: AppContext) -> None:
    """Also of requests at once, and by a transfer; what is paid does not count."""
    owner, other = await make.owner(plan="free"), await make.owner(plan="pro")
    tokens = [await session(make, each) for each in (owner, other)]
    answers = await asyncio.gather(
        *(shop.post("/workspaces", json={"name": f"More {n}"}, key=tokens[0]) for n in range(5))
    )
    refused = next(answer for answer in answers if answer.status_code != 201)
    successor = (await shop.post("/team/invite", json={"email": owner.email, "role": "admin"}, key=tokens[1])).json()
    await shop.post(f"/team/invites/{successor['inviteUrl'].rpartition('/')[2]}/accept", json={}, key=tokens[0])
    async with sold.database.transaction() as db:
        await plans.change_plan(sold, db, other.workspace_id, "free")
    given = await shop.post("/team/transfer", json={"memberId": successor["id"]}, key=tokens[1])
    async with sold.database.transaction() as db:
        await plans.change_plan(sold, db, owner.workspace_id, "starter")
    after = await shop.post("/workspaces", json={"name": "After"}, key=tokens[0])

    assert sorted(answer.status_code for answer in answers) == [201, 201, 402, 402, 402]
    assert (refused.json()["code"], refused.json()["limit"]) == ("free_workspaces_reached", 3)
    assert (given.status_code, given.json()["code"]) == (402, "free_workspaces_reached")
    assert after.status_code == 201
