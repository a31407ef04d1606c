from signalpost.context import Hooks
from signalpost.invites import routes
from signalpost.invites.actions import guest
from signalpost.room import Room

ROOM = Room(
    name="invites",
    tables=("platform_invite",),
    routes=routes.routes,
    hooks=Hooks(require_open_invite=guest.require_open_invite, record_invited_account=guest.record_invited_account),
)
