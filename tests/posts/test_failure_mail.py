"""Authors hear of posts that were not published, or only in part."""

from typing import cast
from uuid import UUID

import msgspec
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.mail import InTest
from tests.posts.test_create import soon

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.kit import ids
from signalpost.kit.tenant import across_workspaces
from signalpost.mail.messages import Message, read
from signalpost.posts import failure_mail

_JOBS = "select payload from job where workspace_id = $1 and kind = $2 order by created_at, id"


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


async def failed(context: AppContext, api: Api, make: Make, owner: Login, writer: Login, *, network: str) -> str:
    """Write a post whose account, of this network as far as its target says, is then disconnected."""
    account = await make.account(owner, username="bakery")
    post = await make.post(writer, text="Warm rolls", targets=[{"accountId": account["id"]}], scheduledAt=soon(days=3))
    await set_target(context, post["id"], f"platform = '{network}'")
    ended = await api.delete(f"/platforms/accounts/{account['id']}", key=owner.key)
    assert ended.is_success, ended.text
    return str(post["id"])


async def set_target(context: AppContext, post_id: str, change: str) -> None:
    async with context.database.transaction() as db:
        await db.execute(f"update target set {change} where post_id = $1", ids.decode("pst", post_id))


async def mailed(context: AppContext, owner: Login) -> list[tuple[str, str, str]]:
    """Run the jobs of the workspace; return recipient, subject and text of each message."""
    with across_workspaces():
        for row in await context.database.pool.fetch(_JOBS, owner.workspace_id, failure_mail.JOB):
            await failure_mail.mail_author(context, cast("Lease", InTest(context.database)), row["payload"])
    rows = await context.database.pool.fetch(_JOBS, owner.workspace_id, "mail.send")
    messages = [msgspec.convert(row["payload"], Message) for row in rows]
    return [(message.to, *read(message, context.keys, context.fixed_url)) for message in messages]


async def test_an_author_hears_of_a_post_that_was_not_published(
    api: Api, make: Make, context: AppContext, owner: Login
) -> None:
    """At which account, why, and where to do something about it; nobody else is mailed."""
    writer = await make.member(owner, role="editor")
    post = await failed(context, api, make, owner, writer, network="mastodon")
    [(to, subject, text)] = await mailed(context, owner)
    assert (to, subject) == (writer.email, "Not published: Warm rolls")
    assert "Mastodon: bakery" in text
    assert "The account was disconnected before the post was published." in text
    assert f"/console/posts/{post}" in text


async def test_what_was_repaired_meanwhile_is_not_mailed(
    api: Api, make: Make, context: AppContext, owner: Login
) -> None:
    post = await failed(context, api, make, owner, owner, network="mastodon")
    async with context.database.transaction() as db:
        await db.execute("update post set status = 'published' where id = $1", ids.decode("pst", post))
    assert await mailed(context, owner) == []


async def test_a_part_that_failed_is_mailed_as_such(api: Api, make: Make, context: AppContext, owner: Login) -> None:
    post = await failed(context, api, make, owner, owner, network="mastodon")
    async with context.database.transaction() as db:
        await db.execute("update post set status = 'partial' where id = $1", ids.decode("pst", post))
    [(_, subject, _)] = await mailed(context, owner)
    assert subject == "Published only in part: Warm rolls"


async def test_the_sandbox_and_those_who_left_get_no_mail(
    api: Api, make: Make, context: AppContext, owner: Login
) -> None:
    """The sandbox fails on demand; who does not see the client any more is not told of it."""
    await failed(context, api, make, owner, owner, network="sandbox")
    assert await context.database.pool.fetch(_JOBS, owner.workspace_id, failure_mail.JOB) == []
    other = await make.profile(owner)
    writer = await make.member(owner, role="editor")
    await failed(context, api, make, owner, writer, network="mastodon")
    async with context.database.transaction() as db:
        limited = [cast("UUID", ids.decode("prof", other["id"]))]
        await db.execute("update member set profile_ids = $2 where user_id = $1", writer.user_id, limited)
    assert await mailed(context, owner) == []
