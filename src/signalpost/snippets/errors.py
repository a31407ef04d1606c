from signalpost.kit.problems import AlreadyExists, Issue


def name_taken() -> AlreadyExists:
    """Return the problem of a name that another snippet has, of the same profile or of those for all."""
    return AlreadyExists(
        "Another snippet has this name.", errors=[Issue("/name", "not_unique", "Another snippet has this name.")]
    )
