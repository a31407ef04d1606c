"""Support tickets: who sees what, which status follows from what, votes, search, and mail to both sides."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from datetime import timedelta
from itertools import product
from typing import Any, get_args
from uuid import UUID

import pytest
from tests.helpers.api import Api
from tests.helpers.contract import upload
from tests.helpers.factories import Login, Make
from tests.helpers.mail import InTest

from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.kit.markdown import to_html
from signalpost.mail.messages import Message, render
from signalpost.support import states, work
from signalpost.support.actions.create import OPEN_MAX
from signalpost.support.actions.write import MESSAGES_MAX, STAFF_MAILS_PER_HOUR

LATE = timedelta(days=14, seconds=1)


@pytest.fixture(scope="session")
async def staff(context: AppContext, api: Api) -> Login:
    return await Make(context, api).staff()


@pytest.fixture(scope="session")
async def author(context: AppContext, api: Api) -> Login:
    return await Make(context, api).owner()


@pytest.fixture(scope="session")
async def colleague(context: AppContext, api: Api, author: Login) -> Login:
    return await Make(context, api).member(author, role="viewer")


@pytest.fixture(scope="session")
async def stranger(context: AppContext, api: Api) -> Login:
    return await Make(context, api).owner()


async def opened(api: Api, login: Login, **fields: Any) -> dict[str, Any]:
    body = {"subject": "Posts appear late " + secrets.token_hex(4), "body": "Since *Sunday*."} | fields
    answer = await api.post("/support", json=body, key=login.key)
    assert answer.status_code == 201, answer.text
    ticket: dict[str, Any] = answer.json()
    return ticket


async def put(database: Database, ticket: dict[str, Any], status: str, *, age: timedelta = timedelta()) -> None:
    """Set the status without what follows from it; `age`: how long ago it was resolved."""
    async with database.connection() as db:
        await db.execute(
            "update ticket set status = $2::text, merged_into_id = null,"
            " resolved_at = case when $2 = 'resolved' then now() - $3::interval end where id = $1",
            ids.decode("tkt", ticket["id"]), status, age,
        )  # fmt: skip


async def status_of(database: Database, ticket: dict[str, Any]) -> str:
    async with database.connection() as db:
        return str(await db.fetchval("select status from ticket where id = $1", ids.decode("tkt", ticket["id"])))


async def mailed(database: Database, login: Login) -> list[str]:
    """The templates of the mails to someone."""
    async with database.connection() as db:
        rows = await db.fetch("select template from mail_message where recipient = $1 order by id", login.email)
    return [row["template"] for row in rows if row["template"].startswith("ticket")]


async def test_a_ticket_is_what_was_sent(api: Api, make: Make, author: Login) -> None:
    post, media_id = await make.draft(author), await upload(api, author)
    context = {"postId": post["id"], "requestId": "req_1", "url": "https://example.com/x", "userAgent": "curl"}

    ticket = await opened(api, author, type="bug", priority="high", context=context, attachments=[media_id, media_id])

    (message,) = ticket["messages"]
    assert ticket["id"].startswith("tkt_")
    assert (ticket["status"], ticket["visibility"], ticket["messageCount"]) == ("open", "private", 1)
    assert (ticket["context"], ticket["priority"], ticket["type"]) == (context, "high", "bug")
    assert ticket["author"]["id"] == message["author"]["id"] == ids.encode("usr", author.user_id)
    assert (message["body"], message["author"]["role"], message["internal"]) == ("Since *Sunday*.", "user", False)
    assert message["attachments"] == [media_id]
    assert (await api.get(message["files"][0]["url"].removeprefix("http://signalpost.test"))).status_code == 200
    assert (await api.get(f"/support/{ticket['id']}", key=author.key)).json()["messages"][0]["id"] == message["id"]


async def test_numbers_count_the_tickets_of_the_installation(api: Api, author: Login, stranger: Login) -> None:
    first, second = await opened(api, author), await opened(api, stranger)

    assert second["number"] > first["number"]


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"body": None}, "/body"),
        ({"message": "Twice."}, "/message"),
        ({"body": " \n "}, "/body"),
        ({"subject": "ab"}, "/subject"),
        ({"subject": "   "}, "/subject"),
        ({"subject": "Hello\r\nBcc: a@example.test"}, "/subject"),
        ({"subject": "Hello\n"}, "/subject"),
        ({"body": "x" * 10_001}, "/body"),
        ({"context": {"postId": ids.encode("pst", UUID(int=1))}}, "/context/postId"),
        ({"attachments": [ids.encode("med", UUID(int=1))]}, "/attachments/0"),
        ({"attachments": [ids.encode("med", UUID(int=1))] * 6}, "/attachments"),
    ],
)
async def test_what_is_wrong_is_named(api: Api, author: Login, fields: dict[str, Any], path: str) -> None:
    body = {"subject": "Late", "body": "Why?"} | fields
    answer = await api.post("/support", json={k: v for k, v in body.items() if v is not None}, key=author.key)

    assert answer.status_code == 422
    assert [issue["path"] for issue in answer.json()["errors"]] == [path]


async def test_files_of_others_are_not_attached(api: Api, author: Login, stranger: Login) -> None:
    theirs = await upload(api, stranger)

    answer = await api.post("/support", json={"subject": "Late", "body": "x", "attachments": [theirs]}, key=author.key)

    assert answer.json()["errors"][0]["code"] == "not_found"


async def test_an_attached_file_outlives_the_sweep_until_its_ticket_is_deleted(
    api: Api, make: Make, database: Database
) -> None:
    author = await make.owner()
    media_id = await upload(api, author)

    async def expires() -> bool:
        async with database.connection() as db:
            row = await db.fetchrow("select expires_at from media where id = $1", ids.decode("med", media_id))
        assert row is not None
        return row["expires_at"] is not None

    assert await expires()
    ticket, another = [await opened(api, author, attachments=[media_id]) for _ in range(2)]
    assert not await expires()
    assert (await api.delete(f"/support/{ticket['id']}", key=author.key)).status_code == 200
    assert not await expires()
    assert (await api.delete(f"/support/{another['id']}", key=author.key)).status_code == 200
    assert await expires()


async def test_only_the_workspace_and_staff_see_a_ticket(
    api: Api, author: Login, colleague: Login, staff: Login, stranger: Login
) -> None:
    ticket = await opened(api, author)
    path = f"/support/{ticket['id']}"

    async def lists(login: Login) -> bool:
        listed = (await api.get("/support", params={"limit": "100"}, key=login.key)).json()["data"]
        return ticket["id"] in {each["id"] for each in listed}

    for login, sees in ((author, True), (colleague, True), (staff, True), (stranger, False)):
        assert (await api.get(path, key=login.key)).status_code == (200 if sees else 404)
        assert await lists(login) is sees
    for method, tail, body in (
        ("POST", "/messages", {"body": "x"}), ("PATCH", "/status", {"status": "closed"}), ("DELETE", "", None),
        ("POST", "/vote", None), ("DELETE", "/vote", None),
    ):  # fmt: skip
        answer = await api.call(method, path + tail, json=body, key=stranger.key)
        assert answer.status_code == 404, method + tail
    assert (await api.get(path, key=author.test_key)).status_code == 404
    assert (await api.get("/support", key=author.test_key)).json()["code"] == "test_mode_only_sandbox"


async def test_of_a_suggestion_others_see_names_and_never_addresses(
    api: Api, author: Login, colleague: Login, stranger: Login, staff: Login
) -> None:
    media_id = await upload(api, author)
    ticket = await opened(api, author, type="suggestion", context={"requestId": "req_secret"}, attachments=[media_id])
    path = f"/support/{ticket['id']}"
    for login in (colleague, staff):
        assert (await api.post(path + "/messages", json={"body": "Yes!"}, key=login.key)).status_code == 201

    seen = await api.get(path, key=stranger.key)

    assert (seen.json()["visibility"], seen.json()["workspaceId"]) == ("public", None)
    assert seen.json()["author"] == {"id": None, "name": "A user"}
    assert [message["author"] for message in seen.json()["messages"]] == [
        {"id": None, "name": "A user", "role": "user"},
        {"id": None, "name": "Viewer", "role": "user"},
        {"id": None, "name": "Support", "role": "staff"},
    ]
    listed = await api.get("/support/suggestions", params={"q": ticket["subject"]}, key=stranger.key)
    for text in (seen.text, listed.text):
        assert ticket["subject"] in text
        for secret in ("@example.test", "req_secret", media_id, ids.encode("wsp", author.workspace_id), "usr_"):
            assert secret not in text
    assert (await api.post(path + "/messages", json={"body": "Me too"}, key=stranger.key)).status_code == 404


async def test_a_note_never_shows_outside_the_staff(api: Api, author: Login, staff: Login, database: Database) -> None:
    """Not in the messages, counts, times, history or mails of the user; and it is not an answer."""
    ticket = await opened(api, author)
    path, before = f"/support/{ticket['id']}", await mailed(database, author)
    seen_before = (await api.get(path, key=author.key)).json()

    note = await api.post(path + "/messages", json={"body": "He is rude.", "internal": True}, key=staff.key)

    assert (note.status_code, note.json()["internal"]) == (201, True)
    assert (await api.get(path, key=author.key)).json() == seen_before
    assert await mailed(database, author) == before
    by_staff = (await api.get(path, key=staff.key)).json()
    assert [by_staff["messageCount"], *(message["internal"] for message in by_staff["messages"])] == [2, False, True]
    history = (await api.get("/audit", params={"limit": "100", "subject": ticket["id"]}, key=author.key)).text
    assert "add_ticket_message" not in history
    assert (await api.get("/support", params={"q": "rude"}, key=author.key)).json()["data"] == []
    refused = await api.post(path + "/messages", json={"body": "x", "internal": True}, key=author.key)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert (await api.delete(path, key=author.key)).status_code == 200, "nobody answered the user"


# --- status ---------------------------------------------------------------------------------------------------------

ALL = get_args(states.Status)
ENDS = ("shipped", "declined")


def after_setting(kind: str, current: str, actor: str, wanted: str) -> tuple[int, str]:
    """What the guide says: the status code, and the status that follows."""
    allowed = states.statuses_of(kind)
    if actor == "colleague":
        return 403, current
    if actor == "author" and wanted not in ("open", "closed"):
        return 403, current
    if wanted not in allowed:
        return 422, current
    if actor == "author" and current in ENDS:
        return 409, current
    return 200, wanted


@pytest.mark.parametrize(("kind", "actor"), [*product(("bug", "suggestion"), ("author", "colleague", "staff"))])
async def test_every_status_from_every_status(
    api: Api, author: Login, colleague: Login, staff: Login, database: Database, kind: str, actor: str
) -> None:
    login = {"author": author, "colleague": colleague, "staff": staff}[actor]
    ticket = await opened(api, author, type=kind)
    found, expected = {}, {}
    for current, wanted in product(states.statuses_of(kind), ALL):
        await put(database, ticket, current)
        answer = await api.patch(f"/support/{ticket['id']}/status", json={"status": wanted}, key=login.key)
        found[current, wanted] = answer.status_code, await status_of(database, ticket)
        expected[current, wanted] = after_setting(kind, current, actor, wanted)
    await put(database, ticket, "closed")
    assert found == expected


AFTER_MESSAGES = {
    # current: (status code, next status) after a message of the author or a colleague; staff never move a status
    "open": (201, "open"),
    "in_progress": (201, "in_progress"),
    "waiting_on_user": (201, "open"),
    "resolved": (201, "open"),
    "closed": (409, "closed"),
    "planned": (201, "planned"),
    "shipped": (201, "shipped"),
    "declined": (201, "declined"),
}


@pytest.mark.parametrize("kind", ["bug", "suggestion"])
async def test_every_status_after_a_message(
    api: Api, author: Login, colleague: Login, staff: Login, database: Database, kind: str
) -> None:
    ticket = await opened(api, author, type=kind)
    found, expected = {}, {}
    for current, login in product(states.statuses_of(kind), (author, colleague, staff)):
        await put(database, ticket, current)
        answer = await api.post(f"/support/{ticket['id']}/messages", json={"body": "Well."}, key=login.key)
        found[current, login.email] = answer.status_code, await status_of(database, ticket)
        code, following = AFTER_MESSAGES[current]
        expected[current, login.email] = code, current if login is staff else following
    await put(database, ticket, "closed")
    assert found == expected


async def test_a_resolved_ticket_closes_itself_after_14_days(
    api: Api, author: Login, staff: Login, database: Database
) -> None:
    """And takes no messages from that moment on, also before the job came by. Running it twice does no harm."""
    early, late = await opened(api, author), await opened(api, author)
    await put(database, early, "resolved", age=LATE - timedelta(minutes=5))
    await put(database, late, "resolved", age=LATE)
    answer = await api.post(f"/support/{late['id']}/messages", json={"body": "Hello?"}, key=author.key)
    assert (answer.status_code, answer.json()["code"]) == (409, "invalid_state")

    for _ in range(2):
        await work.run(InTest(database), {})  # type: ignore[arg-type] # a lease as far as the job needs one

    assert await status_of(database, early) == "resolved"
    seen = (await api.get(f"/support/{late['id']}", key=author.key)).json()
    assert (seen["status"], seen["messageCount"], seen["closedAt"] is not None) == ("closed", 2, True)
    assert seen["messages"][-1]["author"] == {"id": None, "name": "Signalpost", "role": "system"}
    reopened = await api.patch(f"/support/{late['id']}/status", json={"status": "open", "note": "No."}, key=author.key)
    assert (reopened.json()["status"], reopened.json()["closedAt"]) == ("open", None)
    assert reopened.json()["messages"][-1]["body"] == "No."


async def test_a_note_goes_with_a_status_and_the_status_stays(api: Api, author: Login) -> None:
    ticket = await opened(api, author)
    path = f"/support/{ticket['id']}/status"

    closed = await api.patch(path, json={"status": "closed", "note": "Solved it."}, key=author.key)
    again = await api.patch(path, json={"status": "closed", "note": "Really."}, key=author.key)

    assert (closed.json()["status"], closed.json()["messages"][-1]["body"]) == ("closed", "Solved it.")
    assert (again.status_code, again.json()["code"]) == (409, "invalid_state")


async def test_staff_assign_rank_and_tag_and_nobody_else(api: Api, author: Login, staff: Login) -> None:
    ticket = await opened(api, author)
    path = f"/support/{ticket['id']}/status"
    me = ids.encode("usr", staff.user_id)
    fields = {"status": "in_progress", "assigneeId": me, "priority": "urgent", "tags": ["time", "time"]}

    refused = [
        await api.patch(path, json={"status": "open", name: fields[name]}, key=author.key)
        for name in ("assigneeId", "priority", "tags")
    ]
    answer = (await api.patch(path, json=fields, key=staff.key)).json()
    nobody = await api.patch(
        path, json={"status": "open", "assigneeId": ids.encode("usr", author.user_id)}, key=staff.key
    )

    assert [refusal.status_code for refusal in refused] == [403] * 3
    assert (answer["assignee"]["id"], answer["priority"], answer["tags"]) == (me, "urgent", ["time"])
    assert nobody.json()["errors"][0]["path"] == "/assigneeId"


async def test_who_deletes_a_ticket(api: Api, author: Login, colleague: Login, staff: Login) -> None:
    first, second = await opened(api, author), await opened(api, author)
    paths = [f"/support/{ticket['id']}" for ticket in (first, second)]
    await api.post(paths[1] + "/messages", json={"body": "Which zone?"}, key=staff.key)

    assert (await api.delete(paths[0], key=colleague.key)).status_code == 403
    assert (await api.delete(paths[1], key=author.key)).json()["code"] == "invalid_state"
    assert (await api.delete(paths[0], key=author.key)).json() == {"id": first["id"], "deleted": True}
    assert (await api.delete(paths[1], key=staff.key)).status_code == 200
    assert [(await api.get(path, key=author.key)).status_code for path in paths] == [404, 404]


# --- suggestions ----------------------------------------------------------------------------------------------------


async def test_a_user_has_one_vote_whatever_arrives_at_once(
    api: Api, author: Login, colleague: Login, stranger: Login
) -> None:
    ticket = await opened(api, author, type="suggestion")
    path = f"/support/{ticket['id']}/vote"

    await asyncio.gather(*(api.post(path, key=login.key) for login in [author, colleague, stranger] * 4))
    voted = (await api.post(path, key=stranger.key)).json()
    await asyncio.gather(*(api.delete(path, key=stranger.key) for _ in range(4)))
    gone = (await api.delete(path, key=stranger.key)).json()

    assert voted == {"ticketId": ticket["id"], "votes": 3, "votedByMe": True}
    assert gone == {"ticketId": ticket["id"], "votes": 2, "votedByMe": False}
    assert (await api.get(f"/support/{ticket['id']}", key=author.key)).json()["votedByMe"] is True


async def test_only_suggestions_have_votes(api: Api, author: Login) -> None:
    ticket = await opened(api, author)
    for method in ("POST", "DELETE"):
        answer = await api.call(method, f"/support/{ticket['id']}/vote", key=author.key)
        assert (answer.status_code, answer.json()["code"]) == (409, "invalid_state")


async def test_suggestions_come_by_votes_page_by_page(api: Api, author: Login, database: Database) -> None:
    tickets = [await opened(api, author, type="suggestion") for _ in range(4)]
    async with database.connection() as db:
        for ticket, votes in zip(tickets, (900_001, 900_003, 900_002, 900_002), strict=True):
            await db.execute("update ticket set votes = $2 where id = $1", ids.decode("tkt", ticket["id"]), votes)

    found, cursor = [], None
    for _ in range(2):
        params = {"limit": "2"} | ({"cursor": cursor} if cursor else {})
        page = (await api.get("/support/suggestions", params=params, key=author.key)).json()
        found += [each["id"] for each in page["data"]]
        cursor = page["nextCursor"]

    assert found == [tickets[number]["id"] for number in (1, 3, 2, 0)]


async def test_similar_titles_are_found_while_someone_types(api: Api, author: Login, stranger: Login) -> None:
    word, other = "q" + secrets.token_hex(5), "z" + secrets.token_hex(5)
    best = await opened(api, author, type="suggestion", subject=f"A mode {other} for the {word} calendar")
    some = await opened(api, author, type="suggestion", subject=f"Print the {word}")
    await opened(api, author, type="suggestion", subject="Something else", body=f"about the {word} calendar")
    await opened(api, author, subject=f"Private {word}")

    async def titles(text: str) -> list[str]:
        answer = await api.get("/support/suggestions", params={"q": text, "limit": "5"}, key=stranger.key)
        assert answer.status_code == 200, answer.text
        return [each["subject"] for each in answer.json()["data"] if word in each["subject"]]

    assert await titles(f"{word} {other[:-2]}") == [best["subject"], some["subject"]]
    assert await titles(word[:-2]) == [best["subject"], some["subject"]] or await titles(word[:-2]) == [
        some["subject"],
        best["subject"],
    ]
    for odd in ("'", "a:*b & | ! <->", "!!!", "\\", "ключ"):
        await titles(odd)


async def test_a_search_finds_words_of_the_text_and_numbers(api: Api, author: Login, staff: Login) -> None:
    word = "z" + secrets.token_hex(5)
    ticket = await opened(api, author, body=f"It is about the {word}.")

    for login, query in ((author, word), (staff, word[:6]), (author, f"#{ticket['number']}"), (staff, f"late {word}")):
        listed = (await api.get("/support", params={"q": query}, key=login.key)).json()["data"]
        assert ticket["id"] in {each["id"] for each in listed}
    assert (await api.get("/support", params={"q": f"{word} other"}, key=staff.key)).json()["data"] == []
    filtered = await api.get("/support", params={"q": word, "status": "closed"}, key=staff.key)
    assert filtered.json()["data"] == []


async def test_a_merged_suggestion_brings_its_votes(
    api: Api, author: Login, colleague: Login, stranger: Login, staff: Login
) -> None:
    first, second, third = [await opened(api, login, type="suggestion") for login in (author, stranger, stranger)]
    for ticket, login in ((first, author), (first, colleague), (second, author), (second, stranger)):
        await api.post(f"/support/{ticket['id']}/vote", key=login.key)

    async def merge(source: dict[str, Any], target: dict[str, Any], **fields: Any) -> Any:
        body = {"status": "closed", "mergedIntoId": target["id"]} | fields
        return await api.patch(f"/support/{source['id']}/status", json=body, key=staff.key)

    assert (await merge(first, first)).status_code == 422
    assert (await merge(first, second, status="declined")).json()["errors"][0]["path"] == "/status"
    assert (await merge(first, await opened(api, author))).status_code == 422
    assert (await merge(first, second)).json()["mergedIntoId"] == second["id"]
    assert (await merge(third, first)).status_code == 422, "what is merged itself goes on elsewhere"
    assert (await api.get(f"/support/{second['id']}", key=author.key)).json()["votes"] == 3
    vote = await api.post(f"/support/{first['id']}/vote", key=stranger.key)
    assert second["id"] in vote.json()["detail"]
    reopen = await api.patch(f"/support/{first['id']}/status", json={"status": "open"}, key=author.key)
    assert reopen.json()["code"] == "invalid_state"


# --- bounds and mail ------------------------------------------------------------------------------------------------


async def test_tickets_and_messages_are_bounded(api: Api, make: Make, database: Database) -> None:
    author = await make.owner()
    ticket = await opened(api, author)
    async with database.connection() as db:
        await db.execute(
            "insert into ticket (id, workspace_id, author_id, type, priority, subject, words, last_message_at,"
            " created_at, updated_at) select gen_random_uuid(), workspace_id, author_id, type, priority, subject,"
            " words, now(), now(), now() from ticket cross join generate_series(2, $2) where id = $1",
            ids.decode("tkt", ticket["id"]), OPEN_MAX,
        )  # fmt: skip
        await db.execute(
            "update ticket set message_count = $2 where id = $1", ids.decode("tkt", ticket["id"]), MESSAGES_MAX
        )
    one_more = await api.post("/support", json={"subject": "One more", "body": "x"}, key=author.key)
    message = await api.post(f"/support/{ticket['id']}/messages", json={"body": "x"}, key=author.key)

    assert [answer.json()["code"] for answer in (one_more, message)] == ["too_many_items"] * 2


@pytest.fixture
async def only_staff(make: Make, database: Database) -> AsyncIterator[tuple[Login, Login]]:
    """The two people whom this installation has as staff for a while."""
    found = await make.staff(), await make.staff()
    async with database.connection() as db:
        others = [row["id"] for row in await db.fetch(
            "update app_user set is_staff = false where is_staff and id <> all($1) returning id",
            [login.user_id for login in found],
        )]  # fmt: skip
        yield found
        await db.execute("update app_user set is_staff = true where id = any($1)", others)


async def test_each_side_is_mailed_what_the_other_wrote(
    api: Api, make: Make, only_staff: tuple[Login, Login], database: Database
) -> None:
    """And nobody what they wrote themselves. Who answers first is mailed from then on, instead of all staff."""
    (first, second), author = only_staff, await make.owner()
    ticket = await opened(api, author)
    path = f"/support/{ticket['id']}"

    await api.post(path + "/messages", json={"body": "Which zone?"}, key=first.key)
    await api.post(path + "/messages", json={"body": "UTC."}, key=author.key)
    await api.patch(path + "/status", json={"status": "resolved"}, key=first.key)

    assert await mailed(database, author) == ["ticket_answered"] * 2
    assert await mailed(database, second) == ["ticket_written"], "someone else works on it"
    assert await mailed(database, first) == ["ticket_written"] * 2


async def test_one_workspace_does_not_fill_the_mailboxes_of_staff(
    api: Api, make: Make, only_staff: tuple[Login, Login], database: Database
) -> None:
    """A mailbox takes 30 mails an hour: those of other workspaces and new passwords have to get through."""
    author, other = await make.owner(), await make.owner()
    for _ in range(STAFF_MAILS_PER_HOUR + 1):
        await opened(api, author)
    assert await mailed(database, only_staff[0]) == ["ticket_written"] * STAFF_MAILS_PER_HOUR

    await opened(api, other)
    assert await mailed(database, only_staff[0]) == ["ticket_written"] * (STAFF_MAILS_PER_HOUR + 1)


def test_foreign_markdown_runs_and_loads_nothing() -> None:
    text = """<script>alert(1)</script> [a](javascript:alert(1)) [b](https://e.com/?x="y) ![c](https://e.com/p.png)
    [d](data:text/html,x) [e](//e.com) [f](/api) <b onclick=x>"""
    html = to_html(text)

    assert "<script" not in html
    assert "<img" not in html
    assert "<b " not in html
    assert html.count("<a ") == 2
    assert html.count('rel="nofollow noopener noreferrer"') == 2


def test_mails_show_the_text_as_markdown_and_a_subject_cannot_become_html(context: AppContext) -> None:
    values = {"number": 7, "subject": "<b>Late</b>", "status": "open", "text": "It *works*.<i>", "link": "http://x/y"}
    email = render(
        Message(to="ada@example.test", template="ticket_answered", values=values), context.settings.mail_from,
        context.keys, context.fixed_url,
    )  # fmt: skip
    html = email.get_body(("html",))
    assert html is not None
    assert "<em>works</em>" in html.get_content()
    assert "<b>" not in html.get_content()
    assert "<i>" not in html.get_content()
    assert email["Subject"] == "Ticket 7 is open: <b>Late</b>"


async def test_the_limit_of_open_tickets_holds_for_requests_at_once(
    api: Api, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signalpost.support.actions.create.OPEN_MAX", 3)
    owner = await make.owner()
    data = {"subject": "Late", "body": "Since Sunday."}

    answers = await asyncio.gather(*(api.post("/support", json=data, key=owner.key) for _ in range(8)))

    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [422] * 5
