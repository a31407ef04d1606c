"""Problems of the queue."""

from signalpost.kit.problems import Problem


class InvalidQueueSecret(Problem, status=403):
    """The queue secret is missing or wrong.

    Send the value of SIGNALPOST_QUEUE_SECRET in `X-Queue-Secret`. If that setting is empty, every request is refused.
    """


class NothingToRetry(Problem, status=409):
    """No target of this post can be tried again.

    Only failed targets can. Targets whose outcome is unknown need `includeUnknown: true`, which posts them again.
    """
