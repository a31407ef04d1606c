from signalpost.calendar_links.queries import CalendarLinkRow
from signalpost.calendar_links.schemas import CalendarLink
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.web.router import API_PREFIX

SUFFIX = ".ics"


def file_url(context: AppContext, token: str) -> str:
    """Return the address that a calendar program reads."""
    return f"{context.fixed_url}{API_PREFIX}/calendar/{token}{SUFFIX}"


def calendar_link(row: CalendarLinkRow, url: str | None = None) -> CalendarLink:
    """Return the link; `url` when it gets one."""
    return CalendarLink(
        id=ids.encode("cal", row.id),
        name=row.name,
        profile_id=None if row.profile_id is None else ids.encode("prof", row.profile_id),
        account_id=None if row.account_id is None else ids.encode("acc", row.account_id),
        tag=row.tag,
        campaign=row.campaign,
        statuses=row.statuses,
        language=row.language,
        created_by=row.created_by,
        created_at=clock.wire(row.created_at),
        rotated_at=clock.wire(row.rotated_at),
        last_read_at=clock.wire_or_none(row.last_read_at),
        url=url,
    )
