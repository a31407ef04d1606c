"""Feature flags on the wire."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from signalpost.kit.ids import example
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.fields import UserId, WorkspaceId

PlanName = Literal["free", "starter", "pro", "max", "self_hosted"]
_PERCENT = "The share of workspaces for which the flag is on, besides those of `rules`."


class FlagRulesUpdate(Input):
    """For whom the flag is on whatever `rolloutPercent` says. A list replaces the stored one."""

    plans: Annotated[
        Annotated[list[PlanName], Meta(max_length=5)] | UnsetType,
        Meta(description="Plans whose workspaces have it.", examples=[["max"]]),
    ] = UNSET
    workspace_ids: Annotated[
        Annotated[list[WorkspaceId], Meta(max_length=1_000)] | UnsetType,
        Meta(description="Workspaces that have it.", examples=[[example("wsp")]]),
    ] = UNSET
    user_ids: Annotated[
        Annotated[list[UserId], Meta(max_length=1_000)] | UnsetType,
        Meta(description="Users who have it. Work in the background has no user.", examples=[[example("usr")]]),
    ] = UNSET


class FeatureFlagUpdate(Input):
    """Any subset of the fields."""

    enabled: Annotated[
        bool | UnsetType, Meta(description="False: off for everyone, whatever the other fields say.", examples=[True])
    ] = UNSET
    rollout_percent: Annotated[
        Annotated[int, Meta(ge=0, le=100)] | UnsetType, Meta(description=_PERCENT, examples=[25])
    ] = UNSET
    rules: Annotated[
        FlagRulesUpdate | UnsetType,
        Meta(description="For whom it is on besides; a member that is left out stays.", examples=[{"plans": ["max"]}]),
    ] = UNSET
    description: Annotated[
        Annotated[str, Meta(min_length=1, max_length=500)] | UnsetType | None,
        Meta(description="What it does here; null: the declared one.", examples=["On for customers of the pilot."]),
    ] = UNSET


class FeatureFlagRules(Output):
    """For whom a flag is on, whatever the rollout says."""

    plans: Annotated[list[str], Meta(examples=[["max"]])]
    workspace_ids: Annotated[list[str], Meta(examples=[[example("wsp")]])]
    user_ids: Annotated[list[str], Meta(examples=[[example("usr")]])]


class FlagActor(Output):
    """Who changed a flag last."""

    type: Annotated[str, Meta(examples=["user"])]
    id: Annotated[str | None, Meta(examples=[example("usr")])]
    name: Annotated[str | None, Meta(examples=["Ada"])]


class FeatureFlag(Output):
    """A switch of the installation. It is on for a workspace if it is `enabled`, and a rule or the rollout says so."""

    key: Annotated[str, Meta(examples=["webhooks.standard_headers"])]
    name: Annotated[str, Meta(examples=["Standard Webhooks headers"])]
    description: Annotated[str, Meta(examples=["Deliveries carry webhook-id and webhook-signature besides our own."])]
    enabled: Annotated[bool, Meta(examples=[True])]
    rollout_percent: Annotated[int, Meta(description=_PERCENT, examples=[100])]
    rules: FeatureFlagRules
    default_value: Annotated[bool, Meta(description="Whether it is enabled while nobody changed it.", examples=[True])]
    updated_by: FlagActor | None
    updated_at: Instant | None


class FlagValues(Output):
    """The flags that clients may know, as they are for the caller."""

    flags: Annotated[dict[str, bool], Meta(examples=[{"console.beta": False}])]
