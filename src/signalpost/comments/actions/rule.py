"""Making, changing, switching off and deleting rules for new comments. Whoever does so answers for what they do."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from msgspec import UNSET
from msgspec.structs import replace

from signalpost import networks
from signalpost.comments import matching, rules, views
from signalpost.comments.rule_schemas import CommentRule, CommentRuleCreate, CommentRuleUpdate
from signalpost.comments.rules import RULES_MAX, RuleRow
from signalpost.context import AppContext
from signalpost.identity import members, roles
from signalpost.identity.authenticate import caller_by_grant
from signalpost.identity.errors import KeyRevoked, TestModeOnlySandbox, TokenExpired
from signalpost.kit import clock, ids, problems, rows
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.plans import limits
from signalpost.web.caller import Caller
from signalpost.web.fields import CommentRuleId, MemberId, ProfileId
from signalpost.web.inputs import deleted_meanwhile

_KEPT: Final = ("id", "workspace_id", "created_at")
_INSERT: Final = rows.insert("comment_rule", RuleRow)
_UPDATE: Final = f"""
update comment_rule set {rows.assignments(RuleRow, first=3, without=_KEPT)} where id = $1 and workspace_id = $2
"""  # noqa: S608 - constants only
_DELETE: Final = "delete from comment_rule where id = $1 and workspace_id = $2"
_HOLD: Final = """
update comment_rule set enabled = false, held = true, updated_at = now()
where id = $1 and workspace_id = $2 and enabled
"""
_LOCK_ALL: Final = "select pg_advisory_xact_lock(hashtextextended('comment rules:' || $1::uuid::text, 0))"


async def create(db: Db, caller: Caller, data: CommentRuleCreate) -> CommentRule:
    """Make a rule; it acts on what is collected from now on.

    Raises:
        what `checked` raises.
        TooManyItems: the workspace has `RULES_MAX`.
    """
    row = await checked(db, caller, data)
    await db.execute(_LOCK_ALL, caller.workspace_id)
    if await rules.count(db, caller.workspace_id) >= RULES_MAX:
        raise problems.TooManyItems(
            f"This workspace has {RULES_MAX} rules for comments.", remediation="Delete some that are no longer needed."
        )
    await db.execute(_INSERT, *rows.values(row))
    return views.rule(row)


async def checked(db: Db, caller: Caller, data: CommentRuleCreate) -> RuleRow:
    """Return a rule that could be made.

    Raises:
        TestModeOnlySandbox: a test key changes nothing that live keys see.
        Forbidden: the caller sees some profiles only, and names none; or may not hide comments.
        ValidationFailed: it has no condition or does nothing, or there is no such profile, network or member.
    """
    now = clock.actual()
    row = RuleRow(
        id=ids.new_id(),
        workspace_id=caller.workspace_id,
        name=data.name,
        enabled=data.enabled,
        held=False,
        words=data.words,
        authors=data.authors,
        on_profiles=_uuids(data.profile_ids),
        platforms=data.platforms,
        hide=data.hide,
        done=data.done,
        assignee_id=None if data.assignee_id is None else UUID(int=data.assignee_id.int),
        tags=list(dict.fromkeys(data.tags)),
        created_at=now,
        updated_at=now,
        **_answering(caller),
    )
    await _require_usable(db, caller, row)
    return row


async def update(db: Db, caller: Caller, rule: RuleRow, data: CommentRuleUpdate) -> CommentRule:
    """Change the fields that are present in `data`. Raises what `checked` raises."""
    stored = await rules.lock(db, rule.workspace_id, rule.id)
    if stored is None:
        raise deleted_meanwhile(CommentRuleId, rule.id)
    _require_all_seen(caller, stored)
    profile_ids, assignee_id = data.profile_ids, data.assignee_id
    changed = replace(
        stored,
        name=stored.name if data.name is UNSET else data.name,
        enabled=stored.enabled if data.enabled is UNSET else data.enabled,
        held=stored.held and data.enabled is UNSET,
        words=stored.words if data.words is UNSET else data.words,
        authors=stored.authors if data.authors is UNSET else data.authors,
        on_profiles=stored.on_profiles if profile_ids is UNSET else _uuids(profile_ids),
        platforms=stored.platforms if data.platforms is UNSET else data.platforms,
        hide=stored.hide if data.hide is UNSET else data.hide,
        done=stored.done if data.done is UNSET else data.done,
        tags=stored.tags if data.tags is UNSET else list(dict.fromkeys(data.tags)),
        updated_at=clock.actual(),
        **_answering(caller),
    )
    if assignee_id is not UNSET:
        changed = replace(changed, assignee_id=None if assignee_id is None else UUID(int=assignee_id.int))
    await _require_usable(db, caller, changed)
    await db.execute(_UPDATE, changed.id, changed.workspace_id, *rows.values(changed, without=_KEPT))
    return views.rule(changed)


async def delete(db: Db, caller: Caller, rule: RuleRow) -> None:
    """Delete a rule; what it did stays, and so does the log of it.

    Raises:
        TestModeOnlySandbox, Forbidden: as for `checked`.
    """
    _require_all_seen(caller, rule)
    await db.execute(_DELETE, rule.id, rule.workspace_id)


async def answering(context: AppContext, db: Db, rule: RuleRow) -> Caller | None:
    """Return whoever answers for a rule, with what is left of their rights; None: they may no longer do it."""
    try:
        caller = await caller_by_grant(context.settings, db, rule, f"comment-rule:{rule.id.hex}", limits.API_KEYS.of)
    except (KeyRevoked, TokenExpired, problems.Forbidden):
        return None
    if caller is None or "comments:write" not in caller.scopes or _missing(caller, rule) is not None:
        return None
    return replace(caller, auth="session" if rule.key_id is None else "api_key", guest=rule.created_by)


async def hold(db: Db, rule: RuleRow) -> None:
    """Switch off a rule for which nobody answers any more."""
    await db.execute(_HOLD, rule.id, rule.workspace_id)


def _answering(caller: Caller) -> dict[str, Any]:
    """Return who answers for a rule, and what they may do now."""
    return {
        "scopes": sorted(caller.scopes), "profile_ids": caller.sees_profiles, "user_id": caller.user_id,
        "key_id": caller.key_id, "created_by": caller.actor,
    }  # fmt: skip


def _uuids(sent: Sequence[UUID] | None) -> list[UUID] | None:
    return None if sent is None else [UUID(int=value.int) for value in dict.fromkeys(sent)]


def _missing(caller: Caller, rule: RuleRow) -> str | None:
    """Return why a caller may not have done what a rule does; None: they may."""
    if rule.hide and not roles.may_publish(caller.role):
        return f"The role {caller.role} may not act at a network, so it may not have comments hidden."
    if caller.profile_ids is None:
        return None
    if rule.on_profiles is None:
        return "You see some profiles only, so name those that the rule is for."
    if not caller.profile_ids.issuperset(rule.on_profiles):
        return "This rule is for profiles that you do not see."
    return None


def _require_all_seen(caller: Caller, rule: RuleRow) -> None:
    if caller.mode == "test":
        raise TestModeOnlySandbox("A test key changes no rules for comments: they act on live ones.")
    if (missing := _missing(caller, replace(rule, hide=False))) is not None:
        raise problems.Forbidden(missing)


async def _require_usable(db: Db, caller: Caller, rule: RuleRow) -> None:
    """Ensure that the caller may have this done, and that what the rule names is there."""
    if caller.mode == "test":
        raise TestModeOnlySandbox("A test key changes no rules for comments: they act on live ones.")
    issues = [
        Issue(f"/words/{index}", "format", "Enter a word of letters, digits or signs that can be seen.")
        for index, word in enumerate(rule.words)
        if not matching.tokens(word)
    ]
    if not rule.words and not rule.authors:
        issues.append(Issue("/words", "required", "Enter a word or an author, so that it does not meet all comments."))
    if not (rule.hide or rule.done or rule.tags or rule.assignee_id):
        issues.append(Issue("/tags", "required", "Say what it does: hide, done, assigneeId or tags."))
    issues += [
        Issue(f"/platforms/{index}", "not_allowed", "There is no such network here; `GET /platforms` lists them.")
        for index, platform in enumerate(rule.platforms or ())
        if networks.get(platform) is None
    ]
    if rule.enabled:  # whatever is gone since, a rule can be switched off
        issues += await _absent(db, caller, rule)
    if issues:
        raise problems.ValidationFailed(errors=issues)
    if (missing := _missing(caller, rule)) is not None:
        raise problems.Forbidden(missing)


async def _absent(db: Db, caller: Caller, rule: RuleRow) -> list[Issue]:
    issues: list[Issue] = []
    if rule.on_profiles is not None:
        there = await rules.existing_profiles(db, caller.workspace_id, rule.on_profiles)
        issues += [
            ProfileId.not_found(f"/profileIds/{index}")
            for index, profile_id in enumerate(rule.on_profiles)
            if profile_id not in there or not caller.may_see_profile(profile_id)
        ]
    if rule.assignee_id is not None:
        member = await members.find(db, caller, rule.assignee_id)
        if member is None or member.status != "active":
            issues.append(MemberId.not_found("/assigneeId"))
    return issues
