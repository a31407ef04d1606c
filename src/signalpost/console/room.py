from signalpost.console import connect, status_page
from signalpost.context import Hooks
from signalpost.room import Room

ROOM = Room(name="console", hooks=Hooks(render_page=connect.render_page, publish_status_page=status_page.publish))
