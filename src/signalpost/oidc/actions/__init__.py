"""Sign-in with a provider, from its beginning in a browser to the session of whoever began it."""

from signalpost.oidc.actions.answer import Question, answer, question, return_url
from signalpost.oidc.actions.finish import finish, open_session, redeem
from signalpost.oidc.actions.start import CALLBACK_PATH, START_PATH, Started, is_on, start

__all__ = [
    "CALLBACK_PATH",
    "START_PATH",
    "Question",
    "Started",
    "answer",
    "finish",
    "is_on",
    "open_session",
    "question",
    "redeem",
    "return_url",
    "start",
]
