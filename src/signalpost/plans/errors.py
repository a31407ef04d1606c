from signalpost.kit import problems


class PlanFeatureUnavailable(problems.Problem, status=402):
    """The workspace's plan does not include this.

    `limit` names what is missing; choose a plan that includes it.
    """
