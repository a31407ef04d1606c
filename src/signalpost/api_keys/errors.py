from signalpost.kit import problems


class AuthorizationPending(problems.Problem, status=400, retryable=True):
    """Nobody has decided about this sign-in of a device yet.

    Ask again after `intervalSeconds`, until it is decided or has expired.
    """


class SlowDown(problems.Problem, status=429, retryable=True):
    """The device asks too often.

    Wait for the number of seconds in `Retry-After`. From now on the interval is five seconds longer.
    """


class AccessDenied(problems.Problem, status=403):
    """The person refused this sign-in of a device.

    Start again with `POST /device-logins`, if it was refused by mistake.
    """


class ExpiredToken(problems.Problem, status=410):
    """This sign-in of a device is over.

    It expired after ten minutes, or its key was taken already. Start again with `POST /device-logins`.
    """
