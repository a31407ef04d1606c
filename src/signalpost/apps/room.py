from signalpost.apps import routes, work
from signalpost.apps.actions import access, leaked
from signalpost.context import Hooks
from signalpost.room import Room

ROOM = Room(
    name="apps",
    kind="extension",
    tables=("app", "app_grant"),
    routes=routes.routes,
    jobs=(work.jobs,),
    hooks=Hooks(key_of_app=access.key_of_app, revoke_leaked_app_token=leaked.revoke_leaked),
)
