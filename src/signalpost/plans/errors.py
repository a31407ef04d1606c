from signalpost.identity.errors import PlanLimitReached
from signalpost.kit import problems

__all__ = ["PlanFeatureUnavailable", "PlanLimitReached"]


class PlanFeatureUnavailable(problems.Problem, status=402):
    """The workspace's plan does not include this.

    `limit` names what is missing; choose a plan that has it.
    """
