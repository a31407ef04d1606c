from signalpost.kit import problems


class SlugTaken(problems.Problem, status=409):
    """Another link page of this installation has this address, or had it before.

    Choose another `slug`. An address that a page had before leads to that page, until the page is deleted.
    """
