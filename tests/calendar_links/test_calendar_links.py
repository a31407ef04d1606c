"""Calendar links: what members make and end, and what a calendar program reads by one and no more."""

from datetime import datetime, timedelta
from typing import Any, get_args

import pytest
from httpx import Response
from icalendar import Calendar, Event
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.queue import process_until

from signalpost.calendar_links import events as written
from signalpost.calendar_links.actions import manage, read
from signalpost.calendar_links.schemas import LANGUAGES
from signalpost.console import texts
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.posts.documents import ApprovalState
from signalpost.posts.states import POST_STATUSES


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="bakery")
    return login


async def link(api: Api, login: Login, *, key: str | None = None, **fields: Any) -> tuple[dict[str, Any], str]:
    """A new link, and the path of its file."""
    answer = await api.post("/calendar-links", json={"name": "Plan"} | fields, key=key or login.key)
    assert answer.status_code == 201, answer.text
    created = answer.json()
    return created, path_of(created)


def path_of(created: dict[str, Any]) -> str:
    return "/calendar/" + str(created["url"]).rpartition("/")[2]


async def listed(api: Api, login: Login, **query: str) -> list[Any]:
    found: list[Any] = (await api.get("/calendar-links", params=query, key=login.key)).json()["data"]
    return found


async def calendar(api: Api, path: str) -> Calendar:
    answer = await api.get(path)
    assert answer.status_code == 200, answer.text
    return parsed(answer)


def parsed(answer: Response) -> Calendar:
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    read_calendar = Calendar.from_ical(answer.content)
    assert isinstance(read_calendar, Calendar)
    assert not read_calendar.errors
    return read_calendar


async def events(api: Api, path: str) -> dict[str, Event]:
    """The events of a link, by the ids of their posts."""
    return {event["UID"].removesuffix("@signalpost"): event for event in (await calendar(api, path)).events}


async def ended(make: Make, owner: Login, *posts: dict[str, Any]) -> None:
    """Publish these posts, or fail to."""

    async def is_over() -> bool:
        answers = [await make.api.get(f"/posts/{post['id']}", key=owner.key) for post in posts]
        return all(answer.json()["status"] in ("published", "failed") for answer in answers)

    await process_until(make.context, make.api, is_over)
    assert await is_over()


def at(days: float) -> str:
    return clock.wire(clock.now() + timedelta(days=days))


# --- what is shown ----------------------------------------------------------------------------------------------------


async def test_a_calendar_shows_when_posts_go_out(api: Api, make: Make, owner: Login) -> None:
    await api.patch(f"/profiles/{owner.profile}", json={"color": "#1f6feb"}, key=owner.key)
    post = await make.post(owner, text="Fresh rolls; from six,\nevery day", scheduledAt=at(2), tags=["spring", "a,b"])
    created, path = await link(api, owner, profileId=owner.profile, name="Bakery, Berlin")
    assert created["url"].startswith("http")

    found = await calendar(api, path)
    [event] = found.events

    for name in ("NAME", "X-WR-CALNAME"):  # of no type that the library knows
        assert found[name].to_ical() == rb"Bakery\, Berlin"
    assert found["X-APPLE-CALENDAR-COLOR"] == "#1f6feb"
    assert event["UID"] == f"{post['id']}@signalpost"
    assert event["SUMMARY"] == "Fresh rolls; from six, every day"
    planned = datetime.fromisoformat(post["scheduledAt"]).replace(microsecond=0)
    assert event["DTSTART"].dt == planned
    assert event["DTEND"].dt == planned + timedelta(minutes=15)
    assert [str(tag) for tag in event["CATEGORIES"].cats] == ["spring", "a,b"]
    assert (event["STATUS"], event["TRANSP"], event["SEQUENCE"]) == ("CONFIRMED", "TRANSPARENT", post["version"])
    assert event["LAST-MODIFIED"].dt == datetime.fromisoformat(post["updatedAt"]).replace(microsecond=0)
    state, account, text, url = event["DESCRIPTION"].split("\n\n")
    assert (state, account, text) == ("Scheduled", "Sandbox: bakery", "Fresh rolls; from six,\nevery day")
    assert url == event["URL"]
    assert url.endswith(f"/console/posts/{post['id']}")


async def test_states_are_said_in_the_language_of_the_link(api: Api, make: Make, owner: Login) -> None:
    draft = await make.post(owner, text="", title="Später", draft=True, scheduledAt=at(3))
    pending = await make.post(owner, text="Darf ich?", draft=True, scheduledAt=at(4))
    await api.post(f"/posts/{pending['id']}/request-approval", json={}, key=owner.key)
    failed = await make.post(owner, text="Nein [[fail:content_rejected]]")
    published = await make.post(owner, text="Gut " + "😀" * 200)
    await ended(make, owner, failed, published)
    trashed = await make.post(owner, text="Doch nicht", scheduledAt=at(5))
    await api.delete(f"/posts/{trashed['id']}", key=owner.key)

    _, path = await link(api, owner, language="de")
    found = await events(api, path)

    name = (await api.get(f"/profiles/{owner.profile}", key=owner.key)).json()["name"]
    assert {post_id: (event["STATUS"], event["SUMMARY"]) for post_id, event in found.items()} == {
        draft["id"]: ("TENTATIVE", f"Entwurf: {name}: Später"),
        pending["id"]: ("TENTATIVE", f"Freizugeben: {name}: Darf ich?"),
        failed["id"]: ("CONFIRMED", f"Fehlgeschlagen: {name}: Nein [[fail:content_rejected]]"),
        published["id"]: ("CONFIRMED", f"{name}: Gut {'😀' * 95}…"),
        trashed["id"]: ("CANCELLED", f"{name}: Doch nicht"),
    }
    assert found[published["id"]]["DESCRIPTION"].startswith("Veröffentlicht\n\nSandbox: bakery http")
    assert found[trashed["id"]]["DESCRIPTION"].startswith("Im Papierkorb\n\n")


def test_each_language_of_the_product_has_all_words() -> None:
    """Of every state that a post can be in, and of nothing else."""
    assert set(LANGUAGES) == texts.LANGUAGES.keys() == written.TEXTS.keys()
    approvals = set(get_args(ApprovalState)) - {"not_required", "approved"}
    for words in written.TEXTS.values():
        assert words.states.keys() == {*POST_STATUSES, *approvals, "cancelled"}
        assert words.marks.keys() == {"draft", *approvals, "partial", "failed"}


async def test_only_what_the_link_is_for(api: Api, make: Make, owner: Login) -> None:
    other = await make.profile(owner)
    account = await make.account(owner, profile=other["id"], username="shop")
    posts = {
        "plain": await make.post(owner, text="one", scheduledAt=at(1)),
        "tagged": await make.post(owner, text="two", scheduledAt=at(2), tags=["spring"]),
        "campaign": await make.post(owner, text="three", scheduledAt=at(3), campaign="Easter"),
        "draft": await make.post(owner, text="four", scheduledAt=at(4), draft=True),
        "other": await make.post(owner, text="five", scheduledAt=at(5), profileId=other["id"]),
        "far": await make.post(owner, text="six", scheduledAt=at(181)),
        "dateless": await make.post(owner, text="seven", draft=True),
        "test": await make.post(owner, key=owner.test_key, text="eight", scheduledAt=at(6)),
    }
    names = {post["id"]: name for name, post in posts.items()}
    for fields, expected in (
        ({}, {"plain", "tagged", "campaign", "draft", "other", "test"}),
        ({"profileId": owner.profile}, {"plain", "tagged", "campaign", "draft", "test"}),
        ({"accountId": account["id"]}, {"other"}),
        ({"tag": "spring"}, {"tagged"}),
        ({"campaign": "Easter"}, {"campaign"}),
        ({"statuses": ["draft"]}, {"draft"}),
        ({"statuses": ["scheduled", "draft"], "profileId": other["id"]}, {"other"}),
    ):
        _, path = await link(api, owner, **fields)
        assert {names[post_id] for post_id in await events(api, path)} == expected, fields
    _, path = await link(api, owner, key=owner.test_key)
    assert {names[post_id] for post_id in await events(api, path)} == {"test"}


async def test_of_too_many_posts_those_that_come_next_are_shown(
    api: Api, make: Make, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    posts = [await make.post(owner, text=f"no {days}", scheduledAt=at(days)) for days in (3, 1, 2)]
    await ended(make, owner, await make.post(owner, text="past"))
    _, path = await link(api, owner)
    assert len(await events(api, path)) == 4
    monkeypatch.setattr(read, "EVENTS_MAX", 2)
    assert set(await events(api, path)) == {posts[1]["id"], posts[2]["id"]}


async def test_what_has_not_changed_is_not_sent_again(api: Api, make: Make, owner: Login) -> None:
    post = await make.post(owner, text="Before", scheduledAt=at(1))
    _, path = await link(api, owner)
    first = await api.get(path)
    etag = {"If-None-Match": first.headers["etag"]}
    again = await api.get(path, headers=etag)
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])

    await api.patch(f"/posts/{post['id']}", json={"text": "After"}, key=owner.key)
    changed = await api.get(path, headers=etag)
    assert changed.status_code == 200
    [event] = parsed(changed).events
    assert event["SUMMARY"].endswith("After")
    assert event["SEQUENCE"] > parsed(first).events[0]["SEQUENCE"]
    assert "no-cache" in changed.headers["cache-control"]
    head = await api.call("HEAD", path)
    assert (head.status_code, head.content) == (200, b"")


async def test_notes_of_the_team_are_not_shown(api: Api, make: Make, owner: Login) -> None:
    await make.post(owner, text="Public", notes="Only for us", scheduledAt=at(1), firstComment="Later")
    _, path = await link(api, owner)
    body = (await api.get(path)).text
    assert "Public" in body
    assert "Only for us" not in body


# --- who makes, sees and ends one -------------------------------------------------------------------------------------


async def test_a_token_is_shown_once_and_stored_as_a_hash(api: Api, owner: Login, database: Database) -> None:
    created, path = await link(api, owner)
    token = path.removeprefix("/calendar/").removesuffix(".ics")
    assert len(token) >= 43
    row = await database.pool.fetchval(
        "select row_to_json(l)::text from calendar_link l where id = $1", ids.decode("cal", created["id"])
    )
    assert token not in row
    [found] = await listed(api, owner)
    assert found == created | {"url": None}
    await calendar(api, path)
    assert (await listed(api, owner))[0]["lastReadAt"] is not None


async def test_another_address_ends_the_one_before(api: Api, owner: Login) -> None:
    created, path = await link(api, owner)
    answer = await api.post(f"/calendar-links/{created['id']}/rotate", key=owner.key)
    assert answer.status_code == 200, answer.text
    rotated = answer.json()
    assert (await api.get(path)).status_code == 404
    await calendar(api, path_of(rotated))
    assert rotated["rotatedAt"] > created["rotatedAt"]


async def test_a_rotated_link_ends_with_the_key_that_knows_it(api: Api, owner: Login) -> None:
    """The one that made it does not know the address any more."""
    keys = [(await api.post("/api-keys", json={"name": name}, key=owner.key)).json() for name in ("maker", "rotator")]
    created, _ = await link(api, owner, key=keys[0]["key"])
    rotated = (await api.post(f"/calendar-links/{created['id']}/rotate", key=keys[1]["key"])).json()
    await api.delete(f"/api-keys/{keys[0]['id']}", key=owner.key)
    await calendar(api, path_of(rotated))
    await api.delete(f"/api-keys/{keys[1]['id']}", key=owner.key)
    assert (await api.get(path_of(rotated))).status_code == 404
    assert await listed(api, owner) == []


async def test_members_see_their_own_and_admins_those_of_everyone(api: Api, make: Make, owner: Login) -> None:
    admin, viewer = await make.member(owner, role="admin"), await make.member(owner, role="viewer")
    created, path = await link(api, viewer)
    await link(api, owner)
    assert [row["id"] for row in await listed(api, viewer)] == [created["id"]]
    assert len(await listed(api, admin)) == 2
    refused = await api.post(f"/calendar-links/{created['id']}/rotate", key=admin.key)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert (await api.delete(f"/calendar-links/{created['id']}", key=admin.key)).status_code == 204
    assert (await api.get(path)).status_code == 404


async def test_whoever_is_limited_to_a_client_sees_no_links_of_others(api: Api, make: Make, owner: Login) -> None:
    """A link shows what its maker saw when they made it, also if they see more later; and never more than now."""
    other = await make.profile(owner)
    await make.account(owner, profile=other["id"], username="shop")
    mine = await make.post(owner, text="mine", scheduledAt=at(1))
    theirs = await make.post(owner, text="theirs", scheduledAt=at(1), profileId=other["id"])
    limited = await make.member(owner, role="admin", profile_ids=[owner.profile])
    everything, _ = await link(api, owner)
    foreign, _ = await link(api, owner, profileId=other["id"])
    own, _ = await link(api, owner, profileId=owner.profile)
    made, path = await link(api, limited)

    assert [row["id"] for row in await listed(api, limited)] == [made["id"], own["id"]]
    assert {everything["id"], foreign["id"]} < {row["id"] for row in await listed(api, owner)}
    refused = await api.post("/calendar-links", json={"name": "x", "profileId": other["id"]}, key=limited.key)
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "/profileId")
    assert set(await events(api, path)) == {mine["id"]}

    [member] = [row for row in (await api.get("/team", key=owner.key)).json()["data"] if row["email"] == limited.email]
    await api.patch(f"/team/{member['id']}", json={"profileIds": None}, key=owner.key)
    assert set(await events(api, path)) == {mine["id"]}
    await api.patch(f"/team/{member['id']}", json={"profileIds": [other["id"]]}, key=owner.key)
    assert set(await events(api, path)) == set()
    assert theirs["id"] not in await events(api, path)


async def test_a_link_is_refused_while_its_maker_does_not_see_the_client(api: Api, make: Make, owner: Login) -> None:
    other = await make.profile(owner)
    maker = await make.member(owner, role="editor")
    _, path = await link(api, maker, profileId=owner.profile)
    [member] = [row for row in (await api.get("/team", key=owner.key)).json()["data"] if row["email"] == maker.email]
    await api.patch(f"/team/{member['id']}", json={"profileIds": [other["id"]]}, key=owner.key)
    answer = await api.get(path)
    assert (answer.status_code, answer.json()["code"]) == (410, "calendar_link_ended")
    assert (await api.delete(f"/team/{member['id']}", key=owner.key)).is_success
    assert (await api.get(path)).status_code == 404


async def test_a_link_of_a_deleted_profile_is_gone(api: Api, make: Make, owner: Login) -> None:
    profile = await make.profile(owner)
    _, path = await link(api, owner, profileId=profile["id"])
    assert (await api.delete(f"/profiles/{profile['id']}", key=owner.key)).is_success
    assert (await api.get(path)).status_code == 404
    assert await listed(api, owner) == []


async def test_filters_must_exist_and_go_together(api: Api, make: Make, owner: Login) -> None:
    other, stranger = await make.profile(owner), await make.owner()
    account = await make.account(owner, username="shop")
    foreign = await make.account(stranger)
    for fields, pointer, code in (
        ({"profileId": stranger.profile}, "/profileId", "not_found"),
        ({"accountId": foreign["id"]}, "/accountId", "not_found"),
        ({"profileId": other["id"], "accountId": account["id"]}, "/accountId", "not_allowed"),
        ({"statuses": ["late"]}, "/statuses/0", None),
    ):
        answer = await api.post("/calendar-links", json={"name": "x"} | fields, key=owner.key)
        assert answer.status_code == 422, answer.text
        [issue] = answer.json()["errors"]
        assert issue["path"] == pointer
        assert code in (None, issue["code"])


async def test_a_workspace_has_so_many_links_at_most(api: Api, owner: Login, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manage, "LINKS_MAX", 1)
    created, _ = await link(api, owner)
    answer = await api.post("/calendar-links", json={"name": "x"}, key=owner.key)
    assert (answer.status_code, answer.json()["code"]) == (422, "too_many_items")
    await api.delete(f"/calendar-links/{created['id']}", key=owner.key)
    await link(api, owner)


async def test_a_link_has_a_limit_of_its_own(api: Api, owner: Login, monkeypatch: pytest.MonkeyPatch) -> None:
    """From whatever address: many people may subscribe to one."""
    monkeypatch.setattr(read, "PER_LINK", 2)
    _, path = await link(api, owner)
    answers = [await api.get(path) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[2].headers["retry-after"]) > 0


async def test_an_unknown_address_is_not_there(api: Api) -> None:
    for path in ("/calendar/nothing.ics", "/calendar/.ics", "/calendar/" + "a" * 43):
        answer = await api.get(path)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
