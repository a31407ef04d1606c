"""The mails of each month: a link to the report of the month before."""

import calendar
from datetime import timedelta
from typing import Final
from zoneinfo import ZoneInfo

from signalpost import mail
from signalpost.analytics import totals
from signalpost.analytics.period import Days
from signalpost.context import AppContext
from signalpost.identity import members
from signalpost.kit import batches, clock, log
from signalpost.kit.crypto import Undecipherable
from signalpost.kit.db import Db
from signalpost.mail.messages import UNSUBSCRIBE
from signalpost.report_links import months, queries, views
from signalpost.report_links.actions.read import maker_of
from signalpost.report_links.queries import ReportLinkRow

MONTHS: Final = tuple(calendar.month_name)[1:]
"""As the catalogs of mails know them."""
MAILS_OF_NEW_OWNER_PER_DAY: Final = 5
_logger = log.get("report_links")
_TRY_AGAIN: Final = timedelta(hours=1)
# Else those whose profile was deleted would stand before all others, and each look would read them again.
_REST: Final = batches.update(
    "report_link",
    "next_mail_at = null",
    "next_mail_at <= now() and exists (select from profile p where p.id = profile_id and p.deleted_at is not null)",
)
_NEXT: Final = "update report_link set next_mail_at = $2 where id = $1"


async def rest_deleted(db: Db) -> None:
    """Let links of deleted profiles be due no more."""
    await db.execute(_REST)


async def mail_next(context: AppContext, db: Db) -> bool:
    """Mail the link that has been due longest; return False if none is.

    A transaction mails one: it holds the lock of a mailbox until its end, and another that mails the same people in
    another order must never wait for two of them.
    """
    link = await queries.lock_due(db)
    if link is None:
        return False
    now = clock.actual()
    accepted = await _mail(context, db, link)
    next_at = months.next_mail(now, link.profile_timezone) if accepted else now + _TRY_AGAIN
    await db.execute(_NEXT, link.id, next_at)
    return True


async def _mail(context: AppContext, db: Db, link: ReportLinkRow) -> bool:
    """Have a link mailed, if it works and the month has posts; return False if its mailbox had enough for now."""
    maker = await maker_of(context, db, link)
    if maker is None or link.email is None or link.sealed_token is None:
        return True
    month = months.before(clock.actual().astimezone(ZoneInfo(link.profile_timezone)).date())
    sums = await totals.total_of(db, maker, Days(*months.days_of(month)), link.profile_id)
    if not sums.posts:
        return True
    try:
        token = context.keys.open(link.sealed_token, context=queries.sealed_as(link.id)).decode()
    except Undecipherable:  # sealed under a key that is lost: this link alone is not mailed
        _logger.warning("report_links.unreadable", link=link.id.hex, remedy="make another link for this reader")
        return True
    year, number = month.split("-")
    values = {
        "profile": link.profile_name,
        "workspace": link.workspace_name,
        "month_name": MONTHS[int(number) - 1],
        "year": year,
        "language": link.language,
    }
    secrets = {"link": f"{views.page_url(context, token)}?month={month}", UNSUBSCRIBE: views.end_url(context, token)}
    message = mail.Message(
        to=link.email, template="report_ready", values=values, secrets=mail.seal(context.keys, secrets)
    )
    owner_id = await members.owner_of(db, link.workspace_id)
    # As with invitations: who just signed up may not have many strangers mailed.
    is_new = context.settings.registration == "open" and await members.is_new(db, owner_id)
    return await mail.enqueue(
        db,
        message,
        workspace_id=link.workspace_id,
        owner_id=owner_id,
        per_day=MAILS_OF_NEW_OWNER_PER_DAY if is_new else None,
    )
