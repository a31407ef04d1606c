from typing import Annotated

from signalpost.context import AppContext
from signalpost.flags import actions, queries, views
from signalpost.flags.schemas import FeatureFlag, FeatureFlagUpdate, FlagValues
from signalpost.kit.db import Db
from signalpost.kit.problems import NotFound
from signalpost.kit.wire import Listing
from signalpost.web.caller import SIGNED_IN, Caller
from signalpost.web.inputs import Segment
from signalpost.web.routing import Routes

routes = Routes("Feature flags")

FlagKey = Annotated[str, Segment("key", "The key of a flag.", "webhooks.standard_headers")]


@routes.get("/feature-flags", scope=SIGNED_IN)
async def get_flag_values(context: AppContext, caller: Caller) -> FlagValues:
    """Return the flags that clients may know, as they are for the caller. A change shows within five seconds."""
    return await actions.values_for(context, caller)


@routes.get("/admin/feature-flags", scope="instance:admin")
async def list_feature_flags(db: Db) -> Listing[FeatureFlag]:
    """List every flag of this version, with what staff changed. For staff of the installation."""
    return Listing(data=await actions.list_flags(db))


@routes.get("/admin/feature-flags/{key}", scope="instance:admin", raises=(NotFound,))
async def get_feature_flag(db: Db, key: FlagKey) -> FeatureFlag:
    """Return a flag. For staff of the installation."""
    flag = actions.find(key)
    return views.flag((await queries.states(db))[flag.key])


@routes.patch(
    "/admin/feature-flags/{key}", scope="instance:admin", across_workspaces=True, history="action", raises=(NotFound,)
)
async def update_feature_flag(db: Db, caller: Caller, key: FlagKey, data: FeatureFlagUpdate) -> FeatureFlag:
    """Change a flag; every process follows within five seconds. For staff of the installation.

    A flag is on for a workspace if it is `enabled`, and a rule names the workspace, its plan or the user, or the
    workspace's bucket is within `rolloutPercent`. The bucket stays the same, so a larger share keeps those who have it.
    """
    return await actions.update_flag(db, caller, key, data)
