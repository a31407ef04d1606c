from typing import Annotated
from uuid import UUID

import msgspec

from signalpost.context import AppContext
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.kit.db import Db
from signalpost.kit.problems import AlreadyExists, Forbidden, TooManyItems, VersionConflict
from signalpost.kit.wire import Listing
from signalpost.snippets import queries, views
from signalpost.snippets.actions import manage
from signalpost.snippets.queries import SnippetRow
from signalpost.snippets.schemas import Snippet, SnippetCreate, SnippetListQuery, SnippetUpdate
from signalpost.web.caller import Caller
from signalpost.web.conditional import Conditional
from signalpost.web.fields import SnippetId
from signalpost.web.inputs import IfMatch, Mine, require_profile
from signalpost.web.paging import LIST_ALL, Page
from signalpost.web.routing import Routes

routes = Routes("Snippets")

MySnippet = Annotated[SnippetRow, Mine(SnippetId, queries.find_mine)]


@routes.post(
    "/snippets", scope="posts:write", raises=(AlreadyExists, Forbidden, TestModeOnlySandbox, TooManyItems), etag=True
)
async def create_snippet(context: AppContext, db: Db, caller: Caller, data: SnippetCreate) -> Snippet:
    """Save a text that your team inserts in posts again and again. A workspace has at most 500.

    `{client}`, `{date}`, `{weekday}`, `{month}`, `{year}` and `{link}` in it are kept as they are. The console fills
    them in when it inserts the text, so what is seen there is what is published; posts that are written by the API are
    published as they are sent.
    """
    return await manage.create_snippet(context, db, caller, data)


@routes.get("/snippets", scope="posts:read", limit_default=LIST_ALL)
async def list_snippets(
    context: AppContext, db: Db, caller: Caller, query: SnippetListQuery, page: Page
) -> Listing[Snippet]:
    """List snippets, newest first: those of a profile with those for all, or all that you see.

    Without `limit`, up to 500 are returned.
    """
    profile_id = None if query.profile_id is None else UUID(int=query.profile_id.int)
    await require_profile(context, db, caller, query.profile_id)  # those for all do not prove that there is one
    rows = await queries.visible(db, caller, profile_id, query.q, page)
    return page.of(rows, views.snippet)


@routes.get("/snippets/{id}", scope="posts:read", etag=True)
async def get_snippet(snippet: MySnippet) -> Conditional[Snippet]:
    """Return a snippet."""
    return Conditional(snippet.version, msgspec.structs.astuple(snippet), lambda: views.snippet(snippet))


@routes.patch(
    "/snippets/{id}",
    scope="posts:write",
    raises=(AlreadyExists, Forbidden, TestModeOnlySandbox, VersionConflict),
    etag=True,
)
async def update_snippet(snippet: MySnippet, db: Db, caller: Caller, data: SnippetUpdate, if_match: IfMatch) -> Snippet:
    """Change a snippet. Posts in which it was inserted stay as they are."""
    return await manage.update_snippet(db, caller, snippet, data, if_match)


@routes.delete(
    "/snippets/{id}", scope="posts:write", status=204, raises=(Forbidden, TestModeOnlySandbox, VersionConflict)
)
async def delete_snippet(snippet: MySnippet, db: Db, caller: Caller, if_match: IfMatch) -> None:
    """Delete a snippet. Posts in which it was inserted stay as they are."""
    await manage.delete_snippet(db, caller, snippet, if_match)
