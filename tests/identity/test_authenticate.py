"""The path of every call: a key becomes a caller."""

from tests.helpers.factories import Make

from signalpost.context import AppContext
from signalpost.identity.authenticate import authenticator


async def test_a_new_owner_has_a_working_key(make: Make, context: AppContext) -> None:
    """All other rooms' tests stand on this."""
    owner = await make.owner()
    authenticate = authenticator(context)

    caller = await authenticate(owner.key, None, "127.0.0.1")

    assert caller.workspace_id == owner.workspace_id
    assert caller.role == "owner"
    assert caller.plan == "self_hosted"
    assert "posts:publish" in caller.scopes
    assert (await authenticate(owner.test_key, None, "127.0.0.1")).mode == "test"
