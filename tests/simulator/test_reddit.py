"""Reddit in the simulator: PRAW works unmodified, with its own idea of requests and responses."""

import asyncio
from typing import Any
from urllib.parse import urlsplit

import httpx
import praw
import pytest
from praw.exceptions import RedditAPIException, TooLargeMediaException
from praw.models import PostMedia
from prawcore import Requestor
from prawcore.exceptions import Redirect
from simulator import Destination, Simulator
from tests.helpers.redirected import Redirected
from tests.helpers.scenes.reddit import FLAIRS

REDIRECT = "https://service.example/callback"
AGENT = "web:signalpost:v1 (by /u/alice)"
PICKY = {
    "requirements": {
        "is_flair_required": True, "title_text_max_length": 40, "title_blacklisted_strings": ["cake"],
        "body_restriction_policy": "none",
    },
    "flairs": FLAIRS, "allow_galleries": False,
}  # fmt: skip


async def signed_in(simulator: Simulator) -> praw.Reddit:
    """Return PRAW with the refresh token that it got for a code."""
    world = simulator.world
    places = [Destination("bread", "subreddit", "Bread"), Destination("picky", "subreddit", "Picky", dict(PICKY))]
    world.add_person("reddit", "alice", destinations=places)
    app = world.add_app("reddit", REDIRECT)

    class Paced(Redirected):
        """Lets time pass with each call: PRAW spreads its calls over the window that Reddit names."""

        def send(self, request: Any, **options: Any) -> Any:
            world.clock.advance(1)
            return super().send(request, **options)

    class ToSimulator(Requestor):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self._http.mount("https://", Paced(simulator.url("reddit")))

    reddit = praw.Reddit(
        client_id=app.client_id, client_secret=app.client_secret, redirect_uri=REDIRECT, user_agent=AGENT,
        check_for_updates=False, requestor_class=ToSimulator,
    )  # fmt: skip
    scopes = ["identity", "submit", "read", "flair", "mysubreddits", "edit", "history"]
    page = urlsplit(reddit.auth.url(scopes=scopes, state="the-state", duration="permanent"))
    oauth = world.networks["reddit"].oauth
    assert oauth is not None
    back = oauth.decide(dict(httpx.QueryParams(page.query)), "alice", "approve")
    code = httpx.QueryParams(urlsplit(back).query)["code"]
    assert await asyncio.to_thread(reddit.auth.authorize, code)
    return reddit


async def test_praw_signs_in_and_publishes_every_kind(simulator: Simulator) -> None:
    reddit = await signed_in(simulator)

    def use() -> None:
        me = reddit.user.me()
        assert me.name == "alice"
        assert [one.display_name for one in reddit.user.subreddits()] == ["bread", "picky"]
        bread, picky = reddit.subreddit("bread"), reddit.subreddit("picky")
        assert [flair["text"] for flair in picky.flair.link_templates] == ["Recipe", "Announcement"]
        assert picky.post_requirements()["is_flair_required"] is True

        text = bread.submit("Rye", selftext="**Sour** dough", send_replies=False)
        link = picky.submit("Wheat", url="https://example.com/", flair_id=FLAIRS[0]["id"], flair_text="My recipe")
        picture = PostMedia(b"picture", "bread.png")
        assert bread.submit("Picture", image=picture, without_websockets=True) is None
        video = {"media": PostMedia(b"film", "bread.mp4"), "thumbnail": picture}
        assert bread.submit("Film", video=video, without_websockets=True) is None
        gallery = bread.submit("Several", gallery=[picture, {"media": PostMedia(b"other", "b.jpg"), "caption": "B"}])
        crosspost = text.crosspost("picky", title="Rye again", flair_id=FLAIRS[0]["id"])
        assert text.reply("More below").body == "More below"
        simulator.world.clock.advance(10)
        listed = {post.title: post for post in reddit.redditor("alice").submissions.new()}
        assert list(listed) == ["Rye again", "Several", "Film", "Picture", "Wheat", "Rye"]
        assert listed["Rye"].selftext == "**Sour** dough"
        assert (listed["Wheat"].url, listed["Wheat"].link_flair_text) == ("https://example.com/", "My recipe")
        assert listed["Rye again"].crosspost_parent == text.fullname == listed["Rye"].fullname
        assert listed["Film"].is_video
        assert listed["Several"].id == gallery.id
        assert [post.title for post in reddit.info(fullnames=[link.fullname, crosspost.fullname])] == [
            "Wheat", "Rye again",
        ]  # fmt: skip
        link.delete()
        assert "Wheat" not in [post.title for post in me.submissions.new()]

    await asyncio.to_thread(use)
    public = simulator.world.ledger.of("reddit")
    assert [entry.kind for entry in public] == ["post"] * 5 + ["comment"]
    assert [len(entry.media) for entry in public] == [0, 1, 1, 2, 0, 0]


async def test_praw_understands_what_is_refused(simulator: Simulator) -> None:
    """Reddit says so in three forms: a list of errors with the status 200, a reason with 400, and another page."""
    reddit = await signed_in(simulator)

    def use() -> None:
        picky = reddit.subreddit("picky")
        recipe = {"flair_id": FLAIRS[0]["id"]}
        for code, title, options in (
            ("TITLE_BLACKLISTED_STRING", "Cake", recipe), ("MAX_LENGTH", "x" * 41, recipe),
            ("FLAIR_REQUIRED", "Rye", {}),
        ):  # fmt: skip
            with pytest.raises(RedditAPIException) as unmet:
                picky.submit(title, selftext="", **options)
            assert unmet.value.items[0].error_type == f"SUBMIT_VALIDATION_{code}"
        with pytest.raises(RedditAPIException) as refused:
            picky.submit("Rye", gallery=[PostMedia(b"a", "a.png"), PostMedia(b"b", "b.png")], **recipe)
        assert refused.value.items[0].error_type == "GALLERIES_DISABLED"
        with pytest.raises(RedditAPIException) as missing:
            reddit.subreddit("nowhere").submit("Rye", selftext="")
        assert missing.value.items[0].error_type == "SUBREDDIT_NOEXIST"
        with pytest.raises(Redirect):
            assert reddit.subreddit("nowhere").title
        simulator.world.add_fault("reddit", "too_large")
        with pytest.raises(TooLargeMediaException):
            reddit.subreddit("bread").submit("Rye", image=PostMedia(b"a", "a.png"))

    await asyncio.to_thread(use)
    assert simulator.world.ledger.of("reddit") == []
