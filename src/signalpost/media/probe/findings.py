"""What opening a file ends in."""


class Refused(Exception):
    """The file cannot be taken in. `code` is an issue code of the API, the message is for its sender."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def damaged(what: str = "The file is damaged or incomplete.") -> Refused:
    return Refused("format", what)


def too_big(what: str) -> Refused:
    return Refused("out_of_range", what)
