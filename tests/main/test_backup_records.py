"""What an instance knows of its backups: each that was begun, how it ended, and how old the newest one is."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import asyncpg
import httpx
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make

from signalpost.admin import backups
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.errors import OperatorError
from signalpost.main import app, doctor, operations
from signalpost.main.backup import archive, commands
from signalpost.main.checks import Check
from signalpost.settings import Settings

DAY = 86_400
COMMAND = (sys.executable, "-m", "signalpost")

_WAITS = "select from pg_stat_activity where application_name = 'signalpost backup' and wait_event_type = 'Lock'"


class Instance(NamedTuple):
    """An installation of its own, and somebody of its staff."""

    context: AppContext
    settings: Settings
    api: Api
    key: str

    def environment(self) -> dict[str, str]:
        """The one in which the command line finds it."""
        ours = {name: value for name, value in os.environ.items() if not name.startswith("SIGNALPOST_")}
        place = {
            "SIGNALPOST_DATABASE_URL": str(self.settings.database_url),
            "SIGNALPOST_DATA_DIR": str(self.settings.data_dir),
        }
        return ours | place

    async def get(self, path: str) -> Any:
        """Read something as staff."""
        answer = await self.api.get(path, key=self.key)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def records(self) -> list[dict[str, Any]]:
        """The records, newest first."""
        return list((await self.get("/admin/backups?limit=100"))["data"])

    async def execute(self, statement: str, *values: Any) -> None:
        """Change the database as its owner."""
        connection = await asyncpg.connect(self.settings.database_url)
        await connection.execute(statement, *values)
        await connection.close()

    async def advice(self) -> Check:
        """What `doctor` says of backups."""
        checks = await doctor.examine(self.settings, self.context.version)
        return next(check for check in checks if check.check == "backup")

    async def metric(self) -> float:
        """The gauge, as Prometheus reads it."""
        transport = httpx.ASGITransport(app=self.api.app, client=("127.0.0.1", 50_000))
        async with httpx.AsyncClient(transport=transport, base_url="http://signalpost.test") as client:
            page = (await client.get("/metrics")).text
        found = re.search(r"^signalpost_backup_age_seconds (\S+)$", page, re.MULTILINE)
        assert found
        return float(found[1])


@pytest.fixture
async def instance(settings: Settings, fresh_dsn: str, tmp_path: Path) -> AsyncIterator[Instance]:
    own = replace(settings, database_url=fresh_dsn, data_dir=tmp_path)
    async with app.open_context(own, fresh_dsn) as context, Api(app.create(context)) as api:
        staff = await Make(context, api).staff()
        yield Instance(context, own, api, staff.key)


async def test_a_backup_is_noted_with_what_it_holds(instance: Instance, tmp_path: Path) -> None:
    """And verified later, by the id that stands in the file."""
    summary = await commands.backup(instance.settings, tmp_path / "night.backup", with_key=True, with_media=False)

    [record] = await instance.records()
    assert summary["notRecorded"] is None
    assert (record["status"], record["error"], record["verifiedAt"]) == ("succeeded", None, None)
    assert (record["fileName"], record["bytes"]) == ("night.backup", (tmp_path / "night.backup").stat().st_size)
    assert (record["rows"], record["files"], record["missingFiles"]) == (summary["rows"], 0, 0)
    assert (record["hasMedia"], record["hasMasterKey"]) == (False, True)
    assert (record["version"], record["revision"]) == (instance.context.version, instance.context.revision)
    assert record["startedAt"] <= record["endedAt"]
    assert str(tmp_path) not in str(record)

    assert (await commands.verify(instance.settings, tmp_path / "night.backup"))["record"] == "says that it is verified"
    [verified] = await instance.records()
    assert verified["verifiedAt"] is not None
    assert {**verified, "verifiedAt": None} == record


async def test_a_backup_that_fails_says_why(instance: Instance, tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(OperatorError):
        await commands.backup(instance.settings, tmp_path / "taken", with_key=False, with_media=False)

    [record] = await instance.records()
    assert (record["status"], record["madeAt"], record["bytes"]) == ("failed", None, None)
    assert record["error"].startswith("taken exists already.")
    assert (await instance.get("/admin/system"))["backup"]["madeAt"] is None


async def test_a_killed_backup_is_no_success_until_its_file_is_verified(instance: Instance, tmp_path: Path) -> None:
    """Killed while it reads, there is no file; killed between its last byte and the note, `verify` finds it whole."""
    blocker, watcher = [await asyncpg.connect(instance.settings.database_url) for _ in range(2)]
    await blocker.execute("begin; lock table post in access exclusive mode")
    running = await asyncio.create_subprocess_exec(
        *COMMAND, "backup", str(tmp_path / "killed"), env=instance.environment(), stderr=subprocess.DEVNULL
    )

    async def waits() -> bool:
        return bool(await watcher.fetch(_WAITS))

    while not await waits():
        assert running.returncode is None
    running.kill()
    await running.wait()
    await asyncio.gather(blocker.close(), watcher.close())

    [killed] = await instance.records()
    assert (killed["status"], killed["endedAt"], killed["bytes"]) == ("unfinished", None, None)
    assert not (tmp_path / "killed").exists()
    assert (await instance.get("/admin/system"))["backup"]["madeAt"] is None

    await commands.backup(instance.settings, tmp_path / "whole", with_key=False, with_media=False)
    made = (await instance.records())[0]
    await instance.execute(
        "update backup set status = 'unfinished', ended_at = null, made_at = null, revision = null, bytes = null,"
        " row_count = null, files = null, missing_files = null where file_name = 'whole'"
    )
    assert (await instance.get("/admin/system"))["backup"]["madeAt"] is None
    await commands.verify(instance.settings, tmp_path / "whole")
    again = (await instance.records())[0]
    assert {**again, "verifiedAt": None, "endedAt": made["endedAt"]} == made


async def test_a_backup_is_good_though_it_cannot_be_noted(instance: Instance, tmp_path: Path) -> None:
    """The command says so, exits with 0, and the file can be verified and restored."""
    await instance.execute("alter table backup rename to elsewhere")
    file = tmp_path / "unnoted"
    done = await asyncio.to_thread(
        subprocess.run, [*COMMAND, "backup", "--json", str(file)], env=instance.environment(), capture_output=True,
        text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert "The backup is good, but could not be recorded" in done.stderr
    assert "backup" in json.loads(done.stdout)["notRecorded"]
    verified = await commands.verify(instance.settings, file)
    assert (verified["masterKey"], verified["record"]) == ("fits", "none: the database here does not know this backup")


async def test_verifying_elsewhere_and_without_a_database_changes_nothing(
    instance: Instance, unused_dsn: str, tmp_path: Path
) -> None:
    file = tmp_path / "here"
    await commands.backup(instance.settings, file, with_key=True, with_media=False)
    other = replace(instance.settings, database_url=unused_dsn)
    nowhere = replace(instance.settings, database_url=None)
    unreachable = replace(instance.settings, database_url="postgresql://nobody@127.0.0.1:9/none")

    said = [(await commands.verify(at, file))["record"] for at in (other, nowhere, unreachable)]

    assert said[:2] == ["none: the database here does not know this backup", "none: no database runs here"]
    assert said[2].startswith("not written: ")
    assert [record["verifiedAt"] for record in await instance.records()] == [None]


async def test_a_restored_instance_claims_no_backup(instance: Instance, unused_dsn: str, tmp_path: Path) -> None:
    """Not those of the saved one, and not those that were made before of the empty database."""
    await commands.backup(instance.settings, tmp_path / "first", with_key=True, with_media=False)
    await commands.backup(instance.settings, tmp_path / "second", with_key=True, with_media=False)
    restored = replace(instance.settings, database_url=unused_dsn)
    await commands.backup(restored, tmp_path / "empty", with_key=True, with_media=False)
    with archive.read(tmp_path / "second") as reader:
        assert "backup" not in [table.name for table in reader.manifest.tables]

    await commands.restore(restored, tmp_path / "second")

    connection = await asyncpg.connect(unused_dsn)
    assert await connection.fetchval("select count(*) from backup") == 0
    age = await backups.age(connection)
    await connection.close()
    assert age is not None
    assert (age.made_at, age.is_used) == (None, True)


async def test_history_is_bounded_and_failures_do_not_push_out_the_last_success(instance: Instance) -> None:
    connection = await asyncpg.connect(instance.settings.database_url)
    for number in range(3 * backups.KEPT):
        at = clock.now() - timedelta(hours=300 - number)
        succeeded = number < 2
        record = backups.Backup(
            id=ids.new_id(), started_at=at, ended_at=at, status="succeeded" if succeeded else "failed",
            made_at=at if succeeded else None, host="h", file_name=str(number), version="1", has_media=True,
            has_master_key=True,
        )  # fmt: skip
        await backups.write(connection, record)
    await connection.close()

    names = [int(record["fileName"]) for record in await instance.records()]
    assert names == [*range(3 * backups.KEPT - 1, 2 * backups.KEPT - 1, -1), 1, 0]


async def test_whoever_is_asked_says_when_a_backup_is_too_old(instance: Instance, tmp_path: Path) -> None:
    """The API, doctor and the metric agree; a new installation has a week, and 0 days never warn."""

    async def answers() -> tuple[bool, bool, int]:
        backup = (await instance.get("/admin/system"))["backup"]
        days = int(await instance.metric() // DAY)
        assert backup["ageSeconds"] // DAY == days
        return backup["tooOld"], (await instance.advice()).fix is not None, days

    assert await answers() == (False, True, 0)
    assert "none" in (await instance.advice()).detail
    await instance.execute("update instance set created_at = now() - interval '8 days 1 hour'")
    assert await answers() == (True, True, 8)
    await commands.backup(instance.settings, tmp_path / "made", with_key=False, with_media=False)
    assert await answers() == (False, False, 0)
    await instance.execute("update backup set made_at = made_at - interval '7 days 1 hour'")
    assert await answers() == (True, True, 7)
    advice = await instance.advice()
    assert advice.ok
    assert "7 days ago" in advice.detail
    assert "signalpost backup" in (advice.fix or "")
    patient = instance._replace(settings=replace(instance.settings, backup_age_warning_days=0))
    assert (await patient.advice()).fix is None


async def test_a_demo_is_not_asked_for_a_backup(settings: Settings, fresh_dsn: str, tmp_path: Path) -> None:
    own = replace(settings, database_url=fresh_dsn, data_dir=tmp_path)
    async with app.open_context(own, fresh_dsn) as context:
        await operations.demo(context)
        checks = await doctor.examine(own, context.version)
    assert "isolation" in [check.check for check in checks]
    assert "backup" not in [check.check for check in checks]


async def test_staff_see_what_runs(instance: Instance) -> None:
    """Versions as they are; a schema of another version is said to be one."""
    system = await instance.get("/admin/system")
    connection = await asyncpg.connect(instance.settings.database_url)
    version = str(await connection.fetchval("show server_version")).split()[0]
    await connection.execute("insert into worker (id, lock_key, host) values (gen_random_uuid(), 7, 'app-1')")
    await connection.execute("insert into schema_migration values ('9999', '9999_of_later', now(), now())")
    await connection.close()
    later = await instance.get("/admin/system")
    checks = await doctor.examine(instance.settings, instance.context.version)

    assert next(check for check in checks if check.check == "database").detail.startswith(f"PostgreSQL {version},")
    assert system["postgresql"] == version
    assert (system["version"], system["migrations"]) == (instance.context.version, "current")
    assert system["startedAt"] <= clock.wire(clock.now())
    assert (later["revision"], later["migrations"]) == ("9999", "pending")
    assert "app-1" in [process["host"] for process in later["processes"]]
