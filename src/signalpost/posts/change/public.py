"""Threads of which some parts are public: an update keeps these as they are. Pure."""

from collections.abc import Iterator, Sequence

from signalpost.kit import problems
from signalpost.kit.problems import Issue
from signalpost.posts import content, progress
from signalpost.posts.compose.draft import PostDraft, TargetDraft
from signalpost.posts.content import Content
from signalpost.posts.rows import PostRow, TargetRow


def require_unchanged(post: PostRow, targets: Sequence[TargetRow], draft: PostDraft) -> None:
    """Ensure that the draft has every public part of the stored post as it is: the network keeps what it has.

    Raises:
        InvalidState: it changes one, or leaves one out; `errors` point at them.
    """
    drafted = {target.row.account_id: target for target in draft.targets}
    issues: dict[str, Issue] = {}
    for target in targets:
        count, new = progress.public_parts(target), drafted.get(target.account_id)
        if count and new is not None:
            before, after = content.for_target(post, target), content.for_target(draft.post, new.row)
            for path in _changed(before, after, count, new):
                message = f"This part is public on {target.platform} and cannot be changed."
                issues.setdefault(path, Issue(path, "not_allowed", message))
    if issues:
        raise problems.InvalidState(f"{', '.join(issues)}: already public.", errors=list(issues.values()))


def _changed(before: Content, after: Content, count: int, new: TargetDraft) -> Iterator[str]:
    """Return JSON pointers of what differs in the first `count` parts."""
    for name in ("text", "media", "title"):
        if getattr(before, name) != getattr(after, name):
            overridden = new.index is not None and getattr(new.row, name) is not None
            yield f"/targets/{new.index}/{name}" if overridden else f"/{name}"
    if before.link != after.link:
        yield "/link"
    for index in range(count - 1):
        if index >= len(after.thread) or before.thread[index] != after.thread[index]:
            yield f"/thread/{index}"
