"""What a connector raises, besides the `kit.http.HttpFailure` of a call without a usable response."""

from signalpost.networks.contract.http import Response


class ApiError(Exception):
    """A network answered with an error status; `Connector.explain` turns it into an outcome."""

    def __init__(self, response: Response, call: str) -> None:
        super().__init__(f"{call} answered {response.status}")
        self.response = response
        self.call = call


class BadCredentials(Exception):
    """The credentials given to `connect` open no account; the message is shown to the user and says what to do."""


class IdentityUnknown(Exception):
    """Whose account it is could not be looked up right now, so nothing may be stored. The message is for users."""


class InvalidField(Exception):
    """A field given to `connect` cannot be used: `name` says which, the message why."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name
