"""The service works with the oldest PostgreSQL that it promises to work with."""

import pytest
from tests.counterparts.tools import postgres15
from tests.faults.own_postgres import folder_of_server
from tests.helpers.service_process import installed

from signalpost.migrations.runner import POSTGRES_MAJOR_MIN

pytestmark = pytest.mark.slow


async def test_a_post_is_published_and_found_with_the_oldest_postgresql() -> None:
    async with folder_of_server({}, postgres15()) as server:
        await server.create()
        assert await server.value("current_setting('server_version_num')::int / 10000") == POSTGRES_MAJOR_MIN
        async with installed(SIGNALPOST_DATABASE_URL=server.dsn) as service:
            api = await (await service.start()).owner()
            await api.connect("sandbox", username="baker")
            post = await api.publish(["sandbox"], "the soup of the day")
            await api.ends(post)
            found = await api.get("/posts?q=soup")
            doctor = await service.command("doctor")

    assert [one["id"] for one in found["data"]] == [post["id"]]
    assert doctor.returncode == 0, doctor.stdout
