from signalpost.kit.problems import AlreadyExists, Issue, Problem


class ProfileArchived(Problem, status=409):
    """The profile is archived: nothing is written or published for it.

    It can be read and deleted. Restore it first: `PATCH /profiles/{id}` with `{"archived": false}`.
    """


class PostsWaiting(Problem, status=409):
    """Posts of the profile are still to be published.

    `waitingPosts` says how many. A profile is archived when nothing of it waits: cancel these posts, end those that
    repeat, or wait until they are published. `GET /posts?profileId=...&status=scheduled` lists them.
    """


class LinkCycle(Problem, status=409):
    """The links would form a cycle or too long a chain.

    A profile has at most one parent and cannot be its own ancestor, and a chain has at most three links. Remove a link
    first.
    """


def profile_archived() -> ProfileArchived:
    """Return the problem of what would be written or published for an archived profile."""
    return ProfileArchived("The profile is archived: nothing is written or published for it until it is restored.")


def name_taken() -> AlreadyExists:
    """Return the problem of a name that another profile of the workspace has."""
    return AlreadyExists(
        "Another profile of this workspace has this name.",
        errors=[Issue("/name", "not_unique", "Another profile has this name.")],
    )
