"""An update keeps the parts of a thread that are public, and says which one it would have changed."""

import msgspec
import pytest

from signalpost.events import Actor
from signalpost.kit import clock, ids
from signalpost.kit.problems import InvalidState
from signalpost.posts.change import public
from signalpost.posts.compose.draft import PostDraft, TargetDraft
from signalpost.posts.compose.media import PostMedia
from signalpost.posts.documents import MediaRef, ThreadPart
from signalpost.posts.queries import ConnectedAccount, ProfileWithAccounts
from signalpost.posts.rows import PostRow, TargetRow

FILE = MediaRef(ids.new_id())
POST = PostRow(
    id=ids.new_id(), workspace_id=ids.new_id(), profile_id=ids.new_id(), timezone="UTC",
    created_by=Actor(type="user", id="usr_1", name="Ada"), created_by_user_id=None, source="api", mode="live",
    created_at=clock.now(), updated_at=clock.now(), text="one", thread=[ThreadPart("two"), ThreadPart("three")],
)  # fmt: skip
TARGET = TargetRow(
    id=ids.new_id(), post_id=POST.id, workspace_id=POST.workspace_id, account_id=ids.new_id(), position=0,
    platform="mastodon", username="ada", content_hash=b"", dedupe_key="1", status="failed",
)  # fmt: skip


def changed(count: int, *, text: str | None = None, index: int | None = None, **fields: object) -> list[str]:
    """The pointers that an update of `fields` of the post, and of the target's text, is refused for."""
    stored = msgspec.structs.replace(
        TARGET, remote_id="1" if count else None, thread_ids=[str(number) for number in range(1, count)]
    )
    row = msgspec.structs.replace(TARGET, text=text)
    account = ConnectedAccount(TARGET.account_id, "mastodon", "ada", {}, over_limit=False, digest=0, status="active")
    profile = ProfileWithAccounts(
        clock.now(), "UTC", zone_chosen=True, approval_required=False, over_limit=False, archived=False,
        default_utm=None, digest=1, heard=False, accounts=[account],
    )  # fmt: skip
    media = PostMedia([], [], [], {}, [])
    post = msgspec.structs.replace(POST, **fields)
    draft = PostDraft(post, [TargetDraft(row, account, index)], profile, media, is_draft=False)
    try:
        public.require_unchanged(POST, [stored], draft)
    except InvalidState as problem:
        return [issue.path for issue in problem.errors]
    return []


@pytest.mark.parametrize(
    ("fields", "paths"),
    [
        ({}, [[], [], [], []]),
        ({"text": "1"}, [[], ["/text"], ["/text"], ["/text"]]),
        ({"link": "https://example.com"}, [[], ["/link"], ["/link"], ["/link"]]),
        ({"title": "T"}, [[], ["/title"], ["/title"], ["/title"]]),
        ({"media": [FILE]}, [[], ["/media"], ["/media"], ["/media"]]),
        ({"thread": [ThreadPart("2"), ThreadPart("three")]}, [[], [], ["/thread/0"], ["/thread/0"]]),
        ({"thread": [ThreadPart("two", [FILE]), ThreadPart("three")]}, [[], [], ["/thread/0"], ["/thread/0"]]),
        ({"thread": [ThreadPart("two"), ThreadPart("3")]}, [[], [], [], ["/thread/1"]]),
        ({"thread": [ThreadPart("two")]}, [[], [], [], ["/thread/1"]]),
        ({"thread": []}, [[], [], ["/thread/0"], ["/thread/0", "/thread/1"]]),
        ({"thread": [*POST.thread, ThreadPart("four")]}, [[], [], [], []]),
        ({"options": {"mastodon": {"visibility": "private"}}}, [[], [], [], []]),
        (
            {"text": "1", "link": "https://example.com"},
            [[], ["/text", "/link"], ["/text", "/link"], ["/text", "/link"]],
        ),
    ],
)
def test_only_what_is_public_is_protected(fields: dict[str, object], paths: list[list[str]]) -> None:
    assert [changed(count, **fields) for count in range(4)] == paths


def test_an_override_is_named_where_it_stands() -> None:
    assert changed(1, text="only here", index=2) == ["/targets/2/text"]
    assert changed(1, text="one", index=2) == []
