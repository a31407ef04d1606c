"""Mail: templates and the mail server. It does not know users, and does not decide when a message is sent.

Call `mail.enqueue(db, message)` in the transaction that makes a message necessary. A message that contains a secret is
sent by a job of its own room with `mail.send`, so that the secret is never stored in a job.
"""

from signalpost.mail.actions import enqueue, send
from signalpost.mail.messages import Message

__all__ = ["Message", "enqueue", "send"]
