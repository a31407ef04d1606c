"""Comments over HTTP."""

from typing import Annotated, Final
from uuid import UUID

from signalpost.accounts.errors import PlatformError, PlatformTimeout
from signalpost.comments import listing, queries, rules, saved, views
from signalpost.comments.actions import answer, change, moderate, preview, push, rule, save
from signalpost.comments.errors import CommentActionUnavailable, CommentAnswered, ReplyLoop
from signalpost.comments.queries import ANSWERS_OF_PAGE, ANSWERS_SHOWN, CommentRow
from signalpost.comments.rule_schemas import (
    CommentRule,
    CommentRuleCreate,
    CommentRuleListQuery,
    CommentRulePreview,
    CommentRuleUpdate,
    CommentRuleUse,
    CommentRuleUseListQuery,
)
from signalpost.comments.rules import RuleRow
from signalpost.comments.saved import SavedReplyRow
from signalpost.comments.schemas import (
    Comment,
    CommentListQuery,
    CommentReply,
    CommentReplyCreate,
    CommentThread,
    CommentUpdate,
    PushReceived,
    SavedReply,
    SavedReplyCreate,
    SavedReplyQuery,
    SavedReplyUpdate,
)
from signalpost.context import AppContext
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.kit.db import Db
from signalpost.kit.problems import (
    Forbidden,
    HostNotFound,
    InvalidSignature,
    InvalidState,
    NotFound,
    PayloadTooLarge,
    TooManyItems,
    UnsafeAddress,
    VerificationFailed,
)
from signalpost.kit.wire import Listing
from signalpost.posts import queries as posts
from signalpost.posts.rows import PostRow
from signalpost.profiles.errors import ProfileArchived
from signalpost.web import hub
from signalpost.web.caller import PUBLIC, Caller
from signalpost.web.fields import CommentId, CommentReplyId, CommentRuleId, PostId, SavedReplyId
from signalpost.web.hub import Handshake
from signalpost.web.inputs import Mine, Segment, require_profile
from signalpost.web.paging import Page
from signalpost.web.request import Request
from signalpost.web.routing import RawResponse, Routes

routes = Routes("Comments")

MyPost = Annotated[PostRow, Mine(PostId, posts.find_mine, param="id", why_absent=posts.why_absent)]
MyComment = Annotated[CommentRow, Mine(CommentId, queries.find_mine, param="id")]
MyRule = Annotated[RuleRow, Mine(CommentRuleId, rules.find_mine)]
MySavedReply = Annotated[SavedReplyRow, Mine(SavedReplyId, saved.find_mine)]
PathPlatform = Annotated[str, Segment("platform", "The network whose app calls this.", "facebook")]
_AT_NETWORK = (
    Forbidden, TestModeOnlySandbox, CommentActionUnavailable, InvalidState, PlatformError, PlatformTimeout,
    HostNotFound, UnsafeAddress,
)  # fmt: skip
_CALL: Final = {
    "application/json": {
        "schema": {
            "type": "object",
            "description": "A notification, as the network documents it.",
            "additionalProperties": True,
        },
        "example": {"object": "page", "entry": []},
    }
}


@routes.get("/comments", scope="comments:read")
async def list_comments(
    context: AppContext, db: Db, caller: Caller, query: CommentListQuery, page: Page
) -> Listing[Comment]:
    """List what others wrote under published posts, what was collected or came back last first.

    Networks are asked every 5 minutes in the first hour of a post, hourly for a day, daily for 30 days. What is listed
    was written by others: it is personal data, and forgotten after 90 days, or as long as the plan or the operator
    says.

    For one page at most 5,000 comments are looked at. A page may have fewer than `limit`, or none, with `hasMore`.
    """
    rows, end = await listing.visible(db, caller, query, page)
    if not rows:
        await require_profile(context, db, caller, query.profile_id)
    replies = await queries.replies(db, caller.workspace_id, [row.id for row in page.trim(rows)])
    comments = await page.of_large(rows, lambda row: views.comment(row, replies[row.id]), position=listing.position)
    return comments if comments.has_more or end is None else page.leading_on(comments, end)


@routes.get("/comments/{id}", scope="comments:read")
async def get_comment(comment: MyComment, db: Db) -> Comment:
    """Return a comment, with the answers from here."""
    replies = await queries.replies(db, comment.workspace_id, [comment.id])
    return views.comment(comment, replies[comment.id])


@routes.get("/posts/{id}/comments", scope="comments:read")
async def list_post_comments(post: MyPost, db: Db, page: Page) -> Listing[CommentThread]:
    """List the comments under a post as threads, oldest first, with what the account itself wrote.

    A thread shows up to 200 answers, and all threads of a page 1,000: with a smaller `limit` each of them shows more.
    """
    rows = await queries.roots(db, post.workspace_id, post.id, page)
    threads = [row.thread_id for row in page.trim(rows)]
    answers_max = min(ANSWERS_SHOWN, ANSWERS_OF_PAGE // max(1, len(threads)))
    below = await queries.answers(db, post.workspace_id, threads, answers_max + 1)
    comment_ids = [row.id for root in page.trim(rows) for row in (root, *below[root.thread_id])]
    replies = await queries.replies(db, post.workspace_id, comment_ids)

    def thread(root: CommentRow) -> CommentThread:
        answers = below[root.thread_id]
        return CommentThread(
            comment=views.comment(root, replies[root.id]),
            answers=[views.comment(row, replies[row.id]) for row in answers[:answers_max]],
            more=len(answers) > answers_max,
        )

    return await page.of_large(rows, thread)


@routes.patch("/comments/{id}", scope="comments:write", raises=(TestModeOnlySandbox,), example={"state": "done"})
async def update_comment(comment: MyComment, db: Db, caller: Caller, data: CommentUpdate) -> Comment:
    """Mark a comment done or open again, have it come back later, assign it, or tag it. Nobody outside sees that."""
    return await change.update_comment(db, caller, comment, data)


@routes.post(
    "/comments/{id}/reply",
    scope="comments:write",
    raises=(
        Forbidden, TestModeOnlySandbox, CommentActionUnavailable, CommentAnswered, InvalidState, ProfileArchived,
        TooManyItems, ReplyLoop,
    ),
)  # fmt: skip
async def reply_to_comment(comment: MyComment, db: Db, caller: Caller, data: CommentReplyCreate) -> CommentReply:
    """Answer a comment as the account whose post it is.

    The answer is sent within a second or so, and never twice: if the network's response is lost, it is asked whether it
    has the answer before anything is sent again. Then `state` is `sent` and the comment is done. What a contributor
    answers waits for an approval (`pending`).
    """
    return await answer.reply(db, caller, comment, data)


@routes.post(
    "/comments/{id}/replies/{replyId}/approve",
    scope="comments:read",
    status=200,
    raises=(Forbidden, TestModeOnlySandbox, InvalidState, ProfileArchived),
)
async def approve_comment_reply(comment: MyComment, reply_id: CommentReplyId, db: Db, caller: Caller) -> CommentReply:
    """Approve an answer that waits for it; it is sent at once."""
    return await answer.decide(db, caller, comment, UUID(int=reply_id.int), approved=True)


@routes.post(
    "/comments/{id}/replies/{replyId}/reject",
    scope="comments:read",
    status=200,
    raises=(Forbidden, TestModeOnlySandbox, InvalidState),
)
async def reject_comment_reply(comment: MyComment, reply_id: CommentReplyId, db: Db, caller: Caller) -> CommentReply:
    """Reject an answer that waits for an approval, or take back one's own."""
    return await answer.decide(db, caller, comment, UUID(int=reply_id.int), approved=False)


@routes.post("/comments/{id}/hide", scope="comments:write", status=200, raises=_AT_NETWORK)
async def hide_comment(comment: MyComment, context: AppContext, caller: Caller) -> Comment:
    """Hide a comment from others at its network."""
    return await moderate.hide(context, caller, comment, hidden=True)


@routes.post("/comments/{id}/unhide", scope="comments:write", status=200, raises=_AT_NETWORK)
async def unhide_comment(comment: MyComment, context: AppContext, caller: Caller) -> Comment:
    """Show a hidden comment again at its network."""
    return await moderate.hide(context, caller, comment, hidden=False)


@routes.post("/comments/{id}/like", scope="comments:write", status=200, raises=_AT_NETWORK)
async def like_comment(comment: MyComment, context: AppContext, caller: Caller) -> Comment:
    """Like a comment as the account."""
    return await moderate.like(context, caller, comment, liked=True)


@routes.delete("/comments/{id}", scope="comments:write", status=204, raises=_AT_NETWORK)
async def delete_comment(comment: MyComment, context: AppContext, caller: Caller) -> None:
    """Delete a comment at its network: what the account wrote, and what others wrote where the network lets it."""
    await moderate.delete(context, caller, comment)


@routes.post("/saved-replies", scope="comments:write", raises=(Forbidden, TestModeOnlySandbox, NotFound, TooManyItems))
async def create_saved_reply(context: AppContext, db: Db, caller: Caller, data: SavedReplyCreate) -> SavedReply:
    """Save a text that your team answers comments with again and again. A workspace has at most 200."""
    return await save.create(context, db, caller, data)


@routes.get("/saved-replies", scope="comments:read")
async def list_saved_replies(
    context: AppContext, db: Db, caller: Caller, query: SavedReplyQuery, page: Page
) -> Listing[SavedReply]:
    """List saved replies, newest first: those of a profile with those for all, or all that you see."""
    profile_id = None if query.profile_id is None else UUID(int=query.profile_id.int)
    rows = await saved.visible(db, caller, profile_id, page)
    if not rows:
        await require_profile(context, db, caller, query.profile_id)
    return page.of(rows, views.saved_reply)


@routes.patch("/saved-replies/{id}", scope="comments:write", raises=(Forbidden, TestModeOnlySandbox))
async def update_saved_reply(reply: MySavedReply, db: Db, caller: Caller, data: SavedReplyUpdate) -> SavedReply:
    """Change a saved reply. Answers that were made of it stay as they are."""
    return await save.update(db, caller, reply, data)


@routes.delete("/saved-replies/{id}", scope="comments:write", status=204, raises=(Forbidden, TestModeOnlySandbox))
async def delete_saved_reply(reply: MySavedReply, db: Db, caller: Caller) -> None:
    """Delete a saved reply."""
    await save.delete(db, caller, reply)


_RULE: Final = {"name": "Jobs", "words": ["vacancy", "job"], "tags": ["jobs"]}


@routes.post(
    "/comment-rules", scope="comments:write", raises=(Forbidden, TestModeOnlySandbox, TooManyItems), example=_RULE
)
async def create_comment_rule(db: Db, caller: Caller, data: CommentRuleCreate) -> CommentRule:
    """Have new comments hidden, assigned, tagged or marked as done by their words or their author.

    A rule meets each comment once, when it is collected: not those that are there already, and not again when one is
    edited. It answers nothing and publishes nothing. It acts with your rights of that moment: when they or this
    credential end, it is switched off (`held`). A workspace has at most 50.
    """
    return await rule.create(db, caller, data)


@routes.get("/comment-rules", scope="comments:read")
async def list_comment_rules(
    context: AppContext, db: Db, caller: Caller, query: CommentRuleListQuery, page: Page
) -> Listing[CommentRule]:
    """List rules, newest first. On a comment that meets several of them the oldest acts first."""
    profile_id = None if query.profile_id is None else UUID(int=query.profile_id.int)
    rows = await rules.visible(db, caller, profile_id, page)
    if not rows:
        await require_profile(context, db, caller, query.profile_id)
    return page.of(rows, views.rule)


@routes.post(
    "/comment-rules/preview",
    scope="comments:write",
    status=200,
    history="nothing",
    raises=(Forbidden, TestModeOnlySandbox),
    example=_RULE,
)
async def preview_comment_rule(context: AppContext, caller: Caller, data: CommentRuleCreate) -> CommentRulePreview:
    """Return which comments of the last 30 days a rule would have met. Nothing is saved, and nothing is done.

    At most the newest 2,000 comments are looked at; `since` says how far back that reached.
    """
    return await preview.preview(context, caller, data)


@routes.get("/comment-rules/uses", scope="comments:read")
async def list_comment_rule_uses(
    db: Db, caller: Caller, query: CommentRuleUseListQuery, page: Page
) -> Listing[CommentRuleUse]:
    """List what rules did, the last first. It is kept as long as the comment, also when the rule is deleted."""
    rule_id = None if query.rule_id is None else UUID(int=query.rule_id.int)
    comment_id = None if query.comment_id is None else UUID(int=query.comment_id.int)
    return page.of(await rules.uses(db, caller, page, rule_id=rule_id, comment_id=comment_id), views.rule_use)


@routes.patch("/comment-rules/{id}", scope="comments:write", raises=(Forbidden, TestModeOnlySandbox))
async def update_comment_rule(my_rule: MyRule, db: Db, caller: Caller, data: CommentRuleUpdate) -> CommentRule:
    """Change a rule, or switch it on or off. It acts with your rights from now on."""
    return await rule.update(db, caller, my_rule, data)


@routes.delete("/comment-rules/{id}", scope="comments:write", status=204, raises=(Forbidden, TestModeOnlySandbox))
async def delete_comment_rule(my_rule: MyRule, db: Db, caller: Caller) -> None:
    """Delete a rule. What it did stays."""
    await rule.delete(db, caller, my_rule)


@routes.get(
    "/platforms/{platform}/webhook",
    scope=PUBLIC,
    has_cell_path=True,
    raises=(VerificationFailed,),
    documented_response=hub.CHALLENGE,
)
async def verify_comment_webhook(context: AppContext, platform: PathPlatform, query: Handshake) -> RawResponse:
    """Verify the address of the webhook: the network calls this once, when it is registered there."""
    connector = push.connector_of(context, platform)
    token = context.settings.network(connector.facts.key, "verify_token") if connector is not None else None
    return RawResponse(hub.shake_hands(token, query).encode(), "text/plain; charset=utf-8")


@routes.post(
    "/platforms/{platform}/webhook",
    scope=PUBLIC,
    has_cell_path=True,
    status=200,
    unlimited=True,
    history="nothing",
    raises=(InvalidSignature, PayloadTooLarge),
    documented_request_body=_CALL,
    documented_headers=hub.SIGNATURE,
)
async def receive_comment_push(context: AppContext, platform: PathPlatform, request: Request) -> PushReceived:
    """Receive from a network, signed by it, that something was written under a post.

    It is a hint: nothing of it is stored, and the network is asked for the comments of the post within moments.
    """
    connector = push.connector_of(context, platform)
    body = await hub.read_call(context, request, push.secrets_of(context, connector))
    if connector is not None:  # else no signature was valid
        await push.receive(context, connector, body)
    return PushReceived()
