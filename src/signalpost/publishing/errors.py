"""What can be wrong with a wish to the queue."""

from signalpost.kit.problems import Problem


class InvalidQueueSecret(Problem, status=403):
    """The queue secret is missing or wrong.

    Send the value of SIGNALPOST_QUEUE_SECRET in `X-Queue-Secret`. While that setting is empty nothing is accepted.
    """


class NothingToRetry(Problem, status=409):
    """No target of this post can be tried again.

    Only failed targets can; those whose outcome is not known need `includeUnknown: true`, which posts them again.
    """
