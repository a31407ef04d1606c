"""Creating posts from a CSV file: it is received to disk, then its rows are created, fifty at a time."""

from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final
from uuid import UUID

import msgspec

from signalpost.context import AppContext
from signalpost.kit import log, problems
from signalpost.kit.db import DATABASE_DOWN, RETRYABLE
from signalpost.kit.pace import Pace
from signalpost.kit.patience import Patience, patience
from signalpost.kit.problems import Problem
from signalpost.media import receiver
from signalpost.posts import csv_rows
from signalpost.posts.change import refusals
from signalpost.posts.compose.fetch import OF_REQUEST_MAX, fetch_all, names_addresses
from signalpost.posts.csv_rows import Header, Record, Records
from signalpost.posts.many import bulk
from signalpost.posts.many.batch import Outcome
from signalpost.posts.many.batch_slots import BatchSlots, FileSlots, QueueChoice
from signalpost.posts.many.bulk import FetchedRows, place_of
from signalpost.posts.schemas.many import BULK_MAX, BulkCsvQuery, BulkError
from signalpost.posts.schemas.requests import PostCreate
from signalpost.posts.write import permissions
from signalpost.scheduling.actions import reserve
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId, QueueId

ROWS_MAX: Final = 10_000
BYTES_MAX: Final = 32_000_000
_PIECE_BYTES: Final = 4_096
"""So much of a file is split into rows at once."""
_ISSUES_MAX: Final = 5
"""Of one row, in an answer about thousands."""
ATTEMPTS_MAX: Final = 3
"""Of a transaction that ends in a deadlock."""
QUEUES_MAX: Final = 50
"""Locked at once."""
_encode = msgspec.json.Encoder().encode
_logger = log.get("posts")

Row = tuple[int, int, PostCreate | Problem]
"""Position from 0, line from 1, and the body or what is wrong with its form."""


async def create_posts(context: AppContext, caller: Caller, pieces: AsyncIterable[bytes], query: BulkCsvQuery) -> bytes:
    """Create a post for each row that is not refused; return a `BulkResult` as JSON.

    Fifty rows at a time are one transaction. With `atomic` there are no more than that, and all are created or none.

    Raises:
        ValidationFailed: the file cannot be read, or no row was created.
        TooManyItems: it has too many rows.
        PayloadTooLarge, Unavailable: it is too large, or did not arrive completely; nothing is created.
        Forbidden, InsufficientScope: the caller may only write drafts.
    """
    if not query.draft:
        permissions.require_publishing(caller)
    async with receiver.temporary_folder(context.settings.data_dir) as folder:
        path = folder / "posts.csv"
        header, form = await _receive(pieces, path)
        _require_capacity(caller, query, form.count)
        # One transaction locks the queues by itself, and a dry run takes nothing.
        choices = Counter[QueueChoice]() if query.atomic or query.dry_run else form.choices
        async with reserved(context, caller, choices) as slots:
            results = _Results(context, query, slots)
            with path.open("rb") as file:
                async for rows in _batches(file, header, draft=query.draft):
                    await _create(context, caller, rows, results)
    return results.document()


async def _receive(pieces: AsyncIterable[bytes], path: Path) -> "tuple[Header, _Form]":
    """Write what arrives to a file; return its columns and its form."""
    checked, size, records = _Form(), 0, Records()
    with path.open("wb") as file:
        async for piece in pieces:
            size += len(piece)
            if size > BYTES_MAX:
                raise problems.PayloadTooLarge(f"The file is larger than {BYTES_MAX} bytes.", limit={"max": BYTES_MAX})
            file.write(piece)
            async for record in _split(records, piece):
                checked.take(record)
    for record in records.end():
        checked.take(record)
    if checked.header is None or not checked.count:
        raise problems.invalid("", "required", "The file has no rows below the one that names the columns.")
    return checked.header, checked


class _Form:
    """The form of a file: its columns, and how many rows have something in them, and ask for a slot of which queue."""

    def __init__(self) -> None:
        self.header: Header | None = None
        self.choices = Counter[QueueChoice]()
        self.count = self._lines = 0

    def take(self, record: Record) -> None:
        """Look at the next row.

        Raises:
            ValidationFailed: it is the first, and does not name columns.
            TooManyItems: it is one too many.
        """
        if self.header is None:
            self.header = csv_rows.read_header(record)
            return
        self._lines += 1
        self.count += not csv_rows.is_blank(record)
        if self._lines > ROWS_MAX:
            message = f"A file has at most {ROWS_MAX} rows, blank ones included: split it."
            raise problems.TooManyItems(message, limit={"max": ROWS_MAX})
        if "publishMode" in self.header.columns and not csv_rows.is_blank(record):
            with suppress(Problem):  # it is said of this row when it is created
                if (choice := choice_of(self.header.body_of(record))) is not None:
                    self.choices[choice] += 1


async def _split(records: Records, piece: bytes) -> AsyncIterator[Record]:
    pace = Pace()
    for start in range(0, len(piece), _PIECE_BYTES):
        for record in records.feed(piece[start : start + _PIECE_BYTES]):
            yield record
            await pace.keep()
        await pace.keep()  # a piece may be in the middle of a row


def _require_capacity(caller: Caller, query: BulkCsvQuery, count: int) -> None:
    bulk.require_capacity(caller, count)
    if query.atomic and count > BULK_MAX:
        message = f"With atomic=true a file has at most {BULK_MAX} rows; this one has {count}."
        raise problems.TooManyItems(message, limit={"max": BULK_MAX})


async def _batches(file: IO[bytes], header: Header, *, draft: bool) -> AsyncIterator[list[Row]]:
    """Yield the rows of the file, some at a time."""
    rows: list[Row] = []
    index, records, pace, is_first = 0, Records(), Pace(), True
    while piece := file.read(_PIECE_BYTES):
        for record in records.feed(piece):
            if not is_first and not csv_rows.is_blank(record):
                rows.append((index, record.line, _read(header, record, draft=draft)))
                index += 1
            is_first = False
            if len(rows) == BULK_MAX:
                yield rows
                rows = []
            await pace.keep()
        await pace.keep()  # a piece may be in the middle of a row
    rows += [
        (index, record.line, _read(header, record, draft=draft))
        for record in records.end()
        if not csv_rows.is_blank(record)
    ]
    if rows:
        yield rows


def _read(header: Header, record: Record, *, draft: bool) -> PostCreate | Problem:
    try:
        return bulk.read_row(header.body_of(record), draft=draft)
    except Problem as problem:
        return problem


class _Results:
    """What became of the rows so far, as JSON: ten thousand structs would take much more."""

    def __init__(self, context: AppContext, query: BulkCsvQuery, slots: FileSlots) -> None:
        self.query, self.slots, self.addresses_left = query, slots, OF_REQUEST_MAX
        self._base_url = context.base_url
        self._created: list[bytes] = []
        self._errors: list[bytes] = []
        self._first_refused: dict[str, Problem] = {}
        self._count = 0

    def add(self, index: int, line: int, outcome: Outcome) -> None:
        """Note what became of a row."""
        self._count += 1
        if not isinstance(outcome, Problem):
            self._created.append(_encode(bulk.created_post(index, outcome, dry_run=self.query.dry_run)))
            return
        problem = refusals.placed(outcome, place_of(index))
        problem.errors = problem.errors[:_ISSUES_MAX]
        if len(self._first_refused) < BULK_MAX:
            self._first_refused[place_of(index)] = problem
        document = refusals.document(problem, bulk.PATH, self._base_url) | {"line": line}
        self._errors.append(_encode(BulkError(index, document)))

    def require_none_refused(self, rows: list[Row], outcomes: Mapping[int, Outcome]) -> None:
        """Ensure that the file can be created as a whole.

        Raises:
            ValidationFailed: a row was refused.
        """
        refused = {
            place_of(index): refusals.placed(outcome, place_of(index))
            for index, _, _ in rows
            if isinstance(outcome := outcomes[index], Problem)
        }
        if refused:
            raise refusals.nothing_created(refused, len(rows))

    def document(self) -> bytes:
        """Return a `BulkResult` as JSON.

        Raises:
            ValidationFailed: no row was created.
        """
        if not self._created:
            raise refusals.nothing_created(self._first_refused, self._count)
        parts = (
            b'{"created":[', b",".join(self._created), b'],"errors":[', b",".join(self._errors),
            b'],"total":%d,"dryRun":%b}' % (self._count, b"true" if self.query.dry_run else b"false"),
        )  # fmt: skip
        return b"".join(parts)


async def _create(context: AppContext, caller: Caller, rows: list[Row], results: _Results) -> None:
    """Create the posts of some rows in one transaction; of half of them, if they have too many targets together."""
    bodies: Mapping[int, PostCreate | Problem] = {index: row for index, _, row in rows}
    named = {index: row for index, row in bodies.items() if isinstance(row, PostCreate) and names_addresses(row)}
    fetched: FetchedRows = {}
    if named:
        fetched, results.addresses_left = await fetch_all(context, caller, named, results.addresses_left)
    try:
        await _write(context, caller, rows, bodies, fetched, results)
    except problems.TooManyItems:
        if len(rows) == 1 or results.query.atomic:
            raise
        half = len(rows) // 2
        await _create(context, caller, rows[:half], results)
        await _create(context, caller, rows[half:], results)


async def _write(
    context: AppContext,
    caller: Caller,
    rows: list[Row],
    bodies: Mapping[int, PostCreate | Problem],
    fetched: FetchedRows,
    results: _Results,
) -> None:
    """Create the posts of some rows, again if that ends in a deadlock, and note what became of them."""
    outcomes: Mapping[int, Outcome] = {}
    slots = results.slots
    patience.set(Patience())  # of these rows: those before have used up theirs, and are created
    for attempt in range(ATTEMPTS_MAX):
        slots = FileSlots(slots.blocks, dict(results.slots.after))
        try:
            async with context.database.transaction() as db:
                outcomes = await bulk.create_rows(
                    context, db, caller, bodies, fetched, dry_run=results.query.dry_run, file_slots=slots
                )
                if results.query.atomic:
                    results.require_none_refused(rows, outcomes)
            break
        except RETRYABLE:
            if attempt == ATTEMPTS_MAX - 1:
                raise
    results.slots = slots
    pace = Pace()
    for index, line, _ in rows:
        results.add(index, line, outcomes[index])
        await pace.keep()


def choice_of(body: Mapping[str, Any]) -> QueueChoice | None:
    """Return for which queue a row of a file asks. What is wrong with the row is said when it is created."""
    if body.get("publishMode") != "slot":
        return None
    profile_id = ProfileId.parse(body.get("profileId", ""))
    queue_id = QueueId.parse(body["queueId"]) if "queueId" in body else None
    return None if profile_id is None or (queue_id is None and "queueId" in body) else (profile_id, queue_id)


@asynccontextmanager
async def reserved(context: AppContext, caller: Caller, choices: Counter[QueueChoice]) -> AsyncIterator[FileSlots]:
    """Reserve so many slots of each queue; at the end leave to everybody what the file did not use."""
    blocks: dict[UUID, int] = {}
    block_ids: list[int] = []
    mine = [choice for choice in choices if caller.may_see_profile(choice[0])]
    try:
        for start in range(0, len(mine), QUEUES_MAX):
            some = {choice: choices[choice] for choice in mine[start : start + QUEUES_MAX]}
            block_ids += await _reserve(context, caller, some, blocks)
        yield FileSlots(blocks)
    finally:
        if block_ids:
            await _leave(context, caller, block_ids)


async def _reserve(
    context: AppContext, caller: Caller, choices: Mapping[QueueChoice, int], blocks: dict[UUID, int]
) -> list[int]:
    """Return the ids of the new blocks, and note the first one of each queue: it does not stand in its own way."""
    new: dict[UUID, int] = {}
    async with context.database.transaction() as db:
        queues = BatchSlots(db, caller, FileSlots())
        await queues.lock(choices.keys())
        counts = Counter[UUID]()
        by_id = {}
        for choice, count in choices.items():
            if (queue := queues.queue_of(choice)) is not None:
                by_id[queue.id] = queue
                counts[queue.id] += count
        for queue_id, count in counts.items():
            if (block_id := await reserve.reserve_block(db, by_id[queue_id], count)) is not None:
                new[queue_id] = block_id
    for queue_id, block_id in new.items():
        blocks.setdefault(queue_id, block_id)
    return list(new.values())


async def _leave(context: AppContext, caller: Caller, block_ids: list[int]) -> None:
    try:
        async with context.database.transaction() as db:
            await reserve.remove_blocks(db, caller.workspace_id, block_ids)
    except (problems.Unavailable, *RETRYABLE, *DATABASE_DOWN) as error:
        # The posts are written, and the caller hears so: the blocks end by themselves.
        _logger.warning("posts.blocks_left", blocks=len(block_ids), error=type(error).__name__)
