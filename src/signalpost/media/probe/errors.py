"""Why a file is rejected."""


class InvalidFile(Exception):
    """The file is not accepted. `code` is an issue code of the API, the message is for the user who sent the file."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def damaged(message: str = "The file is damaged or incomplete.") -> InvalidFile:
    return InvalidFile("format", message)


def too_large(message: str) -> InvalidFile:
    return InvalidFile("out_of_range", message)
