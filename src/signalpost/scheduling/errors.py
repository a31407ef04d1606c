from signalpost.kit.problems import AlreadyExists, Issue, Problem


class NoFreeSlot(Problem, status=409):
    """The queue has no free slot within 365 days.

    Add slots to the queue, activate it if it is paused, or send `scheduledAt` instead.
    """


def name_taken() -> AlreadyExists:
    """Return the problem of a name that another queue of the profile has."""
    return AlreadyExists(
        "Another queue of this profile has this name.",
        errors=[Issue("/name", "not_unique", "Another queue of the profile has this name.")],
    )
