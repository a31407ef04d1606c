from signalpost.mail import actions, work
from signalpost.room import Room

ROOM = Room(name="mail", tables=("mail_message",), jobs=(work.jobs,), sealed=(actions.SEALED,))
