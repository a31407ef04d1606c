"""What people write is kept nowhere once it was handled, except in the post that it became."""

import secrets

import pytest
from tests.helpers.factories import Login
from tests.helpers.messenger import Messenger

_TABLES = """
select relname from pg_class
where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
"""
TABLES_OF_POSTS = {"post", "post_text"}


async def tables_with(messenger: Messenger, needle: str) -> set[str]:
    """The tables of which a row contains a text, also in hexadecimal or within JSON."""
    async with messenger.context.database.connection() as db:
        names = [record[0] for record in await db.fetch(_TABLES)]
        patterns = [f"%{needle}%", f"%{needle.encode().hex()}%"]
        query = 'select exists (select from "{}" t where to_jsonb(t)::text ilike any($1))'
        return {name for name in names if await db.fetchval(query.format(name), patterns)}


async def test_texts_are_in_no_table_and_no_log_after_they_were_handled(
    messenger: Messenger, owner: Login, capfd: pytest.CaptureFixture[str]
) -> None:
    begun = await messenger.value("select clock_timestamp()")  # other tests may have left messages
    phone = await messenger.linked(owner, "otto")
    draft, time, caption, stranger = (f"needle{secrets.token_hex(8)}" for _ in range(4))
    number = str(phone.network.phone(phone.person))

    await phone.says(f"The soup of the day is {draft}")
    await phone.says("schedule")
    await phone.says(f"{time} tomorrow")
    broken = phone.network.add_file(b"no picture at all", "image/png")
    await phone.send(phone.network.attachment(phone.person, "image", broken, caption))
    await (await messenger.phone("nobody")).says(stranger)

    assert await tables_with(messenger, draft) <= TABLES_OF_POSTS
    for needle in (time, caption, stranger, number, str(messenger.context.settings.whatsapp_access_token)):
        assert await tables_with(messenger, needle) == set()
    log = "".join(capfd.readouterr())
    for needle in (draft, time, caption, stranger, number, str(messenger.context.settings.whatsapp_access_token)):
        assert needle not in log
    waiting = "select count(*) from messenger_message where body is not null and received_at >= $1"
    assert await messenger.value(waiting, begun) == 0
    assert await messenger.value("select count(*) from messenger_reply where state = 'sent' and body is not null") == 0


async def test_a_message_that_waits_is_sealed(messenger: Messenger, owner: Login) -> None:
    phone = await messenger.linked(owner, "pia")
    needle = f"needle{secrets.token_hex(8)}"
    hook = phone.network.webhook(messenger.app, [phone.person], [phone.network.text(phone.person, needle)])
    begun = await messenger.value("select clock_timestamp()")

    await messenger.deliver(hook)

    waiting = "select count(*) from messenger_message where body is not null and received_at >= $1"
    assert await messenger.value(waiting, begun) == 1
    assert await tables_with(messenger, needle) == set()
    await messenger.work()
