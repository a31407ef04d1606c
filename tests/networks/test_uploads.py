"""Files in parts, and the first comment under a post."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from signalpost.conformance.harness import Clock, Killed, MemoryJournal, image, json_response, outgoing, session
from signalpost.kit.http import MaybeSent
from signalpost.networks.contract import Absent, ApiError, Outcome, Published, Refused
from signalpost.networks.first_comment import add_first_comment, until_commented
from signalpost.networks.uploads import ATTEMPT_SECONDS, FileParts, UploadClock

DATA = bytes(range(200))


async def _read(*parts: tuple[int, int]) -> list[bytes]:
    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(DATA), 7):
            yield DATA[start : start + 7]

    file = FileParts(image(read=pieces))
    return [b"".join([piece async for piece in file.read(start, end)]) for start, end in parts]


@pytest.mark.parametrize(
    "parts",
    [
        [(0, 200)],
        [(0, 64), (64, 128), (128, 200)],
        [(0, 7), (7, 8), (8, 200)],
        [(150, 200)],  # an earlier attempt sent the rest
        [(10, 20), (100, 130), (130, 200)],
    ],
)
async def test_a_file_is_read_in_parts(parts: list[tuple[int, int]]) -> None:
    assert await _read(*parts) == [DATA[start:end] for start, end in parts]


async def test_a_file_that_became_shorter_ends() -> None:
    assert await _read((150, 300)) == [DATA[150:]]


def test_an_upload_is_interrupted_after_a_while() -> None:
    clock = Clock()
    until = UploadClock(session(None, clock))
    clock.advance(ATTEMPT_SECONDS - 1)
    assert not until.is_over
    clock.advance(1)
    assert until.is_over


PUBLISHED = Published(remote_id="1", url=None)
REFUSED = ApiError(json_response(400), "POST /comments")


def _explain(_error: ApiError) -> Outcome:
    return Refused(code="content_rejected", message="Comments are closed.")


class Comments:
    """Creates comments, or fails as it was told."""

    def __init__(self, *failures: BaseException | None) -> None:
        self.failures = list(failures)
        self.sent: list[str] = []

    async def __call__(self, text: str) -> str:
        self.sent.append(text)
        if self.failures and (failure := self.failures.pop(0)) is not None:
            raise failure
        return f"comment-{len(self.sent)}"


async def _add(comments: Comments, journal: MemoryJournal, **post: Any) -> Published:
    wanted = outgoing("x", **{"first_comment": "first!"} | post)
    return await add_first_comment(PUBLISHED, wanted, journal, send=comments, explain=_explain)


async def test_a_first_comment_is_added_once() -> None:
    comments, journal = Comments(), MemoryJournal()

    for _ in range(2):
        published = await _add(comments, journal)
        assert (published.first_comment_id, published.first_comment_error) == ("comment-1", None)
    assert comments.sent == ["first!"]
    assert (await _add(comments, MemoryJournal(), first_comment=None)).first_comment_id is None


@pytest.mark.parametrize(
    ("failure", "error"), [(REFUSED, "Comments are closed."), (MaybeSent("the connection was lost"), "not known")]
)
async def test_a_first_comment_that_fails_leaves_the_post_published(failure: Exception, error: str) -> None:
    comments, journal = Comments(failure), MemoryJournal()

    for _ in range(2):
        published = await _add(comments, journal)
        assert published.remote_id == "1"
        assert error in (published.first_comment_error or "")
    assert len(comments.sent) == 1


async def test_a_first_comment_whose_answer_died_with_the_process_is_not_sent_again() -> None:
    comments, journal = Comments(Killed()), MemoryJournal()

    with pytest.raises(Killed):
        await _add(comments, journal)
    published = await _add(comments, journal)
    assert published.first_comment_error is not None
    assert len(comments.sent) == 1


async def test_a_post_that_is_found_again_still_gets_its_first_comment() -> None:
    journal, with_comment = MemoryJournal(), outgoing("x", first_comment="first!")

    assert until_commented(PUBLISHED, with_comment, journal) == Absent()
    assert until_commented(PUBLISHED, outgoing("x"), journal) == PUBLISHED
    await _add(Comments(), journal)
    assert until_commented(PUBLISHED, with_comment, journal) == PUBLISHED
