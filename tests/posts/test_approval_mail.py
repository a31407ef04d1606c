"""Those who may decide hear of what waits, and authors of what was decided."""

from datetime import datetime, timedelta
from typing import Any, cast
from uuid import UUID

import msgspec
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.mail import InTest
from tests.posts.test_create import soon

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import RunAgain
from signalpost.kit.db import Database
from signalpost.kit.tenant import across_workspaces
from signalpost.mail.messages import Message, read
from signalpost.posts import approval_mail

_MESSAGES = "select payload from job where workspace_id = $1 and kind = 'mail.send' order by created_at, id"


@pytest.fixture
async def owner(make: Make) -> Login:
    owner = await make.owner()
    await make.account(owner)
    return owner


async def ask(api: Api, make: Make, login: Login, text: str, **fields: Any) -> str:
    post = await make.draft(login, text=text, platforms=["sandbox"], **fields)
    answer = await api.post(f"/posts/{post['id']}/request-approval", json={"note": "Please look."}, key=login.key)
    assert answer.status_code == 200, answer.text
    return str(post["id"])


async def mailed(context: AppContext, owner: Login) -> list[tuple[str, str, str]]:
    """Run the job; return recipient, subject and text of all messages of the workspace so far."""
    with across_workspaces():
        payload = {"workspace_id": str(owner.workspace_id)}
        await approval_mail.mail_deciders(context, cast("Lease", InTest(context.database)), payload)
    rows = await context.database.pool.fetch(_MESSAGES, owner.workspace_id)
    messages = [msgspec.convert(row["payload"], Message) for row in rows]
    return [(message.to, *read(message, context.keys, context.fixed_url)) for message in messages]


async def test_requests_of_two_minutes_are_one_message_to_everyone_who_decides(
    api: Api, make: Make, context: AppContext, database: Database, owner: Login
) -> None:
    """Who asked, for whom, until when, with a link; not to who asked, nor about clients that they do not see."""
    approver, writer = await make.member(owner, role="approver"), await make.member(owner, role="editor")
    other = await make.profile(owner)
    await make.member(owner, role="approver", profile_ids=[other["id"]])
    await make.member(owner, role="viewer")
    first = await ask(api, make, writer, "Warm rolls", scheduledAt=soon(days=3))
    await ask(api, make, writer, "Cold rolls")
    await ask(api, make, owner, "My own")

    key = f"{approval_mail.JOB}:{owner.workspace_id}"
    [job] = await database.pool.fetch("select payload from job where unique_key = $1", key)
    assert UUID(job["payload"]["workspace_id"]) == owner.workspace_id
    messages = {to: (subject, text) for to, subject, text in await mailed(context, owner)}
    assert messages.keys() == {owner.email, approver.email}
    assert "2 posts wait for your decision" in messages[owner.email][0]
    assert "3 posts wait for your decision" in messages[approver.email][0]
    text = messages[owner.email][1]
    assert "Warm rolls" in text
    assert "My own" not in text
    assert f"/console/posts/{first}" in text
    assert "/console/approvals" in text
    assert "“Please look.”" in text
    assert text.count("To be published") == 1


async def test_an_author_reads_what_was_decided(api: Api, make: Make, context: AppContext, owner: Login) -> None:
    writer = await make.member(owner, role="editor")
    changed, refused, good = [await ask(api, make, writer, text) for text in ("Soup", "Salad", "Bread")]
    decided = {
        changed: ("reject", {"changesRequested": True, "note": "Which soup?"}),
        refused: ("reject", {}),
        good: ("approve", {}),
    }
    for post_id, (verb, body) in decided.items():
        answer = await api.post(f"/posts/{post_id}/{verb}", json=body, key=owner.key)
        assert answer.status_code == 200, answer.text

    messages = await mailed(context, owner)
    assert [to for to, _, _ in messages] == [writer.email] * 3
    subjects = [subject for _, subject, _ in messages]
    assert subjects == ["Changes requested: Soup", "Rejected: Salad", "Approved: Bread"]
    assert "“Which soup?”" in messages[0][2]
    assert f"/console/posts/{changed}" in messages[0][2]


async def test_nobody_is_mailed_about_their_own_decision(
    api: Api, make: Make, context: AppContext, owner: Login
) -> None:
    own = await ask(api, make, owner, "Mine")
    await api.post(f"/posts/{own}/approve", key=owner.key)
    assert await mailed(context, owner) == []


async def remind(context: AppContext, owner: Login) -> RunAgain | None:
    """Run the job that reminds."""
    with across_workspaces():
        payload = {"workspace_id": str(owner.workspace_id)}
        return await approval_mail.remind_deciders(context, cast("Lease", InTest(context.database)), payload)


async def reminded(context: AppContext, owner: Login) -> list[tuple[str, str, str]]:
    """Recipient, subject and text of the reminders of the workspace so far."""
    rows = await context.database.pool.fetch(_MESSAGES, owner.workspace_id)
    messages = [msgspec.convert(row["payload"], Message) for row in rows]
    return [
        (message.to, *read(message, context.keys, context.fixed_url))
        for message in messages
        if message.values.get("is_reminder")
    ]


async def test_a_reminder_is_planned_a_day_before_the_first_post_is_due(
    api: Api, make: Make, database: Database, owner: Login
) -> None:
    """One job of the workspace, however many posts; none for what has no time or is mailed about just before it."""
    planned = "select next_attempt_at from job where unique_key = $1"
    key = f"{approval_mail.REMINDER_JOB}:{owner.workspace_id}"
    await ask(api, make, owner, "Whenever")
    await ask(api, make, owner, "Today", scheduledAt=soon(hours=5))
    assert await database.pool.fetch(planned, key) == []
    for days in (9, 4, 6):
        await ask(api, make, owner, f"In {days} days", scheduledAt=soon(days=days))

    [row] = await database.pool.fetch(planned, key)
    first = datetime.fromisoformat(soon(days=4)) - approval_mail.AHEAD
    assert abs(row["next_attempt_at"] - first) < timedelta(minutes=5)


async def test_what_still_waits_is_mailed_once_more_to_each_who_decides(
    api: Api, make: Make, context: AppContext, owner: Login
) -> None:
    """What is due within a day, the first one first, in one message; what was decided is not in it."""
    writer = await make.member(owner, role="editor")
    late = await ask(api, make, writer, "Evening soup", scheduledAt=soon(hours=20))
    await ask(api, make, writer, "Morning rolls", scheduledAt=soon(hours=10))
    decided = await ask(api, make, writer, "Decided", scheduledAt=soon(hours=15))
    await ask(api, make, writer, "Next week", scheduledAt=soon(days=7))
    await api.post(f"/posts/{decided}/reject", json={}, key=owner.key)

    again = await remind(context, owner)

    [(to, subject, text)] = await reminded(context, owner)
    assert to == owner.email
    assert "2 posts wait for your decision, due within a day" in subject
    assert text.index("Morning rolls") < text.index("Evening soup")
    assert "Decided" not in text
    assert "Next week" not in text
    assert f"/console/posts/{late}" in text
    assert again is not None
    assert abs(again.after_seconds - timedelta(days=6).total_seconds()) < 300


async def test_where_nothing_waits_nobody_is_reminded(api: Api, make: Make, context: AppContext, owner: Login) -> None:
    writer = await make.member(owner, role="editor")
    post = await ask(api, make, writer, "Soup", scheduledAt=soon(hours=20))
    await api.delete(f"/posts/{post}", key=owner.key)

    assert await remind(context, owner) is None
    assert await reminded(context, owner) == []
