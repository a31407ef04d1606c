from typing import Annotated

import msgspec

from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached, TestModeOnlySandbox
from signalpost.kit.db import Db
from signalpost.kit.problems import AlreadyExists, Forbidden, InvalidState, VersionConflict
from signalpost.kit.wire import Listing
from signalpost.plans.errors import PlanFeatureUnavailable
from signalpost.profiles import queries, views
from signalpost.profiles.actions import create, delete, links, update
from signalpost.profiles.errors import LinkCycle, PostsWaiting, ProfileArchived
from signalpost.profiles.queries import LinkRow, ProfileRow
from signalpost.profiles.schemas import (
    Child,
    LinkDeletion,
    LinkHistory,
    Profile,
    ProfileCreate,
    ProfileDeletion,
    ProfileLink,
    ProfileLinkCreate,
    ProfileQuery,
    ProfileUpdate,
)
from signalpost.web.caller import Caller
from signalpost.web.conditional import Conditional
from signalpost.web.fields import ProfileId, ProfileLinkId
from signalpost.web.inputs import IfMatch, Mine
from signalpost.web.paging import LIST_ALL, Page
from signalpost.web.routing import Routes

routes = Routes("Profiles")

MyProfile = Annotated[ProfileRow, Mine(ProfileId, queries.find_mine)]
MyLink = Annotated[LinkRow, Mine(ProfileLinkId, queries.find_my_link)]


@routes.post(
    "/profiles",
    scope="profiles:write",
    raises=(AlreadyExists, Forbidden, PlanFeatureUnavailable, PlanLimitReached),
    etag=True,
)
async def create_profile(context: AppContext, db: Db, caller: Caller, data: ProfileCreate) -> Profile:
    """Create a profile.

    Names are unique in a workspace regardless of case. A credential that is limited to some profiles cannot create
    others.
    """
    return await create.create_profile(context, db, caller, data)


@routes.get("/profiles", scope="profiles:read", limit_default=LIST_ALL)
async def list_profiles(db: Db, caller: Caller, query: ProfileQuery, page: Page) -> Listing[Profile]:
    """List profiles, newest first, archived ones too. Without `limit`, up to 500 are returned.

    A test key does not see profiles that have live accounts.
    """
    return page.of(await queries.visible(db, caller, page, archived=query.archived), views.profile)


@routes.get("/profiles/links", scope="profiles:read", limit_default=LIST_ALL)
async def list_profile_links(db: Db, caller: Caller, page: Page) -> Listing[ProfileLink]:
    """List links between profiles, newest first. Without `limit`, up to 500 are returned."""
    return page.of(await queries.links(db, caller, page), views.link)


@routes.post(
    "/profiles/links",
    scope="profiles:write",
    raises=(AlreadyExists, LinkCycle, PlanFeatureUnavailable, ProfileArchived, TestModeOnlySandbox),
)
async def create_profile_link(db: Db, caller: Caller, data: ProfileLinkCreate) -> ProfileLink:
    """Link a child profile to a parent, so that posts of the parent can be passed on.

    A profile has at most one parent, and a chain at most three links. Linking the same pair again replaces all rules:
    a rule that is left out returns to its default.
    """
    return await links.link_profiles(db, caller, data)


@routes.get("/profiles/links/history", scope="profiles:read")
async def list_profile_link_history(db: Db, caller: Caller, page: Page) -> Listing[LinkHistory]:
    """List the history of links, newest first."""
    return page.of(await queries.history(db, caller, page), views.link_history)


@routes.delete("/profiles/links/{linkId}", scope="profiles:write", raises=(TestModeOnlySandbox,))
async def delete_profile_link(link: MyLink, db: Db, caller: Caller) -> LinkDeletion:
    """Remove a link. The posts it created stay."""
    return await links.unlink_profiles(db, caller, link)


@routes.get("/profiles/{id}", scope="profiles:read", etag=True)
async def get_profile(profile: MyProfile) -> Conditional[Profile]:
    """Return a profile."""
    return Conditional(profile.version, msgspec.structs.astuple(profile), lambda: views.profile(profile))


@routes.patch(
    "/profiles/{id}",
    scope="profiles:write",
    raises=(
        AlreadyExists,
        PlanFeatureUnavailable,
        PlanLimitReached,
        PostsWaiting,
        ProfileArchived,
        TestModeOnlySandbox,
        VersionConflict,
    ),
    etag=True,
)
async def update_profile(
    profile: MyProfile, context: AppContext, db: Db, caller: Caller, data: ProfileUpdate, if_match: IfMatch
) -> Profile:
    """Change a profile. A field that is left out stays as it is; `null` clears it or restores its default.

    `archived: true` ends the work for it for now; it is refused while posts of it are still to be published. Its posts,
    numbers, files and accounts stay and can be read. Until `archived: false` restores it, nothing is written or
    published for it, and its feeds rest.
    """
    return await update.update_profile(context, db, caller, profile.id, data, if_match)


@routes.delete("/profiles/{id}", scope="profiles:write", raises=(InvalidState, VersionConflict, TestModeOnlySandbox))
async def delete_profile(
    profile: MyProfile, context: AppContext, db: Db, caller: Caller, if_match: IfMatch
) -> ProfileDeletion:
    """Delete a profile. Its accounts are disconnected, its posts are moved to the trash, and its links are removed.

    Refused while one of its posts is being published. Even the last profile can be deleted.
    """
    return await delete.delete_profile(context, db, caller, profile.id, if_match)


@routes.get("/profiles/{id}/children", scope="profiles:read", limit_default=LIST_ALL)
async def list_profile_children(profile: MyProfile, db: Db, caller: Caller, page: Page) -> Listing[Child]:
    """List the children of a profile with their links, the newest link first."""
    rows = await queries.children(db, caller, profile.id, page)
    return page.of(rows, views.child, position=lambda row: (row[0].created_at, row[0].id))
