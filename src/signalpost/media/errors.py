"""Problems of media, beyond the general ones."""

from signalpost.kit import problems


class MediaFetchFailed(problems.Problem, status=422):
    """The file could not be fetched from this address.

    Check that the address responds with status 200 and the file itself, without a login, then try again.
    """


class UploadConflict(problems.Problem, status=409, retryable=True):
    """The upload is at another offset, or another request is sending its bytes.

    Send HEAD to learn the offset, and go on from there.
    """


class ChecksumMismatch(problems.Problem, status=460, retryable=True):
    """The bytes have another checksum than `Upload-Checksum` says.

    They were discarded. Send them again from the same offset.
    """


class TusVersionUnsupported(problems.Problem, status=412):
    """This version of the tus protocol is not supported.

    Send `Tus-Resumable: 1.0.0`.
    """
