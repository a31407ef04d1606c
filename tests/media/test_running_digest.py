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


@pytest.mark.parametrize("changed_at", [0, 5, 1_000, 1_001, 2_999, 3_000])
def test_only_what_follows_a_change_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed_at: int
) -> None:
    monkeypatch.setattr(running_digest, "_STATE_BYTES", 1_000)
    content, file = bytes(range(250)) * 12, tmp_path / "file"
    digest = RunningDigest(needed=True)
    for at in range(0, len(content), 500):
        digest.update(content[at : at + 500])
    assert digest.digest() == hashlib.sha256(content).digest()

    changed = content[:changed_at] + bytes(len(content) - changed_at)
    # What stands before the last state that was kept is not read: here it is wrong on purpose.
    kept = changed_at // 1_000 * 1_000
    file.write_bytes(b"?" * kept + changed[kept:])

    assert digest.digest_after_change(file, changed_at) == hashlib.sha256(changed).digest()


@pytest.mark.parametrize("needed", [True, False])
def test_a_movie_with_its_index_at_the_start_is_not_hashed_in_vain(*, needed: bool) -> None:
    first = b"\0\0\0\x14ftypisom" + bytes(8) + b"\0\0\0\x08moov" + b"\0\0\0\x08mdat"
    last = b"\0\0\0\x14ftypisom" + bytes(8) + b"\0\0\0\x08mdat" + b"\0\0\0\x08moov"
    for content, given_up in ((first, not needed), (last, False), (b"moov in a text", False)):
        digest = RunningDigest(needed=needed)
        digest.update(content)
        digest.update(content)
        assert digest.is_given_up is given_up, content


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
