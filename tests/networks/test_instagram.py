"""Instagram against its part of the simulator: both logins, containers, quotas, and what the caption may hold."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from tests.helpers.networks import FAKES
from tests.helpers.networks.facebook import add_portfolio
from tests.helpers.networks.instagram import FILES, LINKED, ON_PAGE, URL, clip, jpeg, photo, without_url

from signalpost.conformance.harness import Clock, FakeHttp, MemoryJournal, json_response, outgoing, server_at, session
from signalpost.networks import CONNECTORS, oauth2, preflight
from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    Metrics,
    NeedsReconnect,
    NetworkSession,
    OAuthApp,
    Outcome,
    Pending,
    Published,
    Refused,
    TryLater,
)

INSTAGRAM = CONNECTORS["instagram"]
CALLBACK = "https://posts.example.com/api/v1/platforms/instagram/callback"
FACEBOOK_SCOPES = ("instagram_basic", "instagram_content_publish", "pages_show_list")


class Stage:
    """Two accounts at the simulator: one by Instagram Login, one that belongs to a Page."""

    def __init__(self) -> None:
        self.clock = Clock()
        server: Any = FAKES["instagram"].server(self.clock)
        self.server = server
        self.http = FakeHttp(server)
        self.journal = MemoryJournal()
        self.world = server.world
        self.saved: list[tuple[Mapping[str, str], datetime | None]] = []

    def session(self, **rest: Any) -> NetworkSession:
        async def save(secrets: Mapping[str, str], expires_at: datetime | None) -> None:
            self.saved.append((secrets, expires_at))

        return session(self.http, self.clock, **{**FAKES["instagram"].account, "save_tokens": save, **rest})

    async def publish(self, post: Any, **account: Any) -> Outcome:
        outcome = await INSTAGRAM.publish(self.session(**account), post, self.journal)
        for _ in range(10):
            if not isinstance(outcome, Pending):
                return outcome
            self.clock.advance(outcome.poll_after_seconds)
            assert INSTAGRAM.poll is not None
            outcome = await INSTAGRAM.poll(self.session(**account), post, self.journal, outcome.state)
        raise AssertionError("it is pending for ever")

    def entry(self) -> Any:
        [entry] = self.server.entries
        return entry


@pytest.fixture
def stage() -> Stage:
    return Stage()


async def signed_in(
    stage: Stage, username: str, scopes: tuple[str, ...] = (), **app: Any
) -> tuple[Any, NetworkSession]:
    oauth, world = INSTAGRAM.oauth, stage.world
    assert oauth is not None
    registered = world.add_app("instagram", CALLBACK, **app)
    known = OAuthApp(client_id=registered.client_id, client_secret=registered.client_secret, scopes=scopes)
    server = server_at(stage.http)
    url = oauth2.authorize_url(
        oauth.facts_for(known), server, known, redirect_uri=CALLBACK, state="s", code_challenge="x" * 43
    )
    query = dict(parse_qsl(urlsplit(url).query))
    if "code_challenge" in query:
        query["code_challenge_method"] = "plain"
    back = world.networks["instagram"].oauth.decide(query, username, "approve")
    code = dict(parse_qsl(urlsplit(back).query))["code"]
    verifier = "x" * 43
    identity = await oauth.exchange(
        server, known, AuthorizationCode(code=f"{code}#_", redirect_uri=CALLBACK, code_verifier=verifier)
        if not scopes else AuthorizationCode(code=code, redirect_uri=CALLBACK, code_verifier=verifier)
    )  # fmt: skip
    return identity, stage.session(
        secrets=identity.secrets, remote_id=identity.remote_id, facts=identity.facts, app=known
    )


async def test_accounts_of_pages_in_business_portfolios_are_offered_too(stage: Stage) -> None:
    add_portfolio(stage.world.person("instagram", "alice"))
    _, opened = await signed_in(stage, "alice", (*FACEBOOK_SCOPES, "business_management"))
    assert INSTAGRAM.destinations is not None

    found = [one.identity.remote_id for one in await INSTAGRAM.destinations(opened)]

    assert found == [LINKED, "32003", "32001", "32002"]


@pytest.mark.parametrize("wraps", [False, True])
async def test_instagram_login_opens_one_account(stage: Stage, wraps: bool) -> None:
    identity, opened = await signed_in(stage, "bakery", details={"wraps_tokens": wraps})
    assert INSTAGRAM.destinations is not None
    assert INSTAGRAM.check is not None

    [itself] = await INSTAGRAM.destinations(opened)

    assert (identity.username, identity.kind, identity.refreshable) == ("bakery", "business", True)
    assert itself.identity.remote_id == identity.remote_id == "1700"
    assert identity.token_expires_at is not None
    assert "instagram_business_basic" in identity.scopes
    assert (await INSTAGRAM.check(opened)).username == "bakery"


async def test_facebook_login_opens_the_accounts_of_pages(stage: Stage) -> None:
    """The operator chooses it by the permissions that the app may ask for."""
    identity, opened = await signed_in(stage, "alice", FACEBOOK_SCOPES)
    assert INSTAGRAM.destinations is not None

    [linked] = await INSTAGRAM.destinations(opened)

    assert identity.token_expires_at is None
    assert (linked.identity.remote_id, linked.identity.username) == (LINKED, "bakery_photos")
    secrets = {**identity.secrets, **linked.identity.secrets}
    post = outgoing("by page", media=(photo(),))
    outcome = await stage.publish(post, secrets=secrets, remote_id=LINKED, facts=linked.identity.facts, app=opened.app)
    assert isinstance(outcome, Published)
    assert stage.entry().account_id == LINKED


async def test_a_token_is_renewed_after_a_day(stage: Stage) -> None:
    identity, opened = await signed_in(stage, "bakery")
    assert INSTAGRAM.refresh is not None
    with pytest.raises(ApiError):
        await INSTAGRAM.refresh(opened)
    stage.clock.advance(timedelta(days=40).total_seconds())

    await INSTAGRAM.refresh(opened)

    [(secrets, expires_at)] = stage.saved
    assert secrets["accessToken"] != identity.secrets["accessToken"]
    assert expires_at is not None


async def test_the_app_cannot_revoke_a_token_of_instagram_login(stage: Stage) -> None:
    assert INSTAGRAM.revoke is not None
    with pytest.raises(ApiError):
        await INSTAGRAM.revoke(stage.session())
    await INSTAGRAM.revoke(stage.session(**ON_PAGE))

    outcome = await stage.publish(outgoing("x", media=(photo(),)), **ON_PAGE)

    assert isinstance(outcome, NeedsReconnect)


async def test_a_carousel_keeps_order_and_alt_texts(stage: Stage) -> None:
    post = outgoing("Three", media=(photo("red"), clip(), photo("blue")), first_comment="#tags")

    outcome = await stage.publish(post)

    assert isinstance(outcome, Published)
    assert outcome.url == f"https://www.instagram.com/p/C{outcome.remote_id}/"
    entry = stage.entry()
    assert len(entry.media) == 3
    assert entry.details["alt_texts"] == ["red square", "", "blue square"]
    assert outcome.first_comment_id is not None


async def test_a_reel_with_a_cover_of_its_own_in_a_paid_partnership(stage: Stage) -> None:
    options = {"coverUrl": f"{URL}green.jpg", "paidPartnership": True}
    post = outgoing("x", media=(clip(),), options=options)
    assert [issue for issue in preflight.check(INSTAGRAM, post, {}) if issue.severity == "error"] == []
    assert isinstance(await stage.publish(post), Published)

    details = stage.entry().details
    assert (details["cover_url"], details["is_paid_partnership"]) == (f"{URL}green.jpg", "true")
    both = outgoing("x", media=(clip(),), options={**options, "coverTimeMs": 5})
    assert "instagram.options.two_covers" in [issue.rule for issue in preflight.check(INSTAGRAM, both, {})]
    picture = outgoing("x", media=(photo(),), options={"coverUrl": f"{URL}green.jpg"})
    assert "instagram.options.type_mismatch" in [issue.rule for issue in preflight.check(INSTAGRAM, picture, {})]


async def test_options_of_a_reel(stage: Stage) -> None:
    options = {
        "shareToFeed": False, "collaborators": ["@friend"], "audioName": "Our song", "coverTimeMs": 1500,
        "trialReel": "manual", "userTags": [{"username": "guest"}], "locationId": "55",
    }  # fmt: skip
    await stage.publish(outgoing("x", media=(clip(),), options=options))

    details = stage.entry().details
    assert details["collaborators"] == ["friend"]
    assert details["trial_params"] == {"graduation_strategy": "MANUAL"}
    assert details["user_tags"] == [{"username": "guest"}]
    plain = ("share_to_feed", "audio_name", "thumb_offset", "location_id")
    assert [details[name] for name in plain] == ["false", "Our song", "1500", "55"]


async def test_a_reel_has_music_and_says_that_it_was_made_with_ai(stage: Stage) -> None:
    """What can be chosen is read by the person's token, and published by that of the Page."""
    assert INSTAGRAM.choices is not None
    [rye, wheat] = (await INSTAGRAM.choices(stage.session(**ON_PAGE), ["musicId"], None))["musicId"]
    assert [(one.value, one.label) for one in (rye, wheat)] == [("1001", "Rye, The Bakers"), ("1002", "Wheat")]
    options = {"musicId": rye.value, "videoVolume": 0, "aiGenerated": True}
    post = outgoing("x", media=(clip(),), options=options)
    assert [issue.rule for issue in preflight.check(INSTAGRAM, post, {"login": "facebook"})] == []

    outcome = await stage.publish(post, **ON_PAGE)

    assert isinstance(outcome, Published), outcome
    details = stage.entry().details
    assert details["audio_configuration"] == {"audio_id": "1001", "video_volume": 0}
    assert details["is_ai_generated"] == "true"


async def test_instagram_login_has_no_music(stage: Stage) -> None:
    assert INSTAGRAM.choices is not None
    assert await INSTAGRAM.choices(stage.session(), ["musicId"], None) == {"musicId": ()}
    post = outgoing("x", media=(clip(),), options={"musicId": "1001"})
    issues = preflight.check(INSTAGRAM, post, {"login": "instagram"})
    assert [issue.rule for issue in issues] == ["instagram.options.music_needs_page"]
    assert isinstance(await stage.publish(post), Refused)


@pytest.mark.parametrize(
    ("post", "rule"),
    [
        (outgoing("x", media=(photo(),), options={"musicId": "1001"}), "instagram.options.type_mismatch"),
        (outgoing("x", media=(clip(),), options={"musicVolume": 50}), "instagram.options.unused"),
        (outgoing("x", media=(clip(),), options={"musicId": "1001", "musicVolume": 101}), "instagram.options.type"),
        (
            outgoing("", media=(photo(),), options={"type": "story", "aiGenerated": True}),
            "instagram.options.type_mismatch",
        ),
    ],
)
def test_music_and_the_label_of_ai_belong_to_some_posts(post: Any, rule: str) -> None:
    assert [issue.rule for issue in preflight.check(INSTAGRAM, post, {"login": "facebook"})] == [rule]


async def test_the_quota_is_read_before_a_container_is_made(stage: Stage) -> None:
    type(stage.server.world.networks["instagram"]).posts_a_day, before = 1, 50
    try:
        await stage.publish(outgoing("one", media=(photo(),)))
        stage.journal, count = MemoryJournal(), len(stage.http.requests)
        outcome = await stage.publish(outgoing("two", media=(photo(),)))
    finally:
        type(stage.server.world.networks["instagram"]).posts_a_day = before

    assert isinstance(outcome, TryLater)
    assert outcome.code == "platform_quota"
    assert len(stage.http.requests) == count + 1


async def test_a_container_that_expired_is_made_again(stage: Stage) -> None:
    post = outgoing("late", media=(clip(),))
    pending = await INSTAGRAM.publish(stage.session(), post, stage.journal)
    assert isinstance(pending, Pending)
    stage.clock.advance(90_000)

    outcome = await stage.publish(post)

    assert isinstance(outcome, Published)
    assert stage.entry().text == "late"


@pytest.mark.parametrize(
    ("kind", "post", "code"),
    [
        ("processing_fails", outgoing("x", media=(clip(),)), "media_unsupported"),
        ("fetch_fails", outgoing("x", media=(photo(),)), "media_fetch_failed"),
    ],
)
async def test_files_that_instagram_cannot_use(stage: Stage, kind: str, post: Any, code: str) -> None:
    stage.world.add_fault("instagram", kind)

    outcome = await stage.publish(post)

    assert isinstance(outcome, Refused)
    assert outcome.code == code
    assert stage.server.entries == []


async def test_without_a_public_address_an_image_is_refused_before_anything_is_sent(stage: Stage) -> None:
    outcome = await stage.publish(outgoing("x", media=(without_url(photo()),)))

    assert isinstance(outcome, Refused)
    assert outcome.rule == "instagram.media.public_url"
    assert stage.http.requests == []


def rules(post: Any, **facts: Any) -> set[str]:
    return {issue.rule.removeprefix("instagram.") for issue in preflight.check(INSTAGRAM, post, facts)}


STORY = {"type": "story"}


@pytest.mark.parametrize(
    ("post", "expected"),
    [
        (outgoing("x", media=(photo(),)), set()),
        (outgoing("x"), {"media.required"}),
        (outgoing("🎉" * 1_101, media=(photo(),)), {"text.max_utf16"}),
        (outgoing("#a " * 31, media=(photo(),)), {"text.hashtags"}),
        (outgoing("#a " * 6, media=(photo(),)), {"text.many_hashtags"}),
        (outgoing("@a " * 21, media=(photo(),)), {"text.mentions"}),
        (outgoing("x", media=(photo(width=1000, height=400),)), {"media.aspect_ratio"}),
        (outgoing("", media=(photo(width=1000, height=400),), options=STORY), set()),
        (outgoing("x", media=(photo(),), first_comment="x", options=STORY),
         {"story.text_ignored", "first_comment.impossible"}),
        (outgoing("", media=(photo(), photo()), options=STORY), {"story.one_file"}),
        (outgoing("", media=(clip(duration_ms=61_000),), options=STORY), {"media.duration"}),
        (outgoing("", media=(clip(size_bytes=100_000_001),), options=STORY), {"story.max_bytes"}),
        (outgoing("x", media=(clip(size_bytes=300_000_001),)), {"media.max_bytes"}),
        (outgoing("x", media=(clip(duration_ms=2_000),)), {"media.duration"}),
        (outgoing("x", media=(photo(),), options={"type": "reel"}), {"reel.one_video"}),
        (outgoing("x", media=(photo(),), options={"type": "carousel"}), {"carousel.min_files"}),
        (outgoing("x", media=(photo(),) * 11), {"media.max_count", "media.max_total"}),
        (outgoing("x", media=(photo(),), options={"audioName": "x"}), {"options.type_mismatch"}),
        (outgoing("x", media=(photo(),), options={"userTags": [{"username": "a"}]}), {"user_tags.place_required"}),
        (outgoing("x", media=(clip(),), options={"userTags": [{"username": "a", "index": 3}]}), {"user_tags.index"}),
        (outgoing("x", media=(without_url(photo()),)), {"media.public_url"}),
        (outgoing("x", media=(without_url(clip()),)), {"media.public_url"}),
    ],
)  # fmt: skip
def test_preflight_finds_what_instagram_would_refuse(post: Any, expected: set[str]) -> None:
    assert rules(post) == expected


def test_videos_of_pages_accounts_need_no_public_address() -> None:
    assert rules(outgoing("x", media=(without_url(clip()),)), login="facebook") == set()


async def test_the_simulator_refuses_the_shape_that_preflight_finds(stage: Stage) -> None:
    FILES_OF_TEST = stage.server.world.networks["instagram"].files  # noqa: N806 - a mapping of the simulator
    FILES_OF_TEST[f"{URL}red.jpg"] = jpeg("red", (1000, 400))
    outcome = await stage.publish(outgoing("x", media=(photo(),)))

    assert isinstance(outcome, Refused)
    assert outcome.code == "media_unsupported"
    assert f"{URL}red.jpg" in FILES


async def test_metrics_and_deletion_of_a_pages_account(stage: Stage) -> None:
    assert INSTAGRAM.metrics is not None
    assert INSTAGRAM.delete is not None
    post = await stage.publish(outgoing("x", media=(clip(),)), **ON_PAGE)
    assert isinstance(post, Published)
    stage.clock.advance(36_000)

    numbers = (await INSTAGRAM.metrics(stage.session(**ON_PAGE), [post.remote_id]))[post.remote_id]
    with pytest.raises(ApiError):
        await INSTAGRAM.delete(stage.session(), post.remote_id, [])  # Instagram Login has no such call
    for _ in range(2):
        await INSTAGRAM.delete(stage.session(**ON_PAGE), post.remote_id, [])

    assert isinstance(numbers, Metrics)
    assert min(numbers.views or 0, numbers.likes or 0, numbers.saves or 0, numbers.watch_time_seconds or 0) > 0
    assert await INSTAGRAM.metrics(stage.session(**ON_PAGE), [post.remote_id]) == {post.remote_id: None}


def _error(status: int, code: int, subcode: int) -> Any:
    body = {"error": {"message": "Unsupported request", "type": "x", "code": code, "error_subcode": subcode}}
    return json_response(status, body)


async def test_a_deletion_that_the_network_does_not_know_is_not_taken_for_done(stage: Stage) -> None:
    """Meta uses one error for what does not exist and for what cannot be deleted."""
    assert INSTAGRAM.delete is not None
    post = await stage.publish(outgoing("x", media=(photo(),)))
    assert isinstance(post, Published)
    stage.http.serve = lambda request: _error(400, 100, 33) if request.method == "DELETE" else stage.server(request)

    with pytest.raises(ApiError):
        await INSTAGRAM.delete(stage.session(), post.remote_id, [])
    await INSTAGRAM.delete(stage.session(), "17000000000000", [])


async def test_a_container_that_was_published_in_spite_of_an_error_is_found_later(stage: Stage) -> None:
    post, published = outgoing("in spite", media=(photo(),)), False

    def serve(request: Any) -> Any:
        nonlocal published
        if published:
            return _error(500, 2, 0)
        response = stage.server(request)
        published = request.path.endswith("/media_publish")
        return _error(500, -1, 2207001) if published else response

    stage.http.serve = serve
    assert isinstance(await stage.publish(post), TryLater)
    stage.http.serve = stage.server
    stage.journal.settle()
    stage.clock.advance(600)

    found = await stage.publish(post)
    assert isinstance(found, Published), found
    assert found.remote_id == stage.entry().remote_id


async def test_a_container_that_cannot_be_published_is_made_again_after_some_tries(stage: Stage) -> None:
    """24/2207008: the container is not there, now or ever; it says itself that it is not public."""
    post, made, refused = outgoing("again", media=(photo(),)), [], []

    def serve(request: Any) -> Any:
        if request.method == "POST" and request.path.endswith("/media"):
            made.append(request)
        if request.path.endswith("/media_publish") and len(made) == 1:
            refused.append(request)
            return _error(400, 24, 2207008)
        return stage.server(request)

    stage.http.serve = serve
    outcomes = [await stage.publish(post) for _ in range(4)]

    assert [type(outcome) for outcome in outcomes] == [TryLater, TryLater, TryLater, Published]
    assert (len(refused), len(made)) == (3, 2)
    assert stage.entry().text == "again"
