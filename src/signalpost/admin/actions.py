"""What staff look at and start by hand."""

from signalpost.admin import queries, views
from signalpost.admin.schemas import AdminQueue, MailPreview, MailTest, Stats, TestMail
from signalpost.context import AppContext
from signalpost.health.queries import DatabaseSlow, engine_status
from signalpost.identity import queries as identity
from signalpost.kit.worker_threads import in_thread
from signalpost.mail import Message
from signalpost.mail import actions as mail
from signalpost.mail.messages import read
from signalpost.web.caller import Caller


async def read_stats(context: AppContext) -> Stats:
    """Return the figures of the installation, all of which are cheap to read."""
    figures = await queries.figures(context.database)
    return views.stats(figures, overdue=await _overdue(context), version=context.version)


async def read_queue(context: AppContext) -> AdminQueue:
    """Return the queue of all workspaces."""
    overdue = await _overdue(context)
    async with context.database.connection() as db:
        counts = views.queue_figures(await queries.queue(db), overdue)
        return views.queue(counts, await queries.due_targets(db), await queries.workers(db))


async def _overdue(context: AppContext) -> int | None:
    try:
        return queries.overdue(await engine_status(context))
    except DatabaseSlow:  # with very many lanes; the other figures are worth more than an error
        return None


async def test_welcome(context: AppContext, caller: Caller, data: MailTest) -> TestMail:
    """Send the mail that new users get, now and without the outbox, to see whether mail works."""
    async with context.database.connection() as db:
        user = await identity.read_user(db, caller.user_id)
        workspace = next(row for row in await identity.workspaces_of(db, user.id) if row.id == caller.workspace_id)
    values = {"workspace": workspace.name, "email": user.email, "link": context.fixed_url}
    message = Message(to=data.to or user.email, template="welcome", values=values)
    subject, text = await in_thread(read, message, context.keys, context.fixed_url)
    result = await mail.deliver(context, message)
    return TestMail(
        sent=result.state == "sent",
        message_id=message.id.hex if result.state == "sent" else None,
        transport="none" if context.settings.smtp_url is None else "smtp",
        error=result.error,
        preview=MailPreview(subject, text.strip()),
    )
