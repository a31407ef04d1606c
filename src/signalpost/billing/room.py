from signalpost.billing import routes, work
from signalpost.room import Room

ROOM = Room(
    name="billing",
    tables=(
        "billing_difference",
        "billing_event",
        "billing_feedback",
        "billing_former_customer",
        "billing_handover",
        "billing_payment",
        "billing_provider",
        "subscription",
    ),
    routes=routes.routes,
    jobs=(work.jobs,),
)
