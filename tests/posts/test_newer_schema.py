"""During an update old and new processes share a database whose schema is already the newer one."""

from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.owner import owner_of_tables

from signalpost.main import app
from signalpost.settings import Settings


async def test_columns_of_a_newer_version_get_their_defaults(settings: Settings, fresh_dsn: str) -> None:
    """An insert of whole JSON records would write null into columns that this version does not know."""
    async with app.open_context(settings, fresh_dsn) as context, Api(app.create(context)) as api:
        async with owner_of_tables(context.database) as db:
            for table in ("post", "target", "audit"):
                await db.execute(f"alter table {table} add column newer text not null default 'default'")
        make = Make(context, api)
        owner = await make.owner()
        await make.account(owner)
        post = await make.post(owner, draft=True)
        changed = await api.patch(f"/posts/{post['id']}", json={"text": "Changed"}, key=owner.key)
        labelled = await api.patch(f"/posts/{post['id']}", json={"tags": ["spring"]}, key=owner.key)

    assert (changed.status_code, labelled.status_code) == (200, 200)
