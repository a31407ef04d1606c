from signalpost.feeds import routes, work
from signalpost.room import Room

ROOM = Room(
    name="feeds",
    kind="extension",
    tables=("feed", "feed_item"),
    routes=routes.routes,
    jobs=(work.jobs,),
    sources=(work.FeedSource,),
)
