"""Creating the posts of one request, as JSON lists them; each is checked by itself."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.context import AppContext
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.kit.problems import Problem
from signalpost.plans import limits
from signalpost.posts import document_views, progress, views
from signalpost.posts.change import refusals
from signalpost.posts.compose.draft import wants_draft
from signalpost.posts.compose.fetch import Fetched, fetch_all, names_addresses
from signalpost.posts.many.batch import Item, Outcome, create_batch
from signalpost.posts.many.batch_slots import FileSlots
from signalpost.posts.schemas.many import BulkCreate, BulkCreated, BulkError, BulkQuery, BulkResult
from signalpost.posts.schemas.requests import PostCreate
from signalpost.posts.write import permissions
from signalpost.posts.write.writer import NewPost
from signalpost.web import validation
from signalpost.web.caller import Caller
from signalpost.web.inputs import Before

PATH: Final = "/posts/bulk"
_FILES: Final = frozenset({"mediaUrl", "mediaUrls", "media"})

FetchedRows = Mapping[int, Fetched | Problem]
"""Position of a post -> what was fetched for it, or why that failed."""


def place_of(index: int) -> str:
    """Return the JSON pointer to a post of the request."""
    return f"/posts/{index}"


async def create_posts(
    context: AppContext, db: Db, caller: Caller, data: BulkCreate, query: BulkQuery, fetched: FetchedRows | None = None
) -> BulkResult:
    """Create the posts that are not refused; with `atomic` all of them or none.

    Raises:
        ValidationFailed: none was created.
        TooManyItems, PlanLimitReached: the plan does not cover all of them; nothing is created.
        Forbidden, InsufficientScope: the caller may only write drafts.
    """
    require_capacity(caller, len(data.posts))
    rows = {index: read_row(row, draft=data.draft) for index, row in enumerate(data.posts)}
    outcomes = await create_rows(context, db, caller, rows, fetched or {}, dry_run=query.dry_run)
    created, refused = [], {}
    for index, outcome in outcomes.items():
        if isinstance(outcome, Problem):
            refused[index] = refusals.placed(outcome, place_of(index))
        else:
            created.append(created_post(index, outcome, dry_run=query.dry_run))
    if not created or (data.atomic and refused):
        by_place = {place_of(index): problem for index, problem in refused.items()}
        raise refusals.nothing_created(by_place, len(data.posts))
    errors = [
        BulkError(index, refusals.document(problem, PATH, context.base_url)) for index, problem in refused.items()
    ]
    return BulkResult(created, errors, len(data.posts), query.dry_run)


def require_capacity(caller: Caller, count: int) -> None:
    """Ensure that the plan allows so many posts, or targets of a fan-out, in one request.

    Raises:
        TooManyItems: it does not.
    """
    maximum = limits.BULK_ITEMS.of(caller.plan)
    if maximum is not None and count > maximum:
        raise problems.TooManyItems(
            f"The plan {caller.plan} allows {maximum} in one request, not {count}.",
            limit={"name": limits.BULK_ITEMS.name, "used": count, "max": maximum, "plan": caller.plan},
        )


def read_row(row: dict[str, Any], *, draft: bool) -> PostCreate | Problem:
    """Return the body of one post, or what is wrong with its form. `draft`: it is one if it does not say itself."""
    try:
        data = validation.convert(PostCreate, row)
    except Problem as problem:
        return problem
    if draft and row.keys().isdisjoint(("draft", "publishMode")):
        data.draft = True
    return data


async def create_rows(
    context: AppContext,
    db: Db,
    caller: Caller,
    rows: Mapping[int, PostCreate | Problem],
    fetched: FetchedRows,
    *,
    dry_run: bool,
    file_slots: FileSlots | None = None,
) -> dict[int, Outcome]:
    """Create the posts of these rows; return what became of each. A dry run is undone in the database.

    `file_slots`: as `create_batch` takes it.

    Raises:
        what `create_batch` raises; Forbidden, InsufficientScope: the caller may only write drafts.
    """
    outcomes: dict[int, Outcome] = {}
    items: dict[int, Item] = {}
    for index, row in rows.items():
        files = fetched.get(index, {})
        if isinstance(row, Problem):
            outcomes[index] = row
        elif isinstance(files, Problem):
            outcomes[index] = files
        else:
            items[index] = Item(row, "bulk", files)
    if not all(wants_draft(item.data) for item in items.values()):
        permissions.require_publishing(caller)
    transaction = db.transaction() if dry_run else None
    if transaction is not None:
        await transaction.start()
    try:
        created = await create_batch(context, db, caller, list(items.values()), file_slots=file_slots)
    finally:
        if transaction is not None:
            await transaction.rollback()
    outcomes |= dict(zip(items, created, strict=True))
    return dict(sorted(outcomes.items()))


def created_post(index: int, new: NewPost, *, dry_run: bool) -> BulkCreated:
    """Return a post that was created, in short."""
    post, targets = new.post, new.targets
    return BulkCreated(
        index=index,
        id=None if dry_run else ids.encode("pst", post.id),
        profile_id=ids.encode("prof", post.profile_id),
        external_id=post.external_id,
        status=progress.current_status(post, targets),
        platforms=list(dict.fromkeys(target.platform for target in targets)),
        scheduled_at=clock.wire_or_none(post.scheduled_at),
        warnings=[
            *map(document_views.warning, post.warnings),
            *map(views.hold_warning, views.row_holds(post, targets)),
        ],
    )


async def _fetch(context: AppContext, caller: Caller, data: BulkCreate) -> FetchedRows:
    fetched, _ = await fetch_all(context, caller, _rows_with_files(data))
    return fetched


def _needed(data: BulkCreate) -> bool:
    return any(names_addresses(row) for row in _rows_with_files(data).values())


def _rows_with_files(data: BulkCreate) -> dict[int, PostCreate]:
    """Return the posts that may name files."""
    rows = {index: read_row(row, draft=data.draft) for index, row in enumerate(data.posts) if _may_name_files(row)}
    return {index: row for index, row in rows.items() if isinstance(row, PostCreate)}


def _may_name_files(row: dict[str, Any]) -> bool:
    """Look before anything is checked: most posts have no files, and need not be read twice."""
    nested = (part for name in ("thread", "targets") if isinstance(parts := row.get(name), list) for part in parts)
    return any(not _FILES.isdisjoint(part) for part in (row, *nested) if isinstance(part, dict))


BEFORE: Final = Before(_needed, _fetch)
