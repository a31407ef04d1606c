"""What waits for approval is found and counted, wherever it stands among other posts."""

from collections.abc import Iterator
from typing import Any

from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.kit.tenant import Tenant, tenant
from signalpost.posts.find import listing, stats

_COLUMNS = """
select string_agg(attname, ', ') from pg_attribute where attrelid = 'post'::regclass and attnum > 0
    and attgenerated = '' and not attisdropped and attname not in ('id', 'created_at')
"""
_MANY = """
insert into post (id, created_at, {0})
select gen_random_uuid(), p.created_at + interval '1 second' * n, {0}
from post p, generate_series(1, 5000) n where p.id = $1
"""


async def asked(api: Api, make: Make, login: Login, text: str) -> str:
    """Make a draft that waits for approval."""
    post = await make.draft(login, text=text)
    await api.post(f"/posts/{post['id']}/request-approval", key=login.key)
    return str(post["id"])


async def listed(api: Api, login: Login, query: str) -> list[str]:
    answer = await api.get(f"/posts?{query}", key=login.key)
    return [post["id"] for post in answer.json()["data"]]


async def test_each_state_is_listed_and_counted(api: Api, make: Make) -> None:
    """Of everybody, or of the caller; only of the profiles that they see."""
    owner = await make.owner()
    await make.account(owner)
    writer = await make.member(owner, role="editor")
    own, others = await asked(api, make, owner, "mine"), await asked(api, make, writer, "of the writer")
    returned, refused = await asked(api, make, writer, "again"), await asked(api, make, writer, "no")
    await make.draft(owner, text="nobody asked")
    await api.post(f"/posts/{returned}/reject", json={"changesRequested": True}, key=owner.key)
    await api.post(f"/posts/{refused}/reject", key=owner.key)

    assert await listed(api, owner, "approval=pending") == [others, own]
    assert await listed(api, owner, "approval=pending&mine=true") == [own]
    assert await listed(api, writer, "approval=pending&mine=true") == [others]
    assert await listed(api, owner, "approval=changes_requested") == [returned]
    assert await listed(api, owner, "approval=rejected") == [refused]
    assert await listed(api, owner, "approval=approved") == []
    counted = (await api.get("/posts/stats", key=owner.key)).json()["byApproval"]
    assert counted == {"pending": 2, "changesRequested": 1, "rejected": 1}

    empty = await make.profile(owner)
    narrow = await make.member(owner, role="approver", profile_ids=[empty["id"]])
    assert await listed(api, narrow, "approval=pending") == []
    assert (await api.get("/posts/stats", key=narrow.key)).json()["byApproval"]["pending"] == 0

    await api.delete(f"/posts/{own}", key=owner.key)
    assert await listed(api, owner, "approval=pending") == [others]
    assert (await api.get("/posts/stats", key=owner.key)).json()["byApproval"]["pending"] == 1


async def test_mine_needs_a_state(api: Api, make: Make) -> None:
    """Alone, all posts would be read for those of one person."""
    owner = await make.owner()
    answer = await api.get("/posts?mine=true", key=owner.key)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "approval")


async def test_a_request_behind_thousands_of_posts_is_read_by_its_index(
    api: Api, make: Make, database: Database
) -> None:
    """Where a policy guards the table, no condition on the state can be looked up: a partial index is used instead."""
    owner = await make.owner()
    await make.account(owner)
    waits = await asked(api, make, owner, "the only one")
    plain = await make.draft(owner, text="one of many")
    async with database.transaction() as db:
        await db.execute(_MANY.format(await db.fetchval(_COLUMNS)), ids.decode("pst", plain["id"]))
        await db.execute("analyze post")

    assert await listed(api, owner, "approval=pending&sort=-createdAt") == [waits]
    assert await listed(api, owner, "approval=pending&sort=scheduledAt") == [waits]

    tenant.set(Tenant(owner.workspace_id, owner.workspace_id))  # as in a request
    conditions = ("p.workspace_id = $", "p.deleted_at is null", "p.approval ->> 'state' = 'pending'")
    statement = listing._statement((conditions,), (), 20, listing._Order("p.created_at"))
    async with database.transaction() as db:
        page = await db.fetchval(f"explain (format json) {statement}", owner.workspace_id, None, None)
        count = await db.fetchval(f"explain (format json) {stats._APPROVALS}", owner.workspace_id, None, True, None)
    assert "post_undecided" in _indexes(page[0]["Plan"])
    assert _indexes(count[0]["Plan"]) == {"post_undecided"}


def _indexes(plan: dict[str, Any]) -> set[str]:
    return {node["Index Name"] for node in _nodes(plan) if "Index Name" in node}


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)
