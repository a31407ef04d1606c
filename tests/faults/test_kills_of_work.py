"""Work of more than one step is killed at its steps and done again: nothing is made twice, and nothing is missing."""

import asyncio
import base64
import hashlib
import signal
import tempfile
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.faults import dying
from tests.faults.dying import Work
from tests.faults.scene import Scene, Tenant, post_id, sizes
from tests.helpers import media_files
from tests.helpers.api import Api

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.media import receiver
from signalpost.media.actions import encode
from signalpost.posts import work as posts_work
from signalpost.posts.many import repost

STEPS_MAX = 300
_SESSIONS_GONE = "not exists (select from pg_stat_activity where application_name like 'dying%')"


class Lease:
    """The lease of a job, as far as its handler uses it."""

    def __init__(self, context: AppContext) -> None:
        self.transaction = context.database.transaction


class Case:
    """What is done: each time anew, in a process that dies, and again by one that does not."""

    def __init__(self, scene: Scene, tenant: Tenant) -> None:
        self.scene, self.tenant = scene, tenant

    async def prepare(self) -> None:
        """Create what every turn needs."""

    async def begin(self, turn: int) -> Work:
        """Prepare one turn; return the work, which may be done any number of times."""
        raise NotImplementedError

    async def finish(self, work: Work) -> None:
        """Do what a client or the engine does after such a death."""
        await work(self.scene.context, self.scene.api)

    async def check(self) -> None:
        """Ensure that the turn has had its effect once."""
        raise NotImplementedError


async def _repeat(context: AppContext, _api: Api) -> None:
    lease: Any = Lease(context)
    while await posts_work.repeat_posts(context, lease, {}):
        pass


class Recurrence(Case):
    """A series makes its next post."""

    async def prepare(self) -> None:
        self.account = await self.tenant.sandbox()

    async def begin(self, turn: int) -> Work:
        when = clock.wire(clock.now() + timedelta(days=2))
        rule = {"rrule": "FREQ=DAILY", "count": 5}
        self.post = await self.tenant.post(self.account, text=f"turn {turn}", scheduledAt=when, recurrence=rule)
        change = "update recurrence_series set look_at = now() where post_id = $1"
        await self.scene.query(change, post_id(self.post))
        return _repeat

    async def check(self) -> None:
        made = "count(*) from post where recurrence_parent_id = $1"
        assert await self.scene.value(made, post_id(self.post)) == 1
        claimed = "count(*) from recurrence_occurrence where parent_id = $1 and post_id is not null"
        assert await self.scene.value(claimed, post_id(self.post)) == 1


async def _pass_on(payload: dict[str, str], context: AppContext, _api: Api) -> None:
    lease: Any = Lease(context)
    while await repost.pass_on(context, lease, payload):
        pass


class Reposts(Case):
    """A published post is passed on by two links."""

    async def prepare(self) -> None:
        self.account = await self.tenant.sandbox()
        for number in range(2):
            profile = await self.scene.make.profile(self.tenant.login)
            await self.scene.make.account(self.tenant.login, profile=profile["id"], username=f"child{number}")
            body = {"parentProfileId": self.tenant.login.profile, "childProfileId": profile["id"]}
            await self.tenant.call("POST", "/profiles/links", 201, json=body)

    async def begin(self, turn: int) -> Work:
        self.post = await self.tenant.post(self.account, text=f"turn {turn}", draft=True)
        change = "update post set status = 'published', published_at = now() where id = $1"
        await self.scene.query(change, post_id(self.post))
        workspace = str(self.tenant.login.workspace_id)
        return partial(_pass_on, {"workspace_id": workspace, "post_id": str(post_id(self.post))})

    async def check(self) -> None:
        assert await self.scene.value("count(*) from post where source_post_id = $1", post_id(self.post)) == 2
        told = "count(*) from profile_link_history where source_post_id = $1 and action = 'reposted'"
        assert await self.scene.value(told, post_id(self.post)) == 2


async def _send(path: str, key: str, options: dict[str, Any], _context: AppContext, api: Api) -> None:
    response = await api.call("POST", path, key=key, **options)
    assert response.status_code in (201, 422), response.text


class Csv(Case):
    """Sixty rows are two transactions. Who repeats the request gets conflicts for the rows that are there."""

    async def prepare(self) -> None:
        await self.tenant.sandbox()

    async def begin(self, turn: int) -> Work:
        self.names = [f"turn-{turn}-{number}" for number in range(60)]
        lines = [f"{self.tenant.login.profile},sandbox,Post {name},{name}" for name in self.names]
        content = "\n".join(["profileId,platforms,text,externalId", *lines]).encode()
        options = {"content": content, "headers": {"Content-Type": "text/csv"}}
        return partial(_send, "/posts/bulk", self.tenant.login.key, options)

    async def check(self) -> None:
        there = await self.scene.query("select external_id from post where external_id = any($1)", self.names)
        assert sorted(row[0] for row in there) == sorted(self.names)


class FanOut(Case):
    """Posts for three profiles, under an Idempotency-Key."""

    async def prepare(self) -> None:
        self.profiles = []
        for number in range(3):
            profile = (await self.scene.make.profile(self.tenant.login))["id"]
            await self.scene.make.account(self.tenant.login, profile=profile, username=f"fan{number}")
            self.profiles.append(profile)

    async def begin(self, turn: int) -> Work:
        self.text = f"fan-out {turn}"
        body = {"text": self.text, "targets": [{"profileId": profile} for profile in self.profiles]}
        options = {"json": body, "headers": {"Idempotency-Key": f"fan-{turn}"}}
        return partial(_send, "/posts/fanout", self.tenant.login.key, options)

    async def check(self) -> None:
        assert await self.scene.value("count(*) from post where text = $1", self.text) == 3
        spent = "(select sum(used) from usage) = (select count(*) from post where counted)"
        assert await self.scene.value(spent)


IMAGE = media_files.image("PNG", size=(400, 300))
TUS = {"Tus-Resumable": "1.0.0"}


async def _upload(path: str, key: str, image: bytes, _context: AppContext, api: Api) -> None:
    """Ask how much has arrived, and send the rest, as clients of the protocol do."""
    head = await api.call("HEAD", path, key=key, headers=TUS)
    offset = int(head.headers["upload-offset"])
    if offset < len(image):
        headers = {**TUS, "Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"}
        answer = await api.patch(path, content=image[offset:], key=key, headers=headers)
        assert answer.status_code == 204, answer.text


class Upload(Case):
    """A file arrives, is examined and stored."""

    async def begin(self, turn: int) -> Work:
        kind = base64.b64encode(b"image/png").decode()
        name = base64.b64encode(f"{turn}.png".encode()).decode()
        headers = {**TUS, "Upload-Length": str(len(IMAGE)), "Upload-Metadata": f"filetype {kind},filename {name}"}
        key = self.tenant.login.key
        answer = await self.scene.api.post("/media/uploads", key=key, headers=headers)
        self.path = answer.headers["location"].partition("/api/v1")[2]
        return partial(_upload, self.path, key, IMAGE)  # made anew, it would be another one

    async def check(self) -> None:
        name = self.path.rpartition("/")[2]
        media = await self.tenant.call("GET", f"/media/{name}")
        assert media["status"] == "ready", media
        stored = await self.scene.api.get(media["url"].partition("/api/v1")[2])
        assert hashlib.sha256(stored.content).hexdigest() == media["checksumSha256"]
        media_id = ids.decode("med", name)
        assert media_id is not None
        folder = receiver.lasting_folder(self.scene.context.settings.data_dir, media_id)
        left = {file.name for file in folder.iterdir()} if folder.exists() else set()
        assert left <= {"lock"}, "who died after the file was ready left no bytes of it behind"


async def _encode(payload: dict[str, Any], context: AppContext, _api: Api) -> None:
    await encode.encode_variant(context, payload)


class Encoding(Case):
    """A video is encoded again."""

    async def prepare(self) -> None:
        await self.tenant.sandbox()
        with tempfile.TemporaryDirectory() as folder:
            self.movie = media_files.video(Path(folder), "webm", codec="libvpx")

    async def begin(self, turn: int) -> Work:
        files = {"file": (f"{turn}.webm", self.movie)}
        answer = await self.scene.api.post("/media/upload", files=files, key=self.tenant.login.key)
        self.media = answer.json()["id"]
        workspace = ids.encode("wsp", self.tenant.login.workspace_id)
        wanted = {"platform": "sandbox", "mimeTypes": ["video/mp4"], "bytesMax": 10**6, "pixelsMax": None}
        return partial(_encode, {"media": self.media, "workspace": workspace, **wanted})

    async def check(self) -> None:
        media_id = ids.decode("med", self.media)
        [(variants,)] = await self.scene.query("select variants from media where id = $1", media_id)
        [variant] = variants
        pieces = [piece async for piece in self.scene.context.storage.read(variant["storage_path"])]
        assert hashlib.sha256(b"".join(pieces)).hexdigest() == variant["sha256"]


@sizes("every", quick=12, heavy=1)
@pytest.mark.parametrize("kind", [Recurrence, Reposts, Csv, FanOut, Upload])
async def test_work_that_is_killed_is_done_once(
    scene: Scene, kind: Callable[[Scene, Tenant], Case], every: int
) -> None:
    """`every`: the process is killed at every n-th step, until it passes them all."""
    await _kill_and_finish(scene, kind, every)


@sizes("every", quick=3, heavy=1)
async def test_an_encoding_that_is_killed_is_done_once(scene: Scene, every: int) -> None:
    await _kill_and_finish(scene, Encoding, every)


async def _kill_and_finish(scene: Scene, kind: Callable[[Scene, Tenant], Case], every: int) -> None:
    case = kind(scene, await scene.tenant())
    await case.prepare()
    for killed, step in enumerate(range(2, STEPS_MAX, every)):
        work = await case.begin(step)
        process = dying.start(work, scene.environment(SIGNALPOST_TRUSTED_PROXIES="1"), step)
        await asyncio.to_thread(process.join)
        assert process.exitcode in (0, -signal.SIGKILL), process.exitcode
        # What its sessions hold is skipped until the server has seen that they are gone.
        await scene.until(partial(scene.value, _SESSIONS_GONE), "end of the sessions of a killed process")
        await case.finish(work)
        await case.check()
        if process.exitcode == 0:
            assert killed >= 2, "there are more steps than that"
            return
    raise AssertionError("no process passed all steps")
