from typing import Annotated

from signalpost.apps import queries, views
from signalpost.apps.actions import grants, manage
from signalpost.apps.queries import AppRow, GrantRow
from signalpost.apps.schemas import App, AppCreate, AppDeleted, AppGrant, AppGrantRevocation, AppUpdate, AppWithSecret
from signalpost.context import AppContext
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden, InsufficientScope, InvalidState, TooManyItems
from signalpost.kit.wire import Listing
from signalpost.web.caller import Caller
from signalpost.web.fields import AppGrantId, AppId
from signalpost.web.inputs import Mine
from signalpost.web.paging import Page
from signalpost.web.routing import Routes

routes = Routes("Apps")

MyApp = Annotated[AppRow, Mine(AppId, queries.find_mine)]
_MANAGES = (Forbidden, InsufficientScope)
MyGrant = Annotated[GrantRow, Mine(AppGrantId, queries.find_my_grant)]


@routes.post("/apps", scope="keys:write", raises=(*_MANAGES, TooManyItems))
async def create_app(db: Db, caller: Caller, context: AppContext, data: AppCreate) -> AppWithSecret:
    """Register an app that people allow to act for them by OAuth. Only this response contains `secret`."""
    return await manage.create_app(context, db, caller, data)


@routes.get("/apps", scope="keys:write")
async def list_apps(db: Db, caller: Caller, page: Page) -> Listing[App]:
    """List the apps that this workspace has registered, newest first."""
    return page.of(await queries.visible(db, caller, page), views.app)


@routes.get("/apps/{id}", scope="keys:write")
async def get_app(app: MyApp) -> App:
    """Return an app that this workspace has registered."""
    return views.app(app)


@routes.patch("/apps/{id}", scope="keys:write", raises=_MANAGES)
async def update_app(app: MyApp, db: Db, caller: Caller, data: AppUpdate) -> App:
    """Change an app. What people have allowed it goes on."""
    return await manage.update_app(db, caller, app, data)


@routes.delete("/apps/{id}", scope="keys:write", raises=_MANAGES)
async def delete_app(app: MyApp, db: Db, caller: Caller) -> AppDeleted:
    """Delete an app. None of its tokens works from now on, whichever workspace allowed it."""
    return await manage.delete_app(db, caller, app)


@routes.post("/apps/{id}/secret", scope="keys:write", status=200, raises=(*_MANAGES, InvalidState))
async def replace_app_secret(app: MyApp, db: Db, caller: Caller, context: AppContext) -> AppWithSecret:
    """Give an app another secret. The one before stops working at once; only this response contains the new one."""
    return await manage.replace_secret(context, db, caller, app)


@routes.get("/app-grants", scope="keys:write")
async def list_app_grants(db: Db, caller: Caller, page: Page) -> Listing[AppGrant]:
    """List what apps were allowed in this workspace, newest first: owners and admins see all, editors their own."""
    return page.of(await queries.my_grants(db, caller, page), views.grant)


@routes.delete("/app-grants/{id}", scope="keys:write")
async def revoke_app_grant(grant: MyGrant, db: Db, context: AppContext) -> AppGrantRevocation:
    """End what an app was allowed, at once. Webhooks that it made are paused. Repeating the request changes nothing."""
    return await grants.revoke_grant(context, db, grant)
