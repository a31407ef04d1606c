from signalpost.context import AppContext
from signalpost.link_pages import routes, work
from signalpost.link_pages.counter import Counter
from signalpost.room import Room


async def end(context: AppContext) -> None:
    """Write the clicks that are not written yet."""
    await context.state(Counter).end()


ROOM = Room(
    name="link_pages",
    kind="extension",
    tables=("link_page", "link_page_count", "link_page_slug"),
    routes=routes.routes,
    jobs=(work.jobs,),
    end=end,
)
