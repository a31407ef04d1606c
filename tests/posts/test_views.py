"""What the API shows of a post, field by field: a swapped, lost or misread field cannot hide among random values."""

import random
import types
import typing
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make

from signalpost.context import AppContext
from signalpost.identity.authenticate import authenticator
from signalpost.kit import clock, ids, rows
from signalpost.kit.db import Database
from signalpost.posts import documents, queries, views
from signalpost.posts.rows import PostRow, TargetRow

NOW = datetime(2026, 11, 21, 18, 0, 0, 123_456, tzinfo=UTC)


def random_value(hint: Any, chance: random.Random) -> Any:
    """A value of the type that hardly any other field has; None one time in three where that is allowed."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        kind = next(kind for kind in arguments if kind is not type(None))
        return None if chance.random() < 1 / 3 else random_value(kind, chance)
    if origin is typing.Literal:
        return chance.choice(arguments)
    if origin is list:
        return [random_value(arguments[0], chance) for _ in range(chance.choice((0, 1, 2)))]
    if origin is dict:
        return {f"someKey{n}": random_value(arguments[1], chance) for n in range(chance.choice((0, 1, 2)))}
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        kinds_by_name = typing.get_type_hints(hint)
        return hint(**{name: random_value(kinds_by_name[name], chance) for name in hint.__struct_fields__})
    simple = {
        str: lambda: chance.choice(("", '“Grüße” 🎉\\ "\n\u2028</script>', f"text {chance.random()}", "x" * 300)),
        int: lambda: chance.randrange(1_000),
        float: lambda: chance.randrange(64) / 64,
        bool: lambda: chance.random() < 0.5,
        bytes: lambda: chance.randbytes(8),
        UUID: lambda: UUID(int=chance.getrandbits(128)),
        datetime: lambda: (
            NOW + timedelta(microseconds=chance.choice((0, 1, 544, 999, 1_000_000, 10**13)) + chance.randrange(10**12))
        ),
        Any: lambda: chance.choice((None, 1, 2.5, "any", True, [1, {"a": "ä"}], {"snake_case": {"camelCase": 1}})),
    }
    return simple[hint]()


def random_row(kind: type[msgspec.Struct], chance: random.Random, **fixed: Any) -> Any:
    hints = typing.get_type_hints(kind)
    return kind(**{name: random_value(hints[name], chance) for name in kind.__struct_fields__} | fixed)


def instant(at: datetime | None) -> str | None:
    return None if at is None else f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1_000:03d}Z"


def media(refs: list[documents.MediaRef]) -> list[dict[str, Any]]:
    return [
        {
            "mediaId": ids.encode("med", ref.media_id),
            "altText": ref.alt_text,
            "thumbnailMediaId": ids.encode_or_none("med", ref.thumbnail_media_id),
            "thumbnailTimeMs": ref.thumbnail_time_ms,
            "userTags": [{"username": tag.username, "x": tag.x, "y": tag.y} for tag in ref.user_tags],
            "crops": {
                name: {"x": crop.x, "y": crop.y, "width": crop.width, "height": crop.height}
                for name, crop in ref.crops.items()
            },
        }
        for ref in refs
    ]


def actor(value: Any) -> dict[str, Any] | None:
    return None if value is None else {"type": value.type, "id": value.id, "name": value.name}


def shown_error(error: documents.TargetError) -> dict[str, Any]:
    return {
        "code": error.code,
        "category": error.category,
        "source": error.source,
        "message": error.message,
        "userMessage": error.user_message,
        "rule": error.rule,
        "retryable": error.retryable,
        "httpStatus": error.http_status,
        "platformCode": error.platform_code,
        "platformResponse": error.platform_response,
        "remediation": error.remediation,
        "occurredAt": instant(error.occurred_at),
    }


OF_ACCOUNT = ("username", "account_status", "paused_until")


def shown_target(row: TargetRow) -> dict[str, Any]:
    comment = row.first_comment
    return {
        "id": ids.encode("tgt", row.id),
        "postId": ids.encode("pst", row.post_id),
        "accountId": ids.encode("acc", row.account_id),
        "platform": row.platform,
        "username": row.username,
        "status": row.status,
        "delivery": row.delivery,
        "text": row.text,
        "media": None if row.media is None else media(row.media),
        "title": row.title,
        "scheduledAt": instant(row.scheduled_at),
        "options": row.options,
        "platformPostId": row.remote_id,
        "url": row.url,
        "threadIds": row.thread_ids,
        "firstComment": {"status": comment.status, "id": comment.id, "error": comment.error},
        "attempts": row.attempts,
        "nextAttemptAt": instant(row.next_attempt_at),
        "error": None if row.error is None else shown_error(row.error),
        "startedAt": instant(row.started_at),
        "publishedAt": instant(row.published_at),
        "removedAt": instant(row.removed_at),
        "metrics": None,
    }


def shown_post(row: PostRow, target_rows: list[TargetRow], now: datetime) -> dict[str, Any]:
    targets = [shown_target(target) for target in target_rows]
    platforms = list(dict.fromkeys(target.platform for target in target_rows))
    results = {name: [target for target in targets if target["platform"] == name] for name in platforms}
    live = [target.status for target in target_rows if target.status != "cancelled"]
    published = sum(status in ("published", "removed") for status in live)
    due = [target.next_attempt_at for target in target_rows if target.next_attempt_at is not None]
    waits = row.status == "scheduled" and row.deleted_at is None
    approval = row.approval
    holds = views.row_holds(row, target_rows)
    held = views.held_state(holds)
    return {
        "id": ids.encode("pst", row.id),
        "profileId": ids.encode("prof", row.profile_id),
        "title": row.title,
        "text": row.text,
        "media": media(row.media),
        "link": row.link,
        "thread": [{"text": part.text, "media": media(part.media)} for part in row.thread],
        "firstComment": row.first_comment,
        "platforms": platforms,
        "targets": targets,
        "status": "queued" if waits and due and min(due) <= now else row.status,
        "held": held.held,
        "heldReason": held.held_reason,
        "heldUntil": held.held_until,
        "heldMessage": held.held_message,
        "approval": {
            "state": approval.state,
            "requestedBy": actor(approval.requested_by),
            "requestedAt": instant(approval.requested_at) if approval.requested_at else None,
            "decidedBy": actor(approval.decided_by),
            "note": approval.note,
            "decidedAt": instant(approval.decided_at),
        },
        "scheduledAt": instant(row.scheduled_at),
        "timezone": row.timezone,
        "publishMode": row.publish_mode,
        "recurrence": None
        if row.recurrence is None
        else {
            "rrule": row.recurrence.rrule,
            "timezone": row.recurrence.timezone,
            "until": row.recurrence.until,
            "count": row.recurrence.count,
            "variations": row.recurrence.variations,
        },
        "recurrenceParentId": ids.encode_or_none("pst", row.recurrence_parent_id),
        "sourcePostId": ids.encode_or_none("pst", row.source_post_id),
        "fanoutId": ids.encode_or_none("job", row.fanout_id),
        "externalId": row.external_id,
        "tags": row.tags,
        "campaign": row.campaign,
        "utm": None
        if row.utm is None
        else {
            "source": row.utm.source,
            "medium": row.utm.medium,
            "campaign": row.utm.campaign,
            "term": row.utm.term,
            "content": row.utm.content,
        },
        "shortenLinks": row.shorten_links,
        "notes": row.notes,
        "options": row.options,
        "autoFit": row.auto_fit,
        "allowDuplicate": row.allow_duplicate,
        "counts": {
            "total": len(live),
            "published": published,
            "failed": live.count("failed"),
            "pending": len(live) - published - live.count("failed"),
        },
        "platformResults": results,
        "warnings": [
            {
                "code": warning.code,
                "path": warning.path,
                "message": warning.message,
                "platform": warning.platform,
                "accountId": ids.encode_or_none("acc", warning.account_id),
                "remediation": None,
            }
            for warning in row.warnings
        ]
        + [msgspec.json.decode(msgspec.json.encode(views.hold_warning(hold))) for hold in holds],
        "createdBy": actor(row.created_by),
        "source": row.source,
        "mode": row.mode,
        "version": row.version,
        "createdAt": instant(row.created_at),
        "updatedAt": instant(row.updated_at),
        "queuedAt": instant(row.queued_at),
        "publishedAt": instant(row.published_at),
        "deletedAt": instant(row.deleted_at),
        "purgeAt": instant(row.purge_at),
    }


@pytest.mark.parametrize("seed", range(40))
def test_an_action_shows_every_field_of_its_rows(seed: int) -> None:
    chance = random.Random(seed)
    post = random_row(PostRow, chance)
    targets = [random_row(TargetRow, chance, post_id=post.id) for _ in range(seed % 5)]
    now = NOW + timedelta(days=chance.randrange(30))
    with clock.at(now):
        body = msgspec.json.encode(views.post(post, targets))

    expected = shown_post(post, targets, now)
    assert msgspec.json.decode(body) == expected
    assert list(msgspec.json.decode(body)) == list(expected), "the order of the members"


async def test_a_read_shows_every_field_that_is_stored(
    api: Api, make: Make, context: AppContext, database: Database
) -> None:
    """Posts as random as above are stored, then read one by one and as a list."""
    owner = await make.owner()
    others = [ids.decode("acc", (await make.account(owner, username=f"name{n}"))["id"]) for n in range(3)]
    parent, source = [ids.decode("pst", (await make.post(owner, draft=True))["id"]) for _ in range(2)]
    caller = await authenticator(context)(owner.key, None, "127.0.0.1")
    expected: dict[str, dict[str, Any]] = {}
    for seed in range(60):
        chance = random.Random(seed)
        made = await make.post(owner, draft=True, platforms=None)
        post = random_row(
            PostRow, chance, id=ids.decode("pst", made["id"]), workspace_id=owner.workspace_id,
            profile_id=ids.decode("prof", owner.profile), recurrence_parent_id=chance.choice((parent, None)),
            source_post_id=chance.choice((source, None)), external_id=chance.choice((f"external {seed}", None)),
            deleted_at=None, scheduled_local=None, created_at=NOW + timedelta(seconds=seed),
        )  # fmt: skip
        targets = [
            random_row(
                TargetRow, chance, post_id=post.id, workspace_id=owner.workspace_id, account_id=account,
                username=f"name{number}", position=2 - number, account_status="active", paused_until=None,
            )
            for number, account in enumerate(others[: seed % 4])
        ]  # fmt: skip
        async with database.transaction() as db:
            await db.execute(
                f"update post set {rows.assignments(PostRow, first=2)} where id = $1", post.id, *rows.values(post)
            )
            for target in targets:
                await db.execute(
                    rows.insert("target", TargetRow, without=OF_ACCOUNT), *rows.values(target, without=OF_ACCOUNT)
                )
        expected[made["id"]] = shown_post(post, targets[::-1], NOW)

    async with database.connection() as db:
        for post_id, body in expected.items():
            with clock.at(NOW):
                stored = await queries.read_mine(db, caller, ids.decode("pst", post_id))
                assert stored is not None
                assert msgspec.json.decode(msgspec.json.encode(views.stored_post(stored))) == body
    headers = {"X-Test-Now": clock.wire(NOW)}
    listed = (await api.get("/posts?limit=100&sort=-createdAt", key=owner.key, headers=headers)).json()["data"]
    status = {"status": None}  # as of now, which a live key cannot set
    assert [post | status for post in listed if post["id"] in expected] == [
        post | status for post in sorted(expected.values(), key=lambda post: post["createdAt"], reverse=True)
    ]


async def test_one_account_is_read_under_its_present_name(api: Api, make: Make, database: Database) -> None:
    owner = await make.owner()
    account = await make.account(owner, username="before")
    post = await make.post(owner, draft=True)
    async with database.transaction() as db:
        await db.execute("update account set username = 'after' where id = $1", ids.decode("acc", account["id"]))
    read: dict[str, Any] = (await api.get(f"/posts/{post['id']}", key=owner.key)).json()
    assert [target["username"] for target in read["targets"]] == ["after"]
