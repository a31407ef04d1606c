from signalpost.context import Hooks
from signalpost.invites import actions, routes
from signalpost.room import Room

ROOM = Room(
    name="invites",
    tables=("platform_invite",),
    routes=routes.routes,
    hooks=Hooks(require_open_invite=actions.require_open_invite, record_invited_account=actions.record_invited_account),
)
