"""What networks push about comments: a call leads to the post that it is about, and what says nothing leads nowhere."""

import json
from typing import Any

import pytest
from tests.helpers.network_comments import KEYS, Post

from signalpost.conformance.harness import MemoryJournal
from signalpost.networks import CONNECTORS, missing_for_push
from signalpost.networks.contract import ApiError, CommentPush

PUSHING = [key for key in KEYS if CONNECTORS[key].push is not None]
each = pytest.mark.parametrize("key", PUSHING)


def push_of(key: str) -> CommentPush:
    push = CONNECTORS[key].push
    assert push is not None
    return push


def pushed(post: Post) -> list[Any]:
    """What the network called its app with since the last time."""
    waiting, post.network.pushed = post.network.pushed, []
    return [json.loads(hook.body) for _, hook in waiting]


async def subscribed(key: str) -> Post:
    post = await Post(key).published()
    subscribe = push_of(key).subscribe
    if subscribe is not None:
        for _ in range(2):  # repeating it does no harm
            await subscribe(post.session())
    return post


def test_these_networks_push() -> None:
    assert sorted(PUSHING) == ["facebook", "instagram", "threads"]


@each
async def test_a_call_leads_to_the_post_of_the_account(key: str) -> None:
    post = await subscribed(key)
    first = post.says("ada", "Do you deliver?")
    post.says("bob", "I would like to know too", first)

    calls = pushed(post)
    assert len(calls) == 2
    for call in calls:
        for body in (call, [call]):
            hints = push_of(key).read(body)
            assert post.session().remote_id in {hint.account_id for hint in hints}
            assert all(post.remote_id in hint.post_ids for hint in hints)


@each
async def test_an_account_that_ended_it_is_not_pushed(key: str) -> None:
    """Where no call subscribes an account, that is taking its permission back."""
    post = await subscribed(key)
    unsubscribe = push_of(key).unsubscribe
    if unsubscribe is not None:
        await unsubscribe(post.session())
    else:
        for grant in post.network.oauth.grants:
            grant.scopes = frozenset(grant.scopes - {scope for scopes in push_of(key).scopes for scope in scopes})
    post.says("ada", "Do you deliver?")
    assert pushed(post) == []


@each
async def test_without_the_permission_it_cannot_be_subscribed_to_and_says_so(key: str) -> None:
    post = await Post(key).published()
    needed = {scope for scopes in push_of(key).scopes for scope in scopes}
    everything = {scope for grant in post.network.oauth.grants for scope in grant.scopes}
    assert not missing_for_push(post.connector, everything)
    assert set(missing_for_push(post.connector, everything - needed)) == needed

    subscribe = push_of(key).subscribe
    if subscribe is not None:
        for grant in post.network.oauth.grants:
            grant.scopes = frozenset(grant.scopes - needed)
        with pytest.raises(ApiError):
            await subscribe(post.session())


@each
async def test_what_was_answered_is_read_as_well(key: str) -> None:
    """What a call says of its author does not matter: the network is asked."""
    post = await subscribed(key)
    question = await post.one(post.says("ada", "When do you open?"))
    pushed(post)
    await post.settled(question, "At six.", MemoryJournal())
    for call in pushed(post):
        assert all(post.remote_id in hint.post_ids for hint in push_of(key).read(call))


HOSTILE: list[Any] = [
    None, 1, "page", [], {}, [[]], [1, None], {"object": "instagram"}, {"object": "instagram", "entry": {}},
    {"object": "instagram", "entry": [1, {"id": "1"}, {"id": "1", "field": "comments"}]},
    {"object": "instagram", "entry": [{"id": "1", "field": "comments", "value": {"media": 1}}]},
    {"object": "instagram", "entry": [{"id": "1", "field": "comments", "value": {"media": {"id": "\0"}}}]},
    {"object": "instagram", "entry": [{"id": [], "field": "comments", "value": {"media": {"id": "1"}}}]},
    {"object": "page", "entry": [{"id": "1", "field": "comments", "value": {"media": {"id": "1"}}}]},
    {"values": 1}, {"values": [1, None]}, {"values": {"field": "replies"}},
    {"values": {"field": "replies", "value": []}},
    {"values": {"field": "replies", "value": {"root_post": 1}}},
    {"values": {"field": "replies", "value": {"root_post": {"id": {}}}}},
    {"target_id": {}, "values": {"field": "replies", "value": {"root_post": {"id": "1", "owner_id": []}}}},
    {"target_id": "1", "values": {"field": "delete", "value": {"root_post": {"id": "1", "owner_id": "1"}}}},
]  # fmt: skip


@each
@pytest.mark.parametrize("payload", HOSTILE)
def test_what_says_nothing_leads_nowhere(key: str, payload: Any) -> None:
    assert list(push_of(key).read(payload)) == []


@each
def test_a_call_of_any_length_has_a_bound(key: str) -> None:
    value = {"item": "comment", "post_id": "1_2", "media": {"id": "2"}, "root_post": {"id": "2", "owner_id": "1"}}
    entries = [{"id": "1", "field": field, "value": value} for field in ("feed", "comments") for _ in range(5_000)]
    for kind in ("page", "instagram"):
        body = {"object": kind, "entry": entries, "values": [{"field": "replies", "value": value}] * 5_000}
        assert len(push_of(key).read([body] * 5)) <= 1_000


def test_threads_may_name_the_profile_in_either_place() -> None:
    root = {"id": "17", "owner_id": "2"}
    call = {"target_id": "1", "values": {"field": "replies", "value": {"root_post": root}}}
    assert [(hint.account_id, hint.post_ids) for hint in push_of("threads").read(call)] == [
        ("2", ("17",)), ("1", ("17",)),
    ]  # fmt: skip
