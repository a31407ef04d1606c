import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.counterparts.tools import free_port

from signalpost.kit import storage
from signalpost.main import service


@pytest.fixture
def store(tmp_path: Path) -> storage.Store:
    return storage.open_store(None, tmp_path / "objects")


async def _content(opened: storage.Opened) -> bytes:
    return b"".join([piece async for piece in opened.pieces])


async def test_a_stored_object_can_be_read_as_a_whole_and_in_part(store: storage.Store, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(range(256)) * 20_000)

    await store.put("a/b.bin", tmp_path / "file")

    whole = await store.open("a/b.bin")
    assert (whole.size, whole.start, whole.end) == (5_120_000, 0, 5_120_000)
    assert await _content(whole) == bytes(range(256)) * 20_000
    part = await store.open("a/b.bin", 1, 4)
    assert (part.start, part.end, await _content(part)) == (1, 4, b"\x01\x02\x03")
    assert b"".join([piece async for piece in store.read("a/b.bin")]) == bytes(range(256)) * 20_000


async def test_a_start_past_the_end_means_the_whole_object(store: storage.Store, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    await store.put("a", tmp_path / "file")

    assert await _content(await store.open("a", 3, 9)) == b"abc"


async def test_a_missing_object_cannot_be_read_and_counts_as_deleted(store: storage.Store) -> None:
    await store.delete(["nothing/here"])

    with pytest.raises(storage.Missing):
        await store.open("nothing/here")


async def test_a_deleted_object_is_gone(store: storage.Store, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    await store.put("a/b", tmp_path / "file")

    await store.delete(["a/b", "a/c"])

    with pytest.raises(storage.Missing):
        await store.open("a/b")
    assert not list((tmp_path / "objects").iterdir())


async def test_a_local_store_reports_its_free_space(store: storage.Store) -> None:
    assert (await store.free_bytes() or 0) > 0


def test_an_unknown_kind_of_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not the address of a supported store"):
        storage.open_store("mailto:me", tmp_path)


def test_a_folder_can_be_named(tmp_path: Path) -> None:
    storage.open_store(f"file://{tmp_path}/named", tmp_path / "default")

    assert (tmp_path / "named").is_dir()
    assert not (tmp_path / "default").exists()


async def test_a_check_stores_reads_and_removes_a_small_object(store: storage.Store, tmp_path: Path) -> None:
    await store.check()

    assert [path for path in (tmp_path / "objects").rglob("*") if path.is_file()] == []


async def test_a_check_of_a_folder_that_cannot_be_used_fails_with_the_reason(
    store: storage.Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "objects" / "check").touch()

    with pytest.raises(storage.StorageFailure, match="cannot be stored") as failure:
        await store.check()

    assert failure.value.reason
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert failure.value.reason in [line["reason"] for line in lines if line["event"] == "storage.failed"]


async def test_wrong_credentials_of_an_object_store_are_in_the_log_from_the_start(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody would know before the first upload fails, and that client is told nothing."""
    body = b"<Error><Code>SignatureDoesNotMatch</Code><Message>Check your secret key.</Message></Error>"

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", free_port()) as server:
        port = server.sockets[0].getsockname()[1]
        settings: dict[str, Any] = {
            "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "not-to-be-logged", "AWS_REGION": "here",
            "AWS_ENDPOINT": f"http://127.0.0.1:{port}", "AWS_ALLOW_HTTP": "true",
        }  # fmt: skip
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        await service.check_storage(storage.open_store("s3://bucket/prefix", Path("unused")))

    said = capsys.readouterr().err
    lines = [json.loads(line) for line in said.splitlines()]
    assert [line["event"] for line in lines] == ["storage.failed", "storage.unusable"]
    assert "SignatureDoesNotMatch" in lines[0]["reason"]
    assert "not-to-be-logged" not in said
