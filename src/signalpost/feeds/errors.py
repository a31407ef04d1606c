from signalpost.feeds.states import ERRORS, ReadError
from signalpost.kit.problems import Issue, Problem


class FeedUnreadable(Problem, status=422):
    """No feed can be read at this address.

    Open the address in a browser. Enter that of a page whose site has a feed, or of an RSS or Atom feed itself.
    """


def unreadable(reason: ReadError) -> FeedUnreadable:
    """Return the problem of an address that a request named."""
    return FeedUnreadable(ERRORS[reason], errors=[Issue("/url", reason, ERRORS[reason])])
