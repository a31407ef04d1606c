"""What can go wrong with media, beyond the general problems."""

from signalpost.kit import problems


class MediaFetchFailed(problems.Problem, status=422):
    """The file could not be fetched from this address.

    Check that the address answers 200 with the file itself, without a login, and send it again.
    """
