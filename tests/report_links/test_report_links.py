"""Links to reports: what members make and end, what their readers see and no more, and the mails of each month."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.contract import upload
from tests.helpers.factories import Login, Make
from tests.helpers.mail import Inbox, send_waiting, serving, text_of, with_smtp
from tests.helpers.measured_posts import Scene

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.plans import limits
from signalpost.report_links.actions import manage, read, remind

MARIA = "maria@customer.example"


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="bakery")
    return login


@pytest.fixture
def scene(make: Make, database: Database, owner: Login) -> Scene:
    return Scene(make, database, owner)


async def link(api: Api, login: Login, *, key: str | None = None, **fields: Any) -> tuple[dict[str, Any], str]:
    """A new link, and the path of what it shows."""
    body = {"profileId": login.profile} | fields
    answer = await api.post("/report-links", json=body, key=key or login.key)
    assert answer.status_code == 201, answer.text
    created = answer.json()
    return created, "/reports/" + created["url"].rpartition("/")[2]


async def listed(api: Api, login: Login, **query: str) -> list[Any]:
    found: list[Any] = (await api.get("/report-links", params=query, key=login.key)).json()["data"]
    return found


async def report(api: Api, path: str, month: str | None = None) -> dict[str, Any]:
    answer = await api.get(path, params={"month": month} if month else {})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def last_month(day: int = 15, hour: int = 12) -> datetime:
    """A time of the month that is over."""
    first = clock.now().astimezone(UTC).replace(day=1, hour=hour, minute=0, second=0, microsecond=0)
    return (first - timedelta(days=1)).replace(day=day)


async def due(database: Database, created: dict[str, Any]) -> None:
    """Let the mail of a link be due."""
    past = "update report_link set next_mail_at = now() - interval '1 minute' where id = $1"
    await database.pool.execute(past, ids.decode("rlk", created["id"]))


async def mailed(context: AppContext, database: Database, to: str = MARIA) -> list[Any]:
    """Do what the job does, then what the outbox does; return what arrived."""
    inbox = Inbox()
    async with serving(inbox) as address:
        with_mail = with_smtp(context, address)
        async with database.transaction() as db:
            await remind.rest_deleted(db)
            while await remind.mail_next(with_mail, db):
                pass
        await send_waiting(with_mail, to)
    return [message for message in inbox.messages if message["To"] == to]


# --- what is shown ----------------------------------------------------------------------------------------------------


async def test_a_month_is_shown_with_its_numbers_and_what_is_unknown(api: Api, make: Make, scene: Scene) -> None:
    owner = scene.owner
    await api.patch(f"/profiles/{owner.profile}", json={"color": "#1f6feb"}, key=owner.key)
    await scene.published(last_month(3), views=1_200, likes=10, comments=0)
    await scene.published(last_month(20), likes=4)
    await scene.published(clock.now(), views=7)
    _, path = await link(api, owner, language="de")

    found = await report(api, path)

    assert found["month"] == f"{last_month():%Y-%m}"
    assert (found["isOver"], found["language"], found["branding"]["color"]) == (True, "de", "#1f6feb")
    assert (len(found["months"]), found["months"][1]) == (13, found["month"])
    overview = found["overview"]
    assert (overview["totalPosts"], overview["totalViews"], overview["totalSaves"]) == (2, 1_200, None)
    assert [post["views"] for post in found["posts"]] == [1_200, None], "in the order of time; null is not 0"
    assert {post["username"] for post in found["posts"]} == {"bakery"}
    assert [post["views"] for post in found["mostSeen"]] == [1_200, None]
    assert (found["mostSeen"][0]["pictureUrl"], found["hasMore"], found["followers"]) == (None, False, [])

    present = await report(api, path, found["months"][0])
    assert (present["isOver"], present["overview"]["totalPosts"]) == (False, 1)
    assert (await report(api, path, found["months"][12]))["posts"] == []


async def test_followers_are_those_at_the_end_of_the_month(api: Api, scene: Scene, database: Database) -> None:
    accounts = await api.get("/platforms/accounts", key=scene.owner.key)
    [account] = accounts.json()["data"]
    count = "insert into metric_followers (account_id, workspace_id, day, followers, collected_at) values"
    for at, followers in ((last_month(2), 100), (last_month(26), 130), (clock.now(), 500)):
        await database.pool.execute(
            f"{count} ($1, $2, $3, $4, $5)",
            ids.decode("acc", account["id"]), scene.owner.workspace_id, at.date(), followers, at,
        )  # fmt: skip
    _, path = await link(api, scene.owner)
    assert (await report(api, path))["followers"] == [
        {"platform": "sandbox", "username": "bakery", "followers": 130, "change": 30}
    ]


async def test_what_was_seen_most_has_its_picture(api: Api, scene: Scene) -> None:
    content = {"text": "Rolls", "media": [{"mediaId": await upload(api, scene.owner)}]}
    await scene.published(last_month(), views=3, content=content)
    without, _ = await scene.published(last_month(), views=9)
    _, path = await link(api, scene.owner)
    [first, second] = (await report(api, path))["mostSeen"]
    assert (first["pictureUrl"], second["text"]) == (None, "Rolls")
    shown = await api.get(second["pictureUrl"].partition("/api/v1")[2])
    assert (shown.status_code, shown.headers["content-type"].partition("/")[0]) == (200, "image")
    assert without not in str(first)


async def test_other_clients_and_other_months_stay_away(api: Api, make: Make, scene: Scene) -> None:
    other = await make.profile(scene.owner)
    await make.account(scene.owner, profile=other["id"], username="florist")
    await make.post(scene.owner, profileId=other["id"], text="Tulips", publishMode="draft")
    await scene.published(last_month(), views=1)
    _, path = await link(api, scene.owner)
    found = await report(api, path)
    assert "Tulips" not in str(found)
    assert "florist" not in str(found)
    assert found["overview"]["totalPosts"] == 1
    assert "workspaceId" not in str(found)


@pytest.mark.parametrize("month", ["2019-01", "2199-01"])
async def test_a_month_that_cannot_be_chosen_is_refused(api: Api, owner: Login, month: str) -> None:
    _, path = await link(api, owner)
    answer = await api.get(path, params={"month": month})
    assert answer.status_code == 422
    assert [(issue["path"], issue["code"]) for issue in answer.json()["errors"]] == [("month", "out_of_range")]


async def test_days_that_the_plan_does_not_show_are_not_shown(
    api: Api, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(limits.ANALYTICS_DAYS.by_plan, limits.SELF_HOSTED, clock.now().day)
    await scene.published(last_month(), views=1)
    _, path = await link(api, scene.owner)
    found = await report(api, path)
    assert found["months"] == [f"{clock.now():%Y-%m}"]
    assert (found["posts"], found["overview"]["totalPosts"]) == ([], 0)


# --- who makes and ends them ------------------------------------------------------------------------------------------


async def test_the_token_is_stored_as_a_hash_and_sealed_only_for_mails(
    api: Api, owner: Login, database: Database
) -> None:
    created, path = await link(api, owner)
    for_maria, _ = await link(api, owner, email=MARIA)
    assert [row["id"] for row in await listed(api, owner)] == [for_maria["id"], created["id"]]
    assert [row["url"] for row in await listed(api, owner)] == [None, None]
    row = await database.pool.fetchrow("select * from report_link where id = $1", ids.decode("rlk", created["id"]))
    assert path.rpartition("/")[2].encode() not in b"".join(bytes(v) for v in row.values() if isinstance(v, bytes))
    assert (row["sealed_token"], row["next_mail_at"]) == (None, None)
    assert for_maria["nextMailAt"] is not None


async def test_members_see_and_end_their_own_links_and_admins_all(api: Api, make: Make, owner: Login) -> None:
    editor, admin = await make.member(owner, role="editor"), await make.member(owner, role="admin")
    mine, path = await link(api, owner)
    theirs, their_path = await link(api, editor, profileId=owner.profile)
    assert [row["id"] for row in await listed(api, editor)] == [theirs["id"]]
    assert {row["id"] for row in await listed(api, admin)} == {mine["id"], theirs["id"]}
    assert (await api.delete(f"/report-links/{mine['id']}", key=editor.key)).status_code == 404
    assert (await api.delete(f"/report-links/{theirs['id']}", key=admin.key)).status_code == 204
    assert [(await api.get(each)).status_code for each in (path, their_path)] == [200, 404]


async def test_a_link_shows_what_its_maker_may_see_now(api: Api, make: Make, owner: Login) -> None:
    other = await make.profile(owner)
    editor = await make.member(owner, role="editor")
    _, path = await link(api, editor, profileId=owner.profile)
    [member] = [row for row in (await api.get("/team", key=owner.key)).json()["data"] if row["email"] == editor.email]
    await api.patch(f"/team/{member['id']}", json={"profileIds": [other["id"]]}, key=owner.key)
    answer = await api.get(path)
    assert (answer.status_code, answer.json()["code"]) == (410, "report_link_ended")
    assert (await api.delete(f"/team/{member['id']}", key=owner.key)).is_success
    assert (await api.get(path)).status_code == 404


async def test_a_link_of_a_deleted_profile_is_gone(api: Api, make: Make, owner: Login) -> None:
    profile = await make.profile(owner)
    _, path = await link(api, owner, profileId=profile["id"])
    assert (await api.delete(f"/profiles/{profile['id']}", key=owner.key)).is_success
    assert (await api.get(path)).status_code == 404
    assert await listed(api, owner) == []


async def test_what_a_link_needs(api: Api, make: Make, owner: Login, monkeypatch: pytest.MonkeyPatch) -> None:
    stranger = await make.owner()
    for fields, pointer in (({"profileId": stranger.profile}, "/profileId"), ({"email": "maria"}, "/email")):
        answer = await api.post("/report-links", json={"profileId": owner.profile} | fields, key=owner.key)
        assert answer.status_code == 422, answer.text
        assert [issue["path"] for issue in answer.json()["errors"]] == [pointer]
    monkeypatch.setattr(manage, "LINKS_MAX", 1)
    await link(api, owner)
    answer = await api.post("/report-links", json={"profileId": owner.profile}, key=owner.key)
    assert (answer.status_code, answer.json()["code"]) == (422, "too_many_items")


async def test_a_link_is_read_so_often_in_a_minute(api: Api, owner: Login, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "PER_LINK", 2)
    _, path = await link(api, owner)
    answers = [await api.get(path) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[2].headers["retry-after"]) > 0


# --- mails ------------------------------------------------------------------------------------------------------------


async def test_the_link_is_mailed_once_a_month_in_its_language(
    api: Api, scene: Scene, context: AppContext, database: Database
) -> None:
    await scene.published(last_month(), views=1_200)
    created, path = await link(api, scene.owner, email=MARIA, language="de")
    await due(database, created)

    [message] = await mailed(context, database)

    profile = (await api.get(f"/profiles/{scene.owner.profile}", key=scene.owner.key)).json()
    text = text_of(message)
    assert message["Subject"].startswith(f"{profile['name']}: Ihr Bericht für ")
    assert f"{path}?month={last_month():%Y-%m}" in text
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    [row] = await listed(api, scene.owner)
    assert datetime.fromisoformat(row["nextMailAt"]) > clock.now()
    assert await mailed(context, database) == []


async def test_a_month_without_posts_is_not_mailed(
    api: Api, owner: Login, context: AppContext, database: Database
) -> None:
    created, _ = await link(api, owner, email=MARIA)
    await due(database, created)
    assert await mailed(context, database) == []
    [row] = await listed(api, owner)
    assert datetime.fromisoformat(row["nextMailAt"]) > clock.now()


async def test_nobody_is_mailed_what_its_maker_may_not_see_any_more(
    api: Api, make: Make, scene: Scene, context: AppContext, database: Database
) -> None:
    owner = scene.owner
    await scene.published(last_month(), views=1)
    other = await make.profile(owner)
    editor = await make.member(owner, role="editor")
    created, _ = await link(api, editor, profileId=owner.profile, email=MARIA)
    [member] = [row for row in (await api.get("/team", key=owner.key)).json()["data"] if row["email"] == editor.email]
    await api.patch(f"/team/{member['id']}", json={"profileIds": [other["id"]]}, key=owner.key)
    await due(database, created)
    assert await mailed(context, database) == []


async def test_mails_that_a_mailbox_has_no_place_for_wait_an_hour(
    api: Api, scene: Scene, context: AppContext, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.published(last_month(), views=1)
    monkeypatch.setattr("signalpost.mail.actions.PER_STRANGER", 1)
    to = f"maria@{scene.owner.workspace_id}.example"
    for _ in range(2):
        created, _ = await link(api, scene.owner, email=to)
        await due(database, created)
    before = clock.actual()
    assert len(await mailed(context, database, to)) == 1
    waiting = [datetime.fromisoformat(row["nextMailAt"]) - before for row in await listed(api, scene.owner)]
    assert sorted(wait < timedelta(hours=2) for wait in waiting) == [False, True]


async def test_a_link_of_a_deleted_profile_is_never_due_again(
    api: Api, make: Make, owner: Login, context: AppContext, database: Database
) -> None:
    profile = await make.profile(owner)
    created, _ = await link(api, owner, profileId=profile["id"], email=MARIA)
    assert (await api.delete(f"/profiles/{profile['id']}", key=owner.key)).is_success
    await due(database, created)
    assert await mailed(context, database) == []
    left = "select next_mail_at from report_link where id = $1"
    assert await database.pool.fetchval(left, ids.decode("rlk", created["id"])) is None


async def test_a_token_that_cannot_be_opened_holds_up_no_other_link(
    api: Api, scene: Scene, context: AppContext, database: Database
) -> None:
    await scene.published(last_month(), views=1)
    lost, _ = await link(api, scene.owner, email=MARIA)
    await due(database, lost)
    spoil = "update report_link set sealed_token = '\\x0102' where id = $1"
    await database.pool.execute(spoil, ids.decode("rlk", lost["id"]))
    created, path = await link(api, scene.owner, email=MARIA)
    await due(database, created)
    [message] = await mailed(context, database)
    assert path in text_of(message)


async def test_two_processes_mail_a_link_once(api: Api, scene: Scene, context: AppContext, database: Database) -> None:
    await scene.published(last_month(), views=1)
    created, _ = await link(api, scene.owner, email=MARIA)
    await due(database, created)
    async with database.transaction() as one, database.transaction() as two:
        await asyncio.gather(remind.mail_next(context, one), remind.mail_next(context, two))
    count = "select count(*) from job where workspace_id = $1 and payload ->> 'template' = 'report_ready'"
    assert await database.pool.fetchval(count, scene.owner.workspace_id) == 1


async def test_its_reader_ends_the_mails_and_keeps_the_link(
    api: Api, scene: Scene, context: AppContext, database: Database
) -> None:
    created, path = await link(api, scene.owner, email=MARIA)
    token = path.rpartition("/")[2]
    assert await read.unsubscribe(context, token) == await read.unsubscribe(context, token)
    [row] = await listed(api, scene.owner)
    assert (row["id"], row["email"], row["nextMailAt"]) == (created["id"], None, None)
    assert (await api.get(path)).status_code == 200
