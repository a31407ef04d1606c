from signalpost.comments import routes, work
from signalpost.comments.actions import send
from signalpost.room import Room

ROOM = Room(
    name="comments",
    kind="extension",
    tables=("comment", "comment_reply", "comment_rule", "comment_rule_use", "comment_source", "saved_reply"),
    routes=routes.routes,
    jobs=(work.jobs,),
    after_failover=send.doubt_what_is_sent,
)
