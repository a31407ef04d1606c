"""Letters: templates, and the way to the mail server. Knows nothing of users, and nothing of when letters go out.

Whoever wants to send one enqueues the job: `jobs.enqueue(db, mail.JOB, mail.payload(letter))`, in the transaction that
makes it necessary. Letters with a secret in them are composed and delivered by a job of their own room, so that the
secret never stands in a job's row.
"""

from signalpost.mail.letters import Letter
from signalpost.mail.work import JOB, payload

__all__ = ["JOB", "Letter", "payload"]
