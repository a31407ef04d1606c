from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden
from signalpost.scheduling.actions import auto_schedule
from signalpost.scheduling.schemas import AutoSchedule, AutoScheduled
from signalpost.web.caller import Caller
from signalpost.web.routing import Routes

routes = Routes("Posts")


@routes.post("/posts/auto-schedule", history="action", scope="posts:publish", raises=(Forbidden, PlanLimitReached))
async def auto_schedule_posts(context: AppContext, db: Db, caller: Caller, data: AutoSchedule) -> AutoScheduled:
    """Schedule drafts for the first free times of the days to come, in the order in which they are named.

    A time is passed over for a draft if one of its accounts publishes something else then. If a day has more posts than
    `timeSlots`, extra times are spread evenly between 08:00 and 22:00. Posts that cannot be scheduled are skipped, with
    the reason; if the plan does not cover all others, none is scheduled. `best_times` uses the hours at which your
    posts do best, or those that usually do, if their numbers show no pattern (`basis`).
    """
    return await auto_schedule.auto_schedule(context, db, caller, data)
