"""Mail: templates, the outbox and the mail server. Of users it knows the language and what they chose to be
mailed about, and it does not decide when a message is necessary.

Call `mail.enqueue(db, message)` in the transaction that makes a message necessary. What nobody but the recipient may
read, such as a link that signs in, goes into `secrets=mail.seal(context.keys, {...})` instead of `values`. A message
with the value or secret `unsubscribe_link` is one of a subscription: mail programs offer to end it.
"""

from signalpost.mail.actions import count_lately, enqueue
from signalpost.mail.messages import Message, seal

__all__ = ["Message", "count_lately", "enqueue", "seal"]
