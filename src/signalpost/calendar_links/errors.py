from signalpost.kit import problems


class CalendarLinkEnded(problems.Problem, status=410):
    """Whoever made this link may no longer read its posts.

    Ask someone who may for a link of their own, and remove this calendar from your program.
    """
