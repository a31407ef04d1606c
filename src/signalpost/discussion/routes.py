from typing import Annotated

from signalpost.context import AppContext
from signalpost.discussion import actions, queries, views
from signalpost.discussion.schemas import PostMessage, PostMessageCreate
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden, TooManyItems
from signalpost.kit.wire import Listing
from signalpost.posts import queries as posts
from signalpost.posts.rows import PostRow
from signalpost.web.caller import Caller
from signalpost.web.fields import PostId, PostMessageId
from signalpost.web.inputs import Mine
from signalpost.web.paging import Page
from signalpost.web.routing import Routes

routes = Routes("Posts")

MyPost = Annotated[PostRow, Mine(PostId, posts.find_mine, param="id", why_absent=posts.why_absent)]


@routes.get("/posts/{id}/discussion", scope="posts:read")
async def list_post_messages(post: MyPost, db: Db, page: Page) -> Listing[PostMessage]:
    """List what was said about a post, oldest first: by its team, and by those with a link for approval."""
    return page.of(await queries.listed(db, post.workspace_id, post.id, page), views.message)


@routes.post(
    "/posts/{id}/discussion",
    scope="posts:read",
    raises=(Forbidden, TooManyItems),
    example={"text": "Can we use the other picture?"},
)
async def add_post_message(
    post: MyPost, context: AppContext, db: Db, caller: Caller, data: PostMessageCreate
) -> PostMessage:
    """Say something about a post to its team; nothing of it is published. Members who are mentioned get a mail."""
    return await actions.add_message(context, db, caller, post, data)


@routes.delete("/posts/{id}/discussion/{messageId}", scope="posts:read", status=204, raises=(Forbidden,))
async def delete_post_message(post: MyPost, message_id: PostMessageId, db: Db, caller: Caller) -> None:
    """Delete a message: one's own, or as an admin any. What answered it stays."""
    await actions.delete_message(db, caller, post, message_id)
