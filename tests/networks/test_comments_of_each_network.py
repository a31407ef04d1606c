"""Comments at every network of the simulator that has them: read whole, once each, answered once whatever is lost."""

from typing import Any

import pytest
from tests.helpers.network_comments import KEYS, REPLYING, Post

from signalpost.conformance.harness import Failure as Fault
from signalpost.conformance.harness import FaultInjector, MemoryJournal
from signalpost.networks import CONNECTORS, capabilities
from signalpost.networks.contract import ApiError, Published, Refused, TryLater


def with_function(name: str) -> Any:
    return pytest.mark.parametrize("key", [key for key in KEYS if getattr(CONNECTORS[key], name) is not None])


every_network = pytest.mark.parametrize("key", KEYS)


@every_network
async def test_what_people_write_is_read_with_who_answered_what(key: str) -> None:
    post = await Post(key).published()
    first = post.says("ada", 'Where can I buy <this> & that?\nIn "town"?')
    below = post.says("bob", "It's at the corner.", first)

    found = await post.listed()

    items = {item.remote_id: item for item in found.items}
    assert set(items) == {first.remote_id, below.remote_id}
    question, answer = items[first.remote_id], items[below.remote_id]
    assert (question.text, question.parent_id, question.is_own, question.hidden) == (first.text, None, False, False)
    assert (answer.text, answer.parent_id) == ("It's at the corner.", first.remote_id)
    assert question.author_name.lower() == "ada"
    assert question.author_id
    assert question.posted_at == first.at.replace(microsecond=0)
    assert found.complete


@every_network
async def test_a_comment_that_vanished_is_not_listed_and_a_post_that_is_gone_says_so(key: str) -> None:
    post = await Post(key).published()
    first, second = post.says("ada", "Stays"), post.says("bob", "Goes")
    second.deleted_at = post.clock.now
    found = await post.listed()
    assert ([item.remote_id for item in found.items], found.complete) == ([first.remote_id], True)

    assert post.connector.comments is not None
    missing = post.remote_id[:-1] + ("1" if post.remote_id[-1] != "1" else "2")
    listed = await post.connector.comments(post.session(), [missing, post.remote_id], None)
    assert listed[missing] is None
    assert listed[post.remote_id] is not None


@every_network
async def test_a_flood_is_cut_and_deletes_nothing(key: str) -> None:
    post = await Post(key).published()
    for number in range(1_050):
        post.says("eve", f"Spam {number}")
    found = await post.listed()
    assert len({item.remote_id for item in found.items}) == len(found.items) == 1_000
    assert not found.complete
    assert len(post.http.requests) <= 25


@every_network
async def test_pages_that_repeat_for_ever_end_and_double_nothing(key: str) -> None:
    post = await Post(key).published()
    for number in range(3):
        post.says("ada", f"One of three: {number}")
    post.server.world.add_fault(key, "repeats", times=None)
    found = await post.listed()
    assert len(found.items) == 3
    assert not found.complete, "what is missing from such a list may be there"
    assert len(post.http.requests) <= 12


@pytest.mark.parametrize("key", REPLYING)
async def test_an_answer_stands_below_the_comment_and_is_its_own(key: str) -> None:
    post = await Post(key).published()
    question = post.says("ada", "When do you open?")
    nested = post.says("bob", "I ask this too", question)
    text, journal = "At six & not before.", MemoryJournal()

    outcome = await post.settled(await post.one(question), text, journal)
    assert isinstance(outcome, Published), outcome
    assert [entry.remote_id for entry in post.answers(text)] == [outcome.remote_id]
    calls = len(post.http.requests)
    assert await post.reply(await post.one(question), text, journal) == outcome
    assert [entry.text for entry in post.answers(text)] == [text]

    post.clock.advance(60)
    second = await post.settled(await post.one(nested), "You as well.", MemoryJournal())
    assert isinstance(second, Published), second
    items = {item.remote_id: item for item in (await post.listed()).items}
    assert items[outcome.remote_id].is_own
    assert items[outcome.remote_id].parent_id == question.remote_id
    assert items[second.remote_id].parent_id in {question.remote_id, nested.remote_id}
    assert calls <= 8


@pytest.mark.parametrize("fault", ["kill", "lost", "unsent", "answer_lost"])
@pytest.mark.parametrize("key", REPLYING)
async def test_whatever_is_lost_an_answer_is_there_once(key: str, fault: Fault) -> None:
    """At each place in turn where a process can die or a call can fail: the answer is sent, and not twice."""
    at, reached = 1, True
    while reached:
        assert at < 60, "an answer needs few calls"
        injector = FaultInjector(None, fault)
        post = await Post(key, injector).published()
        comment = await post.one(post.says("ada", "When do you open?"))
        injector.at, injector.count = at, 0
        outcome = await post.settled(comment, "At six.", MemoryJournal(injector))
        reached = injector.count >= at
        assert len(post.answers("At six.")) == 1, f"at {at}: {outcome}"
        assert isinstance(outcome, Published), f"at {at}: {outcome}"
        assert outcome.remote_id == post.answers("At six.")[0].remote_id
        at += 1
    assert at > (7 if fault == "kill" else 2), "nothing was struck"


@pytest.mark.parametrize("key", REPLYING)
async def test_an_answer_that_is_listed_late_is_not_sent_again(key: str) -> None:
    injector = FaultInjector(None, "answer_lost")
    post = await Post(key, injector).published()
    comment = await post.one(post.says("ada", "When do you open?"))
    post.server.world.add_fault(key, "eventual", times=None, seconds=60)
    injector.at, injector.count = 1, 0
    outcome = await post.settled(comment, "At six.", MemoryJournal())
    assert isinstance(outcome, Published), outcome
    assert len(post.answers("At six.")) == 1


@pytest.mark.parametrize("key", [key for key in REPLYING if key != "wordpress"])  # it does not look at what is answered
async def test_what_is_gone_is_not_answered(key: str) -> None:
    post = await Post(key).published()
    entry = post.says("ada", "When do you open?")
    comment = await post.one(entry)
    entry.deleted_at = post.clock.now
    outcome = await post.settled(comment, "At six.", MemoryJournal())
    assert isinstance(outcome, Refused | TryLater), outcome
    assert post.answers("At six.") == []


@with_function("hide_comment")
async def test_hiding_and_showing_again(key: str) -> None:
    post = await Post(key).published()
    entry = post.says("eve", "Buy my coins")
    hide = post.connector.hide_comment
    assert hide is not None
    for hidden in (True, True, False, False):
        comment = await post.one(entry)
        await hide(post.session(), comment.remote_id, comment.reference, hidden)
        assert (await post.one(entry)).hidden is hidden


@with_function("like_comment")
async def test_liking_and_taking_it_back(key: str) -> None:
    post = await Post(key).published()
    entry = post.says("ada", "Lovely!")
    like = post.connector.like_comment
    assert like is not None
    for liked in (True, True, False, False):
        comment = await post.one(entry)
        await like(post.session(), comment.remote_id, comment.reference, liked)
        assert (await post.one(entry)).liked is liked


@with_function("delete_comment")
async def test_what_others_wrote_and_what_the_account_wrote_can_be_deleted(key: str) -> None:
    post = await Post(key).published()
    entry = post.says("eve", "Buy my coins")
    comment = await post.one(entry)
    removed = [comment]
    if post.connector.reply is not None and not post.connector.facts.replies_are_posts:
        question = await post.one(post.says("ada", "When do you open?"))
        own = await post.settled(question, "At six.", MemoryJournal())
        assert isinstance(own, Published)
        listed = next(item for item in (await post.listed()).items if item.remote_id == own.remote_id)
        removed += [listed]
    remove = post.connector.delete_comment
    assert remove is not None
    for one in removed:
        for _ in range(2):  # what is gone counts as deleted
            await remove(post.session(), one.remote_id, one.reference)
        assert one.remote_id not in {item.remote_id for item in (await post.listed()).items}


@pytest.mark.parametrize("key", [key for key in KEYS if CONNECTORS[key].facts.comments_scopes])
async def test_a_connection_without_the_permission_says_so(key: str) -> None:
    """The account says it before anything is asked; the network's refusal means the same."""
    post = await Post(key).published()
    post.says("ada", "When do you open?")
    needed = {scope for scopes in post.connector.facts.comments_scopes for scope in scopes}
    everything = {scope for grant in post.network.oauth.grants for scope in grant.scopes}
    assert capabilities(post.connector, None, everything)["comments"]["read"] is True
    able = capabilities(post.connector, None, everything - needed)["comments"]
    assert not any(able[name] for name in ("read", "reply", "hide", "like", "delete"))
    assert "Connect the account again" in able["note"]
    assert capabilities(post.connector, None, ())["comments"]["read"] is True, "nobody knows what was granted"

    for grant in post.network.oauth.grants:
        grant.scopes = frozenset(grant.scopes - needed)
    if post.connector.hide_comment is not None:
        with pytest.raises(ApiError) as raised:
            await post.connector.hide_comment(post.session(), post.says("eve", "x").remote_id, {}, True)
        outcome = post.connector.explain(raised.value)
        assert isinstance(outcome, Refused)
        assert outcome.code == "permission_missing"
