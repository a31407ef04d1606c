"""People who may no longer connect accounts while a flow of theirs is under way: nothing is connected for them."""

from typing import Any

import pytest
from tests.helpers.authorization import AuthorizationFlow
from tests.helpers.factories import Make

LOST = {
    "demoted": ("update member set role = 'viewer' where workspace_id = $1 and role <> 'owner'", "forbidden"),
    "removed": ("update member set status = 'removed' where workspace_id = $1 and role <> 'owner'", "forbidden"),
    "suspended": ("update member set status = 'suspended' where workspace_id = $1 and role <> 'owner'", "forbidden"),
    "limited": ("update member set profile_ids = '{}' where workspace_id = $1 and role <> 'owner'", "forbidden"),
    "key revoked": ("update api_key set revoked_at = now() where workspace_id = $1", "forbidden"),
    "key expired": ("update api_key set expires_at = now() where workspace_id = $1", "forbidden"),
    "key limited": ("update api_key set profile_ids = '{}' where workspace_id = $1", "forbidden"),
    "profile deleted": ("update profile set deleted_at = now() where workspace_id = $1", "not_found"),
}
STATUS = {"forbidden": 403, "not_found": 404}


@pytest.fixture
async def editor_flow(flow: AuthorizationFlow, make: Make) -> AuthorizationFlow:
    """An editor began the flow."""
    editor = await make.member(flow.owner, role="editor")
    editor.profile, flow.owner = flow.owner.profile, editor
    return flow


@pytest.mark.parametrize("name", LOST)
async def test_who_lost_the_right_connects_nothing(editor_flow: AuthorizationFlow, name: str) -> None:
    sql, code = LOST[name]
    good = await editor_flow.consent()
    await editor_flow.database.pool.execute(sql, editor_flow.owner.workspace_id)
    response = (await editor_flow.callback(good)).json()

    assert (response["status"], response["error"]) == ("failed", code)
    assert (editor_flow.network.exchanges, await stored(editor_flow)) == (0, 0)


@pytest.mark.parametrize("name", LOST)
async def test_who_lost_the_right_sends_nobody_to_the_network(editor_flow: AuthorizationFlow, name: str) -> None:
    sql, code = LOST[name]
    link = await editor_flow.link()
    await editor_flow.database.pool.execute(sql, editor_flow.owner.workspace_id)
    seen, clicked = await editor_flow.browser.get(link), await editor_flow.browser.post(link)

    assert (seen.status_code, clicked.status_code) == (STATUS[code], STATUS[code])
    assert "location" not in clicked.headers
    assert editor_flow.browser.cookies == {}


async def stored(flow: AuthorizationFlow) -> Any:
    return await flow.database.pool.fetchval(
        "select count(*) from account where workspace_id = $1", flow.owner.workspace_id
    )


async def test_who_loses_the_right_during_the_exchange_connects_nothing(editor_flow: AuthorizationFlow) -> None:
    """The check before the exchange passed; the one that stores the account does not."""
    good = await editor_flow.consent()

    async def demote(_request: Any) -> None:
        sql, _ = LOST["demoted"]
        await editor_flow.database.pool.execute(sql, editor_flow.owner.workspace_id)

    editor_flow.network.before_profile = demote
    response = (await editor_flow.callback(good)).json()

    assert (response["status"], response["error"]) == ("failed", "forbidden")
    assert (editor_flow.network.exchanges, await stored(editor_flow)) == (1, 0)
