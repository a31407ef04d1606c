"""Problems of media, beyond the general ones."""

from signalpost.kit import problems


class MediaFetchFailed(problems.Problem, status=422):
    """The file could not be fetched from this address.

    Check that the address responds with status 200 and the file itself, without a login, then try again.
    """
