"""What opening a file ends in."""


class Rejected(Exception):
    """The file cannot be taken in. `code` is an issue code of the API, the message is for its sender."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def damaged(what: str = "The file is damaged or incomplete.") -> Rejected:
    return Rejected("format", what)


def too_big(what: str) -> Rejected:
    return Rejected("out_of_range", what)
