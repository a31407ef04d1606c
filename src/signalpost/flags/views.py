from signalpost.flags.evaluation import FlagState
from signalpost.flags.registry import FLAGS
from signalpost.flags.schemas import FeatureFlag, FeatureFlagRules, FlagActor
from signalpost.kit import clock, ids


def flag(state: FlagState) -> FeatureFlag:
    """Return a flag as staff see it."""
    declared, actor, rules = FLAGS[state.key], state.updated_by, state.rules
    return FeatureFlag(
        key=state.key,
        name=declared.name,
        description=state.description or declared.description,
        enabled=state.enabled,
        rollout_percent=state.rollout_percent,
        rules=FeatureFlagRules(
            plans=rules.plans,
            workspace_ids=[ids.encode("wsp", workspace_id) for workspace_id in rules.workspace_ids],
            user_ids=[ids.encode("usr", user_id) for user_id in rules.user_ids],
        ),
        default_value=declared.default,
        updated_by=None if actor is None else FlagActor(actor.type, actor.id, actor.name),
        updated_at=clock.wire_or_none(state.updated_at),
    )
