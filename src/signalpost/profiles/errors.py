from signalpost.kit.problems import AlreadyExists, Issue, Problem


class LinkCycle(Problem, status=409):
    """The links would form a cycle or too long a chain.

    A profile has at most one parent and cannot be its own ancestor, and a chain has at most three links. Remove a link
    first.
    """


def name_taken() -> AlreadyExists:
    """Return the problem of a name that another profile of the workspace has."""
    return AlreadyExists(
        "Another profile of this workspace has this name.",
        errors=[Issue("/name", "not_unique", "Another profile has this name.")],
    )
