"""Digests of files that are computed while they arrive, and corrected where examining changed the file."""

import hashlib
import io
from pathlib import Path

import av
import pytest
from tests.helpers import media_files
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.media import test_resumable as resumable

from signalpost.media import running_digest
from signalpost.media.running_digest import RunningDigest


@pytest.mark.parametrize("at", [0, 5, 999, 1_000, 2_500, 2_999])
@pytest.mark.parametrize("really", [True, False])
def test_only_parts_that_changed_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int, *, really: bool
) -> None:
    """If such a part is what it was before, what follows it is not read either."""
    monkeypatch.setattr(running_digest, "_STATE_BYTES", 1_000)
    content, file = bytes(range(250)) * 12, tmp_path / "file"
    digest = RunningDigest(needed=False)
    for start in range(0, len(content), 500):
        digest.update(content[start : start + 500])
    changed = content[:at] + (b"?" if really else content[at : at + 1]) + content[at + 1 :]
    first = at // 1_000 * 1_000
    end = len(content) if really else first + 1_000
    # What need not be read is wrong on purpose.
    file.write_bytes(b"!" * first + changed[first:end] + b"!" * (len(content) - end))

    assert digest.digest_after_changes(file, [(at, at + 1)]) == hashlib.sha256(changed).digest()


def _movie(size: int) -> bytes:
    """Return a movie whose index, with a place in it, stands before its media data."""
    place = media_files.box(b"udta", b"+48.2082+016.3738/")
    return media_files.box(b"ftyp", b"isom" + bytes(4)) + media_files.box(b"moov", place) + media_files.box(
        b"mdat", bytes(size)
    )  # fmt: skip


@pytest.mark.parametrize("piece", [7, 64, 10_000])
def test_an_index_at_the_start_is_hashed_without_its_metadata(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    monkeypatch.setattr(running_digest, "_STATE_BYTES", 1_000)
    monkeypatch.setattr(running_digest, "_INDEX_BYTES_MAX", 2_000)
    arrived, file = _movie(3_000), tmp_path / "file"
    stored = arrived.replace(b"udta+48.2082+016.3738/", b"free" + bytes(18))
    digests = [RunningDigest(needed=False) for _ in range(2)]
    for start in range(0, len(arrived), piece):
        for digest in digests:
            digest.update(arrived[start : start + piece])

    file.write_bytes(stored)
    assert digests[0].digest_after_changes(file, []) == hashlib.sha256(stored).digest()
    file.write_bytes(stored[:1_100] + b"!" * (len(stored) - 1_100))  # read no further than to the next state
    if piece == 64:
        assert digests[0].digest_after_changes(file, [(0, 100)]) == hashlib.sha256(stored).digest()
    file.write_bytes(arrived)  # whoever examined it left it as it was
    assert digests[1].digest_after_changes(file, []) == hashlib.sha256(arrived).digest()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"moov",
        b"\0\0\0\x10ftypisom",
        b"\0\0\0\x08ftyp" * 9,
        b"\0\0\0\x08ftyp" * 200 + b"\0\0\0\x08mdat",
        media_files.box(b"ftyp", b"isom") + b"\xff\xff\xff\xffmoov" + bytes(900),
        media_files.box(b"ftyp", b"isom") + media_files.box(b"moov", b"\xff\0\0\0udta") + b"\0\0\0\x08mdat" + bytes(90),
        media_files.box(b"ftyp", b"isom") + b"\0\0\0\x08free" * 6_000 + b"\0\0\0\x08mdat" + bytes(90),
        media_files.box(b"ftyp", b"isom") + media_files.box(b"moov", b"\0\0\0\x08free" * 6_000) + b"\0\0\0\x10mdat...",
    ],
)  # fmt: skip
def test_what_is_no_movie_or_a_damaged_one_is_hashed_as_it_is(tmp_path: Path, content: bytes) -> None:
    digest, file = RunningDigest(needed=False), tmp_path / "file"
    file.write_bytes(content)
    for start in range(0, len(content), 1_000):
        digest.update(content[start : start + 1_000])
    assert digest.digest_after_changes(file, []) == hashlib.sha256(content).digest()


def _streamable(folder: Path, movie: bytes) -> bytes:
    """Move the index of a movie to its start."""
    options = {"movflags": "faststart"}
    with av.open(io.BytesIO(movie)) as source, av.open(str(folder / "out.mp4"), "w", options=options) as target:
        target.metadata["comment"] = media_files.SECRET.decode()
        stream = target.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                target.mux(packet)
    return (folder / "out.mp4").read_bytes()


@pytest.mark.parametrize("announced", [True, False])
async def test_the_checksum_of_a_video_is_that_of_what_is_stored(
    api: Api, make: Make, tmp_path: Path, *, announced: bool
) -> None:
    """Its metadata are blanked after all of it has arrived."""
    owner = await make.owner()
    index_last = media_files.video(tmp_path)
    index_first = _streamable(tmp_path, index_last)
    assert index_last.index(b"mdat") < index_last.index(b"moov")
    assert index_first.index(b"moov") < index_first.index(b"mdat")
    for movie in (index_last, index_first):
        said = {"checksumSha256": hashlib.sha256(movie).hexdigest()} if announced else {}
        path = await resumable.create(api, owner, movie, filename="a.mp4", filetype="video/mp4", **said)

        answer = await resumable.append(api, owner, path, movie, 0)

        assert answer.status_code == 204, answer.text
        media = await resumable.media_of(api, owner, path)
        stored = (await api.get(media["url"].partition("/api/v1")[2])).content
        assert media_files.SECRET in movie
        assert media_files.SECRET not in stored
        assert media["checksumSha256"] == hashlib.sha256(stored).hexdigest()
