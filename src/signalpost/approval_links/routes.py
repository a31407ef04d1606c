from typing import Annotated

from signalpost.approval_links import queries, views
from signalpost.approval_links.actions import guest, manage
from signalpost.approval_links.errors import ApprovalCodeRequired, ApprovalLinkExpired, ApprovalLinkRevoked
from signalpost.approval_links.queries import ApprovalLinkRow
from signalpost.approval_links.schemas import (
    CODE_HEADER,
    TOKEN_EXAMPLE,
    ApprovalLink,
    ApprovalLinkCreate,
    ApprovalLinkQuery,
    CodeSent,
    Review,
    ReviewDecide,
    ReviewPost,
    ReviewQuery,
)
from signalpost.context import AppContext
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden, InvalidState, NotFound, TooManyItems, VersionConflict
from signalpost.kit.wire import Listing
from signalpost.plans.errors import PlanFeatureUnavailable
from signalpost.posts.write import permissions
from signalpost.web.caller import PUBLIC, Caller
from signalpost.web.fields import ApprovalLinkId, PostId
from signalpost.web.inputs import Mine, Segment
from signalpost.web.paging import Page
from signalpost.web.request import Request
from signalpost.web.routing import Routes

routes = Routes("Approval by link")

MyLink = Annotated[ApprovalLinkRow, Mine(ApprovalLinkId, queries.find_mine)]
PathToken = Annotated[str, Segment("token", "The token of the link.", TOKEN_EXAMPLE)]
_ENDED = (NotFound, ApprovalLinkExpired, ApprovalLinkRevoked)
_CODE = {CODE_HEADER: "The code that was mailed, if the link needs one."}
_POST = "pst_01M7Z0000000000000000000AB"
_EXAMPLES = {
    "Chosen posts": {"postIds": [_POST], "message": "Please have a look."},
    "A month of a profile": {
        "profileId": "prof_01M7Z0000000000000000000AB",
        "from": "2026-12-01T00:00:00+01:00",
        "to": "2027-01-01T00:00:00+01:00",
    },
}


@routes.post(
    "/approval-links",
    scope="posts:read",
    raises=(Forbidden, TooManyItems, PlanFeatureUnavailable, InvalidState),
    examples=_EXAMPLES,
)
async def create_approval_link(context: AppContext, db: Db, caller: Caller, data: ApprovalLinkCreate) -> ApprovalLink:
    """Ask someone without a user here to approve posts. Send them `url`: they see these posts and nothing else.

    Who may approve posts may make a link, and it works as long as they may. It is in this response only. Posts that
    are planned later need another link.
    """
    return await manage.create_link(context, db, caller, data)


@routes.get("/approval-links", scope="posts:read", raises=(Forbidden,))
async def list_approval_links(db: Db, caller: Caller, query: ApprovalLinkQuery, page: Page) -> Listing[ApprovalLink]:
    """List links for approval, newest first, ended ones included until a month after their end."""
    permissions.require_deciding(caller)
    rows = await queries.visible(db, caller, page, post_id=query.post_id, profile_id=query.profile_id)
    return page.of(rows, views.approval_link)


@routes.delete("/approval-links/{id}", scope="posts:read", status=204, raises=(Forbidden,))
async def revoke_approval_link(link: MyLink, db: Db, caller: Caller) -> None:
    """End a link at once. What was decided by it stays decided. Repeating this request changes nothing."""
    await manage.revoke_link(db, caller, link)


@routes.get("/approvals/{token}", scope=PUBLIC, raises=(*_ENDED, ApprovalCodeRequired), documented_headers=_CODE)
async def get_review(token: PathToken, context: AppContext, request: Request, query: ReviewQuery) -> Review:
    """Return what a link shows: its posts as each network will show them, in the order of time.

    Each has the state of its approval; those that are `pending` can be decided.
    """
    return await guest.read_review(context, token, request.headers.get(CODE_HEADER.lower()), query)


@routes.post("/approvals/{token}/code", scope=PUBLIC, status=202, history="nothing", raises=(*_ENDED, InvalidState))
async def send_approval_code(token: PathToken, context: AppContext) -> CodeSent:
    """Mail a code to the receiver of a link that was made for an e-mail address. It works for twelve hours."""
    return await guest.send_code(context, token, "en")


@routes.post(
    "/approvals/{token}/posts/{postId}",
    scope=PUBLIC,
    status=200,
    history="action",
    raises=(*_ENDED, ApprovalCodeRequired, InvalidState, VersionConflict, TooManyItems),
    documented_headers=_CODE,
)
async def decide_review(
    token: PathToken, post_id: PostId, context: AppContext, request: Request, data: ReviewDecide
) -> ReviewPost:
    """Approve a post, ask for changes, reject it, or say something about it. History names whom you say you are.

    Send the version that was shown: if the post was changed since, nothing is decided.
    """
    return await guest.decide(context, token, post_id, request.headers.get(CODE_HEADER.lower()), data)
