"""What the queue shows for a target and for a post, in each of their states."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest
from tests.posts.test_views import random_row

from signalpost.posts.rows import TargetRow
from signalpost.posts.states import PostStatus, TargetStatus
from signalpost.publishing.states import TaskState, queue_state, task_state

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
PAST, FUTURE = NOW - timedelta(minutes=1), NOW + timedelta(minutes=1)
HELD: dict[str, Any] = {"held_reason": "account"}
PAUSED: dict[str, Any] = {"paused_until": FUTURE}

TASKS: list[tuple[TargetStatus, datetime | None, dict[str, Any], TaskState]] = [
    ("pending", None, {}, "cancelled"),
    ("pending", FUTURE, {}, "waiting"),
    ("pending", PAST, {}, "ready"),
    ("pending", NOW, {}, "ready"),
    ("pending", PAST, HELD, "waiting"),
    ("pending", PAST, PAUSED, "waiting"),
    ("retrying", FUTURE, {}, "waiting"),
    ("retrying", PAST, {}, "ready"),
    ("publishing", None, {}, "leased"),
    ("processing", FUTURE, {}, "waiting"),
    ("processing", PAST, {}, "ready"),
    ("unknown", FUTURE, {}, "waiting"),
    ("unknown", PAST, {}, "ready"),
    ("published", None, {}, "done"),
    ("removed", None, {}, "done"),
    ("failed", None, {}, "failed"),
    ("cancelled", None, {}, "cancelled"),
]


@pytest.mark.parametrize(("status", "due", "fields", "state"), TASKS)
def test_a_target_on_the_queue(
    status: TargetStatus, due: datetime | None, fields: dict[str, Any], state: TaskState
) -> None:
    given = {"status": status, "next_attempt_at": due, "held_reason": None, "paused_until": None} | fields
    assert task_state(random_row(TargetRow, random.Random(1), **given), NOW) == state


def test_the_table_has_every_state() -> None:
    assert {status for status, *_ in TASKS} == set(get_args(TargetStatus))


@pytest.mark.parametrize(
    ("tasks", "post", "state"),
    [
        ([], "draft", "cancelled"),
        (["waiting"], "draft", "cancelled"),
        (["cancelled", "cancelled"], "scheduled", "cancelled"),
        (["waiting", "waiting"], "scheduled", "waiting"),
        (["waiting", "ready"], "queued", "ready"),
        (["ready", "leased", "done"], "publishing", "leased"),
        (["done", "failed", "waiting"], "publishing", "waiting"),
        (["done", "failed"], "partial", "failed"),
        (["failed"], "failed", "failed"),
        (["done", "cancelled"], "published", "done"),
    ],
)
def test_a_post_on_the_queue(tasks: list[TaskState], post: PostStatus, state: str) -> None:
    assert queue_state(tasks, post) == state
