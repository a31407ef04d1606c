"""Applying rules to new comments, in the transaction that stores them: each meets them once, or is not there.

What a rule does here is written at once. Only hiding asks a network: that is noted, and a job does it.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID

from msgspec.structs import replace

from signalpost.comments import rules
from signalpost.comments.actions import rule as actions
from signalpost.comments.actions.hide import enqueue
from signalpost.comments.matching import Matcher
from signalpost.comments.queries import CommentRow, ReplyError
from signalpost.comments.rules import RuleRow, UseRow
from signalpost.comments.schemas import TAGS_MAX
from signalpost.comments.states import RuleAction
from signalpost.context import AppContext
from signalpost.identity import members
from signalpost.kit import clock, ids, rows
from signalpost.kit.db import Db

_INSERT: Final = rows.insert("comment_rule_use", UseRow)
_CHANGE: Final = """
update comment set state = $3, assignee_id = $4, assignee_name = $5, tags = $6 where id = $1 and workspace_id = $2
"""


class _Assignees(NamedTuple):
    """Names of members by (member, profile), as they are asked for; None: they do not see the profile."""

    db: Db
    workspace_id: UUID
    names: dict[tuple[UUID, UUID], str | None]

    async def name(self, member_id: UUID, profile_id: UUID) -> str | None:
        key = (member_id, profile_id)
        if key not in self.names:
            readers = await members.readers(self.db, self.workspace_id, [member_id], profile_id)
            self.names[key] = readers[0].name if readers else None
        return self.names[key]


async def apply(context: AppContext, db: Db, written: Sequence[CommentRow]) -> None:
    """Do with new comments what rules say, the oldest rule first, and note it."""
    comments = [row for row in written if not row.is_own and row.mode == "live"]
    if not comments:
        return
    workspace_id = comments[0].workspace_id
    active = await rules.enabled(db, workspace_id)
    if not active:
        return
    matcher, answered = Matcher(active), dict[UUID, bool]()
    assignees, hides = _Assignees(db, workspace_id, {}), False
    for comment in comments:
        changed = comment
        for rule in matcher.rules_for(comment):
            if rule.id not in answered:
                answered[rule.id] = await actions.answering(context, db, rule) is not None
                if not answered[rule.id]:
                    await actions.hold(db, rule)
            if not answered[rule.id]:
                continue
            changed, use = await _applied(changed, rule, assignees)
            await db.execute(_INSERT, *rows.values(use))
            hides = hides or rule.hide
        if changed is not comment:
            await db.execute(
                _CHANGE, changed.id, workspace_id, changed.state, changed.assignee_id, changed.assignee_name,
                changed.tags,
            )  # fmt: skip
    if hides:
        await enqueue(db, comments[0].account_id, workspace_id)


async def _applied(comment: CommentRow, rule: RuleRow, assignees: _Assignees) -> tuple[CommentRow, UseRow]:
    """Return a comment as a rule leaves it, and what was done."""
    done: list[RuleAction] = []
    error: ReplyError | None = None
    if rule.assignee_id is not None and comment.assignee_id is None:
        name = await assignees.name(rule.assignee_id, comment.profile_id)
        if name is None:
            error = ReplyError(
                "assignee_unavailable", "The member who was to take care of it does not see the profile."
            )
        else:
            comment = replace(comment, assignee_id=rule.assignee_id, assignee_name=name)
            done.append("assign")
    tags = list(dict.fromkeys([*comment.tags, *rule.tags]))[:TAGS_MAX]
    if tags != comment.tags:
        comment = replace(comment, tags=tags)
        done.append("tag")
    if rule.done and comment.state != "done":
        comment = replace(comment, state="done")
        done.append("done")
    use = UseRow(
        id=ids.new_id(),
        workspace_id=comment.workspace_id,
        rule_id=rule.id,
        rule_name=rule.name,
        comment_id=comment.id,
        profile_id=comment.profile_id,
        account_id=comment.account_id,
        actions=done,
        hiding="pending" if rule.hide else None,
        error=error,
        attempts=0,
        created_at=clock.actual(),
    )
    return comment, use
