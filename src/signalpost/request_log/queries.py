"""Reading the request log of a workspace."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from signalpost.context import AppContext
from signalpost.kit import clock
from signalpost.kit.db import READ_SECONDS
from signalpost.kit.rows import columns, reader
from signalpost.request_log.errors import PeriodTooLong
from signalpost.request_log.schemas import RequestLogQuery
from signalpost.web.caller import Caller
from signalpost.web.paging import Page, keyset
from signalpost.web.request_ids import request_time


class RequestLogRow(Struct):
    """A row of `request_log`, with the names of who called."""

    id: UUID
    at: datetime
    request_id: str
    operation: str
    method: str
    path: str
    status: int
    code: str | None
    duration_ms: float
    mode: Any
    user_id: UUID
    key_id: UUID | None
    address: str
    omitted: int
    user_name: str | None
    key_name: str | None
    key_prefix: str | None  # without brand and mode


_COLUMNS: Final = columns(
    RequestLogRow, "r", user_name="coalesce(u.name, u.email)", key_name="k.name",
    key_prefix="k.key_id",
)  # fmt: skip
_LIST: Final = f"""
select {_COLUMNS} from (
    select * from request_log r
    where r.workspace_id = $1 and r.at >= $2 and r.at < $3
        and ($4::uuid is null or r.key_id = $4) and ($5::uuid is null or r.user_id = $5)
        and r.status between $6 and $7 and ($8::text is null or r.method = $8)
        and ($9::text is null or starts_with(r.path, $9)) and ($10::text is null or r.operation = $10)
        and ($11::text is null or r.code = $11) and ($12::text is null or r.request_id = $12)
        and ($13::text is null or r.mode = $13) and ($14::uuid is null or r.key_id = $14)
        and ($15::uuid is null or r.user_id = $15) and {keyset("r.at", "r.id", first=16)}
) r left join api_key k on k.id = r.key_id left join app_user u on u.id = r.user_id
order by r.at desc, r.id desc
"""  # noqa: S608 - constants only
_read: Final = reader(RequestLogRow)
_OLDEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
_AHEAD: Final = timedelta(minutes=1)  # another process may be ahead
_LONGEST: Final = timedelta(hours=2)  # of a request


async def page_of(context: AppContext, caller: Caller, query: RequestLogQuery, page: Page) -> list[RequestLogRow]:
    """Return a page of the calls that the caller may see, newest first.

    Raises:
        PeriodTooLong: too few match. Nothing but the time is indexed, since each index costs every call.
    """
    own_key, own_user = (None, None) if _sees_all(caller) else (caller.key_id, caller.user_id)
    low, high = _statuses(query.status)
    since, until = _period(query, context.settings.request_log_days)
    parameters: list[Any] = [
        since, until, query.key_id, query.user_id, low, high, query.method, query.path, query.operation, query.code,
        query.request_id, query.mode, own_key, own_user,
    ]  # fmt: skip
    try:
        async with context.database.connection() as db:
            records = await db.fetch(_LIST, caller.workspace_id, *parameters, *page.bounds, timeout=READ_SECONDS)
    except TimeoutError:
        raise PeriodTooLong(f"No page of such calls was found within {READ_SECONDS:.0f} seconds.") from None
    return [_read(record) for record in records]


def _sees_all(caller: Caller) -> bool:
    """Whether the caller sees every call of the workspace, and not only their own, or those of this key."""
    sees_workspace = caller.role in ("owner", "admin") and caller.profile_ids is None
    return sees_workspace and caller.mode == "live" and "team:read" in caller.scopes


def _statuses(status: str | None) -> tuple[int, int]:
    if status is None:
        return 100, 599
    if status.endswith("xx"):
        return int(status[0]) * 100, int(status[0]) * 100 + 99
    return int(status), int(status)


def _period(query: RequestLogQuery, days: int) -> tuple[datetime, datetime]:
    """Return the time that is asked for, within what is kept; request ids of ours say when they were made."""
    now = clock.now()
    since, until = max(query.from_ or _OLDEST, now - timedelta(days=days)), query.to or now + _AHEAD
    if query.request_id is not None and (made_at := request_time(query.request_id)) is not None:
        since, until = max(since, made_at - _AHEAD), min(until, made_at + _LONGEST)
    return since, until
