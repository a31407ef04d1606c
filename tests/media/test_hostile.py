"""Hostile and broken files: each is refused with a 4xx at its place, and nothing of it is stored."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.figures.record import Record, holds
from tests.helpers import media_files
from tests.helpers.api import Api
from tests.helpers.factories import Make

from signalpost.context import AppContext
from signalpost.media import file_types


@pytest.mark.slow
async def test_every_hostile_file_is_refused_and_leaves_nothing(
    api: Api, make: Make, context: AppContext, tmp_path: Path
) -> None:
    """A 500 would be a way to harm the service; a stored file would be served to users."""
    owner = await make.owner()
    bad = media_files.hostile(tmp_path)
    incoming = context.settings.data_dir / "incoming"
    before = {path.name for path in incoming.glob("*")}  # uploads that other tests began
    assert len(bad) >= 130

    answers = {
        name: await api.post("/media/upload", files={"file": (name, content)}, key=owner.key)
        for name, content in bad.items()
    }

    accepted = {name: answer.json() for name, answer in answers.items() if answer.status_code != 422}
    assert not accepted
    assert {error["path"] for answer in answers.values() for error in answer.json()["errors"]} == {"/file"}
    assert (await api.get("/media", key=owner.key)).json()["data"] == []
    async with context.database.connection() as db:
        assert await db.fetchval("select count(*) from media where workspace_id = $1", owner.workspace_id) == 0
    assert {path.name for path in incoming.glob("*")} <= before


_FORKS = """
import json, os, sys
from signalpost.media import file_types
from signalpost.media.probe import __main__ as child, images, videos
for file_type in (file_types.HEIC, file_types.JPEG):
    images.prepare(file_type)
for line in sys.stdin:
    path, mime_type = json.loads(line)
    process = os.fork()
    if process == 0:
        sys.argv = ["probe", path, mime_type, path + ".thumbnail"]
        sys.stdout = open(path + ".json", "w")
        child.main()
        sys.stdout.close()
        os._exit(0)
    print(os.waitpid(process, 0)[1], flush=True)
"""
"""The child process as it is, for many files: the decoders are imported once, then each file has its own process."""


@holds("S20")
def test_every_damaged_file_gets_an_answer(tmp_path: Path, record: Record) -> None:
    """A crash of a decoder would be a 422 too, and a reason to look for a newer decoder."""
    damaged = media_files.mutants(tmp_path)
    assert len(damaged) >= 70
    lines = []
    for number, content in enumerate(damaged.values()):
        file = tmp_path / str(number)
        file.write_bytes(content)
        file_type = file_types.recognize(content[: file_types.HEAD_BYTES])
        assert file_type
        lines.append(json.dumps([str(file), file_type.mime_type]))

    command = [sys.executable, "-c", _FORKS]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=False)

    statuses = dict(zip(damaged, done.stdout.split(), strict=True))
    without = sum(status != "0" for status in statuses.values())
    record("S20", tried={"hostile files": len(damaged)}, measured={"without an answer": without})
    assert {name: status for name, status in statuses.items() if status != "0"} == {}, done.stderr
    answers = {name: json.loads((tmp_path / f"{number}.json").read_text()) for number, name in enumerate(damaged)}
    rejected = {name: answer["rejection"]["code"] for name, answer in answers.items() if "rejection" in answer}
    assert set(rejected.values()) <= {"format", "out_of_range"}
    assert len(rejected) >= 20
    assert {name.partition(" ")[0] for name in answers.keys() - rejected.keys()} >= {"JPEG", "PNG", "GIF"}, (
        "what follows a valid image is cut off, and the image accepted"
    )


POLYGLOTS = {
    "jpeg": (lambda: media_files.image("JPEG") + media_files.archive(), b"PK\x03\x04"),
    "png": (lambda: media_files.image("PNG") + b"<script>alert(1)</script>", b"<script>"),
    "gif": (lambda: media_files.image("GIF") + b"<?php system($_GET[0]) ?>", b"<?php"),
    "webp": (lambda: media_files.image("WEBP") + media_files.archive(), b"PK\x03\x04"),
}


@pytest.mark.parametrize("name", POLYGLOTS)
async def test_data_after_an_image_is_cut_off(api: Api, make: Make, name: str) -> None:
    """A file that is both an image and an archive passes every filter that looks only at its start."""
    owner = await make.owner()
    build, hidden = POLYGLOTS[name]

    media = (await api.post("/media/upload", files={"file": ("a", build())}, key=owner.key)).json()

    assert hidden not in (await api.get(media["url"].partition("/api/v1")[2])).content


NAMES = {
    "../../../etc/passwd": "passwd.jpg",
    "..\\..\\boot.ini": "boot.ini.jpg",
    "evil.html": "evil.html.jpg",
    "evil.svg": "evil.svg.jpg",
    "photo.JPEG": "photo.JPEG",
    "": "file.jpg",
    "....": "file.jpg",
    ".htaccess": "htaccess.jpg",
    "a\r\nSet-Cookie: x=1.jpg": None,
    "x" * 1_000 + ".jpg": "x" * 190 + ".jpg",
    "ünï → 日本.jpg": "ünï → 日本.jpg",
    "\u202egpj.exe": "gpj.exe.jpg",
}


@pytest.mark.parametrize("sent", NAMES)
async def test_a_file_name_is_made_safe(api: Api, make: Make, sent: str) -> None:
    """A name from a client never becomes a path, a header line or an active file type."""
    owner = await make.owner()
    body = b'--b\r\nContent-Disposition: form-data; name="file"; filename="%s"\r\n\r\n%s\r\n--b--\r\n'
    quoted = sent.replace("\r\n", "%0D%0A").replace("\\", "\\\\").encode()
    content = body % (quoted, media_files.image("JPEG"))
    headers = {"Content-Type": "multipart/form-data; boundary=b"}

    answer = await api.post("/media/upload", content=content, headers=headers, key=owner.key)

    assert answer.status_code == 201, answer.text
    media = answer.json()
    name = media["fileName"]
    assert name == (NAMES[sent] or name)
    assert "/" not in name
    assert name.isprintable()
    assert sent[:3] not in media["storagePath"] or not sent
    served = await api.get(media["url"].partition("/api/v1")[2])
    assert "set-cookie" not in served.headers


BODIES = {
    "no boundary": ("multipart/form-data", b"x", 400),
    "huge boundary": ("multipart/form-data; boundary=" + "b" * 500, b"x", 400),
    "not a form": ("multipart/form-data; boundary=b", b"hello", 400),
    "cut off": (
        "multipart/form-data; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nabc',
        400,
    ),
    "empty form": ("multipart/form-data; boundary=b", b"--b--\r\n", 422),
    "header without end": ("multipart/form-data; boundary=b", b"--b\r\n" + b"X" * 20_000, 400),
    "many headers": ("multipart/form-data; boundary=b", b"--b\r\n" + b"X: y\r\n" * 500, 400),
    "many fields": (
        "multipart/form-data; boundary=b",
        b"".join(b'--b\r\nContent-Disposition: form-data; name="f%d"\r\n\r\n\r\n' % n for n in range(500)) + b"--b--",
        400,
    ),
    "long field": (
        "multipart/form-data; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="altText"\r\n\r\n' + b"a" * 50_000 + b"\r\n--b--\r\n",
        422,
    ),
    "not utf-8": (
        "multipart/form-data; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="altText"\r\n\r\n\xff\xfe\r\n--b--\r\n',
        422,
    ),
    "field twice": (
        "multipart/form-data; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="kind"\r\n\r\ngif\r\n' * 2 + b"--b--\r\n",
        422,
    ),
    "text": ("text/plain", b"hello", 415),
    "nothing": ("", b"", 415),
    "json list": ("application/json", b"[]", 422),
    "broken json": ("application/json", b"{", 400),
    "long json": ("application/json", b'{"url":"' + b"a" * 200_000 + b'"}', 413),
    "json with nul": ("application/json", b'{"url":"https://example.com/\\u0000"}', 422),
    "json with surrogate": ("application/json", b'{"url":"https://example.com/\\ud800"}', 400),
    "json of other fields": ("application/json", b'{"url":"https://example.com/","path":"/etc/passwd"}', 422),
}


@pytest.mark.parametrize("name", BODIES)
async def test_a_malformed_upload_is_refused_with_a_clear_problem(api: Api, make: Make, name: str) -> None:
    owner = await make.owner()
    media_type, content, status = BODIES[name]

    answer = await api.post("/media/upload", content=content, headers={"Content-Type": media_type}, key=owner.key)

    assert answer.status_code == status, answer.text
