from signalpost.kit import problems


class ReportLinkEnded(problems.Problem, status=410):
    """Whoever made this link may no longer read these numbers.

    Ask someone who may for a link of their own.
    """
