from signalpost.analytics import routes, work
from signalpost.analytics.actions import timing
from signalpost.context import Hooks
from signalpost.room import Room

ROOM = Room(
    name="analytics",
    tables=(
        "metric",
        "metric_account",
        "metric_day",
        "metric_followers",
        "metric_latest",
        "metric_profile",
        "metric_schedule",
    ),
    routes=routes.routes,
    jobs=(work.jobs,),
    hooks=Hooks(best_hours=timing.best_hours),
)
