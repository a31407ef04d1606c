"""What the request log refuses."""

from signalpost.kit.problems import Problem


class PeriodTooLong(Problem, status=422):
    """The period is too long to look for so few calls.

    Ask for a shorter one with `from` and `to`, or for a `requestId`, which tells the time of the call.
    """
