from signalpost.kit.problems import Problem


class CommentActionUnavailable(Problem, status=409):
    """This cannot be done with a comment on that network.

    `capabilities.comments` of the account says what can, and `note` why something cannot.
    """


class CommentAnswered(Problem, status=409):
    """Someone has answered this comment, or is about to.

    Read `replies` of the comment. To answer all the same, leave out `ifUnanswered`.
    """


class ReplyLoop(Problem, status=429, retryable=True):
    """The account has answered too often under this post within an hour: the same person, in one thread, or in all.

    Two programs may be answering each other. Answer after `Retry-After`, or at the network.
    """
