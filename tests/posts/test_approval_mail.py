"""Those who may decide hear of what waits, and authors of what was decided."""

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
    return [(message.to, *read(message, context.keys)) for message in messages]


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
