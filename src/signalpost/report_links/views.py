from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.media import signed_urls
from signalpost.report_links.queries import ReportLinkRow
from signalpost.report_links.schemas import ReportBranding, ReportLink

PATH = "/reports/{token}"
"""Of the page for people."""
END_PATH = "/reports/{token}/unsubscribe"


def page_url(context: AppContext, token: str) -> str:
    """Return the address that the reader gets."""
    return context.fixed_url + PATH.format(token=token)


def end_url(context: AppContext, token: str) -> str:
    """Return the address that ends the mails."""
    return context.fixed_url + END_PATH.format(token=token)


def report_link(row: ReportLinkRow, url: str | None = None) -> ReportLink:
    """Return the link as its workspace sees it; `url` when it is created."""
    return ReportLink(
        id=ids.encode("rlk", row.id),
        profile_id=ids.encode("prof", row.profile_id),
        language=row.language,
        email=row.email,
        next_mail_at=clock.wire_or_none(row.next_mail_at),
        created_by=row.created_by,
        created_at=clock.wire(row.created_at),
        last_opened_at=clock.wire_or_none(row.last_opened_at),
        url=url,
    )


def branding(context: AppContext, row: ReportLinkRow) -> ReportBranding:
    """Return how the profile of a link looks."""
    logo_url, media_id = row.profile_avatar_url, row.profile_avatar_media_id
    if media_id is not None:
        logo_url = signed_urls.create(context.keys, context.base_url, media_id)
    return ReportBranding(color=row.profile_color, logo_url=logo_url)
