"""Facebook against its part of the simulator: signing in, Pages, what a post consists of, videos, and afterwards."""

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from simulator.networks import facebook as simulated_facebook
from tests.helpers.networks import FAKES, TOKEN
from tests.helpers.networks.facebook import MP4, PAGE, add_portfolio, video
from tests.helpers.simulated import SimulatedServer

from signalpost.conformance.harness import (
    Clock,
    FakeHttp,
    MemoryJournal,
    image,
    json_response,
    outgoing,
    server_at,
    session,
)
from signalpost.kit.http import MaybeSent
from signalpost.networks import CONNECTORS, oauth2, preflight
from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    BadCredentials,
    Metrics,
    NeedsReconnect,
    NetworkSession,
    OAuthApp,
    Outcome,
    OutcomeUnknown,
    Pending,
    Published,
    Refused,
    TryLater,
)

FACEBOOK = CONNECTORS["facebook"]
CALLBACK = "https://posts.example.com/api/v1/platforms/facebook/callback"


class Stage:
    """A Page at the simulator, and a session that publishes on it."""

    def __init__(self) -> None:
        self.clock = Clock()
        made: Any = FAKES["facebook"].server(self.clock)
        self.server: SimulatedServer = made
        self.http = FakeHttp(self.server)
        self.journal = MemoryJournal()
        self.world = self.server.world
        found = self.world.apps[0]
        self.code: Any = None
        self.app = OAuthApp(client_id=found.client_id, client_secret=found.client_secret)

    def session(self, **rest: Any) -> NetworkSession:
        return session(self.http, self.clock, **{**FAKES["facebook"].account, "app": self.app, **rest})

    async def publish(self, *texts: str, **rest: Any) -> Outcome:
        return await self.finish(outgoing(*texts, **rest))

    async def finish(self, post: Any) -> Outcome:
        """Publish, and poll until it is no longer pending."""
        outcome = await FACEBOOK.publish(self.session(), post, self.journal)
        for _ in range(10):
            if not isinstance(outcome, Pending):
                return outcome
            self.clock.advance(15)
            assert FACEBOOK.poll is not None
            outcome = await FACEBOOK.poll(self.session(), post, self.journal, outcome.state)
        raise AssertionError("it is pending for ever")

    def only_entry(self) -> Any:
        [entry] = self.server.entries
        return entry


@pytest.fixture
def stage() -> Stage:
    return Stage()


# --- signing in ----------------------------------------------------------------------------------------------------


async def signed_in(stage: Stage, scopes: str = "") -> tuple[NetworkSession, Any]:
    """Agree as a person does in the browser; return the session of the grant."""
    oauth, world = FACEBOOK.oauth, stage.world
    assert oauth is not None
    registered = world.add_app("facebook", CALLBACK)
    app = OAuthApp(client_id=registered.client_id, client_secret=registered.client_secret)
    server = server_at(stage.http)
    url = oauth2.authorize_url(oauth.facts, server, app, redirect_uri=CALLBACK, state="s", code_challenge="x" * 43)
    query = dict(parse_qsl(urlsplit(url).query)) | {"code_challenge_method": "plain"}
    back = world.networks["facebook"].oauth.decide(query, "alice", "approve", scopes)  # type: ignore[union-attr]
    code = AuthorizationCode(
        code=dict(parse_qsl(urlsplit(back).query))["code"], redirect_uri=CALLBACK, code_verifier="x" * 43
    )
    identity = await oauth.exchange(server, app, code)
    stage.code = code
    return stage.session(secrets=identity.secrets, remote_id=identity.remote_id, app=app), identity


async def test_a_person_grants_access_once_and_every_page_gets_a_token(stage: Stage) -> None:
    page = stage.world.person("facebook", "alice").destination(PAGE)
    assert page is not None
    page.details["instagram"] = {"id": "17", "username": "bakery_photos"}

    grant, identity = await signed_in(stage)
    assert FACEBOOK.destinations is not None
    assert FACEBOOK.check is not None
    [found] = await FACEBOOK.destinations(grant)

    assert identity.token_expires_at is None
    assert "pages_manage_posts" in identity.scopes
    assert (found.identity.remote_id, found.identity.username, found.identity.kind) == (PAGE, "bakery", "page")
    assert found.can_post
    assert found.linked_instagram is not None
    assert found.linked_instagram.username == "bakery_photos"
    stage.clock.advance(timedelta(days=300).total_seconds())  # the token of a Page does not expire
    on_page = stage.session(secrets={**grant.secrets, **found.identity.secrets}, app=grant.app)
    health = await FACEBOOK.check(on_page)
    assert (health.can_post, health.missing, health.username) == (True, (), "bakery")


async def test_a_code_works_once(stage: Stage) -> None:
    grant, _ = await signed_in(stage)
    assert FACEBOOK.oauth is not None
    assert grant.app is not None

    with pytest.raises(BadCredentials):
        await FACEBOOK.oauth.exchange(server_at(stage.http), grant.app, stage.code)


async def test_permissions_that_a_person_declined_are_reported(stage: Stage) -> None:
    grant, _ = await signed_in(stage, "pages_show_list,pages_read_engagement")
    assert FACEBOOK.destinations is not None
    assert FACEBOOK.check is not None
    [found] = await FACEBOOK.destinations(grant)

    health = await FACEBOOK.check(stage.session(secrets={**grant.secrets, **found.identity.secrets}, app=grant.app))

    assert not health.can_post
    assert "pages_manage_posts" in health.missing


async def test_pages_of_business_portfolios_are_offered_too(stage: Stage) -> None:
    """The list of a person has only the Pages that they ticked in the dialog."""
    add_portfolio(stage.world.person("facebook", "alice"))
    grant, _ = await signed_in(stage)
    assert FACEBOOK.destinations is not None

    found = await FACEBOOK.destinations(grant)

    assert [one.identity.remote_id for one in found] == [PAGE, "2003", "2001", "2002"]
    tokens = [one.identity.secrets["pageToken"] for one in found]
    assert len(set(tokens)) == 4
    on_page = stage.session(secrets={"pageToken": tokens[-1]}, remote_id="2002", app=grant.app)
    outcome = await FACEBOOK.publish(on_page, outgoing("by a client"), stage.journal)
    assert isinstance(outcome, Published)


async def test_a_person_who_may_not_post_on_a_page_is_told(stage: Stage) -> None:
    page = stage.world.person("facebook", "alice").destination(PAGE)
    assert page is not None
    page.details["tasks"] = ["ANALYZE"]
    grant, _ = await signed_in(stage)
    assert FACEBOOK.destinations is not None

    [found] = await FACEBOOK.destinations(grant)

    assert not found.can_post


async def test_revoking_ends_the_tokens_of_the_pages(stage: Stage) -> None:
    assert FACEBOOK.revoke is not None
    await FACEBOOK.revoke(stage.session())

    outcome = await stage.publish("x")

    assert type(outcome).__name__ == "NeedsReconnect"


async def test_the_proof_of_another_secret_is_the_operators_mistake(stage: Stage) -> None:
    other = OAuthApp(client_id=stage.app.client_id, client_secret="another")
    outcome = await FACEBOOK.publish(stage.session(app=other), outgoing("x"), stage.journal)

    assert isinstance(outcome, TryLater)
    assert outcome.limit_of == "app"


@pytest.mark.parametrize("beginning", ["EAAG", "IGAA", "THAA", "IGQV"])
def test_a_token_that_an_error_quotes_is_not_repeated(beginning: str) -> None:
    token = f"{beginning}m0PX4ZCpsBAKb1ZCZCoZBq"
    body = {"error": {"code": 190, "message": f"Malformed access token {token}", "type": "OAuthException"}}
    outcome = FACEBOOK.explain(ApiError(json_response(400, body), "GET /me"))

    assert isinstance(outcome, NeedsReconnect)
    assert "Malformed access token" in outcome.message
    assert token not in outcome.message + str(outcome.response)


# --- posts -----------------------------------------------------------------------------------------------------------


async def test_photos_keep_their_order_and_alt_texts(stage: Stage) -> None:
    files = (image("a dot"), image(None, b"GIF89a..", "image/gif"), image("another dot"))

    outcome = await stage.publish("Three", media=files, first_comment="and a comment")

    assert isinstance(outcome, Published)
    entry = stage.only_entry()
    assert (entry.remote_id, entry.text) == (outcome.remote_id, "Three")
    assert entry.details["alt_texts"] == ["a dot", "", "another dot"]
    assert len(set(entry.media)) == 2
    [comment] = [one for one in stage.world.ledger.of("facebook") if one.kind == "comment"]
    assert (comment.remote_id, comment.text) == (outcome.first_comment_id, "and a comment")


async def test_a_refused_comment_does_not_fail_the_post(stage: Stage) -> None:
    stage.world.networks["facebook"].oauth.grants[0].scopes -= {"pages_manage_engagement"}  # type: ignore[union-attr]

    outcome = await stage.publish("x", first_comment="no")

    assert isinstance(outcome, Published)
    assert outcome.first_comment_id is None
    assert "pages_manage_engagement" in str(outcome.first_comment_error)


async def test_a_link_is_a_card_and_cards_are_a_carousel(stage: Stage) -> None:
    cards = [{"link": f"https://example.com/{n}", "title": f"Card {n}"} for n in range(2)]
    options = {"link": "https://example.com/all", "carouselCards": cards}

    await stage.publish("Look", link="https://example.com/other", options=options)

    entry = stage.only_entry()
    assert (entry.text, entry.details["link"]) == ("Look", "https://example.com/all")
    assert [card["name"] for card in entry.details["cards"]] == ["Card 0", "Card 1"]


@pytest.mark.parametrize("options", [{}, {"type": "reel"}])
async def test_a_draft_is_not_public(stage: Stage, options: dict[str, Any]) -> None:
    media = (video(),) if options else ()

    outcome = await stage.publish("later", media=media, options={**options, "draft": True})

    assert isinstance(outcome, Published)
    assert outcome.delivery == "private"
    assert stage.server.entries == []


async def test_a_text_that_equals_the_one_before_it_is_a_duplicate(stage: Stage) -> None:
    await stage.publish("again")
    stage.journal = MemoryJournal()

    outcome = await stage.publish("again")

    assert isinstance(outcome, Refused)
    assert outcome.code == "duplicate_content"


async def test_a_large_video_is_sent_in_the_parts_that_facebook_asks_for(stage: Stage) -> None:
    content = MP4 + bytes(3 * 1_048_576)

    outcome = await stage.publish("big", media=(video(data=content),))

    assert isinstance(outcome, Published)
    assert outcome.url == f"https://www.facebook.com/{PAGE}/videos/{outcome.remote_id}/"
    chunks = [len(request.body) for request in stage.http.requests if request.body]
    assert sum(chunks) == len(content)
    assert max(chunks) == 1_048_576


async def test_an_interrupted_reel_goes_on_where_it_stopped(stage: Stage) -> None:
    await stage.publish("short", media=(video(),), options={"type": "reel"})
    stage.journal.values["video"]["complete"] = False
    del stage.journal.values["part:0"]
    stage.http.requests.clear()

    outcome = await stage.publish("short", media=(video(),), options={"type": "reel"})

    assert isinstance(outcome, Published)
    assert not [request for request in stage.http.requests if request.path.startswith("/video-upload")]
    assert stage.only_entry().kind == "reel"


async def test_a_video_that_was_uploaded_again_is_the_one_that_is_looked_for(stage: Stage) -> None:
    post = outgoing("again", media=(video(),), options={"type": "reel"})

    def serve(request: Any) -> Any:
        if request.path.endswith("/video_reels") and "part:0" in stage.journal.values:
            raise MaybeSent("the connection was lost")
        return stage.server(request)

    stage.http.serve = serve
    lost = await FACEBOOK.publish(stage.session(), post, stage.journal)
    assert isinstance(lost, OutcomeUnknown), lost
    stage.http.serve = stage.server
    stage.clock.advance(50_000)

    outcome = await stage.finish(post)
    assert isinstance(outcome, Published)
    assert outcome.remote_id == stage.only_entry().remote_id


async def test_a_video_that_cannot_be_processed_is_refused(stage: Stage) -> None:
    stage.world.add_fault("facebook", "processing_fails")

    outcome = await stage.publish("x", media=(video(),), options={"type": "reel"})

    assert isinstance(outcome, Refused)
    assert outcome.code == "media_processing_failed"


async def test_a_photo_story_is_found_by_its_photo(stage: Stage) -> None:
    story = outgoing("", media=(image(),), options={"type": "story"})
    first = await FACEBOOK.publish(stage.session(), story, stage.journal)
    assert isinstance(first, Published)
    done = stage.journal.values["part:0"]
    stage.journal.values["part:0"] = {name: value for name, value in done.items() if name not in {"id", "url"}}
    stage.journal.open.add("part:0")
    stage.clock.advance(120)

    assert FACEBOOK.reconcile is not None
    found = await FACEBOOK.reconcile(stage.session(), story, stage.journal)

    assert isinstance(found, Published)
    assert found.remote_id == first.remote_id == stage.only_entry().remote_id


def codes(post: Any) -> set[str]:
    return {issue.rule.removeprefix("facebook.") for issue in preflight.check(FACEBOOK, post, {})}


CARDS = [{"link": "https://example.com", "title": "One"}] * 2


@pytest.mark.parametrize(
    ("post", "expected"),
    [
        (outgoing("x", media=(image(),)), set()),
        (outgoing("x" * 63_207), {"text.max_length"}),
        (outgoing("x", options={"type": "reel"}), {"reel.one_video"}),
        (outgoing("x", media=(video(duration_ms=91_000),), options={"type": "reel"}), {"reel.duration"}),
        (outgoing("x", media=(video(width=320, height=240),), options={"type": "reel"}), {"reel.min_pixels"}),
        (outgoing("", media=(image(), image()), options={"type": "story"}), {"story.one_file"}),
        (outgoing("x", media=(image(),), options={"type": "story"}), {"story.text_ignored"}),
        (outgoing("", media=(image(),), first_comment="x", options={"type": "story"}), {"first_comment.impossible"}),
        (outgoing("", media=(video(duration_ms=61_000),), options={"type": "story"}), {"story.duration"}),
        (outgoing("", media=(image(),), options={"type": "story", "draft": True}), {"story.draft"}),
        (outgoing("x", options={"carouselCards": CARDS}), {"carousel.link_required"}),
        (
            outgoing("x", link="https://a.b", media=(image(),), options={"carouselCards": CARDS}),
            {"carousel.with_media"},
        ),
        (outgoing("x", media=(image(),), options={"link": "https://a.b"}), {"link.with_media"}),
        (outgoing("x", media=(image(), video())), {"media.mixed"}),
        (outgoing("x", media=(image(size_bytes=5_000_000),)), {"media.large"}),
        (outgoing("x", media=(image(size_bytes=11_000_000),)), {"media.large", "media.max_bytes"}),
        (outgoing("x", options={"carouselCards": CARDS[:1], "link": "https://a.b"}), {"options.type"}),
    ],
)
def test_preflight_finds_what_facebook_would_refuse(post: Any, expected: set[str]) -> None:
    assert codes(post) == expected


# --- afterwards ------------------------------------------------------------------------------------------------------


async def test_metrics_grow_and_a_deleted_post_has_none(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    assert FACEBOOK.metrics is not None
    assert FACEBOOK.delete is not None
    post = await stage.publish("x")
    assert isinstance(post, Published)
    stage.clock.advance(36_000)
    monkeypatch.delitem(simulated_facebook.METRICS, "post_clicks")  # ended without notice

    numbers = (await FACEBOOK.metrics(stage.session(), [post.remote_id]))[post.remote_id]
    await FACEBOOK.delete(stage.session(), post.remote_id, [])
    await FACEBOOK.delete(stage.session(), post.remote_id, [])

    assert isinstance(numbers, Metrics)
    assert numbers.clicks is None
    assert min(numbers.views or 0, numbers.likes or 0, numbers.reach or 0) > 0
    assert await FACEBOOK.metrics(stage.session(), [post.remote_id]) == {post.remote_id: None}


async def test_a_reel_has_the_numbers_of_a_video(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    assert FACEBOOK.metrics is not None
    reel = await stage.publish("reel", media=(video(),), options={"type": "reel"})
    assert isinstance(reel, Published)
    stage.clock.advance(36_000)

    numbers = (await FACEBOOK.metrics(stage.session(), [reel.remote_id]))[reel.remote_id]
    monkeypatch.delitem(simulated_facebook.VIDEO_METRICS, "blue_reels_play_count")  # other videos have none
    fewer = (await FACEBOOK.metrics(stage.session(), [reel.remote_id]))[reel.remote_id]

    assert isinstance(numbers, Metrics)
    assert isinstance(fewer, Metrics)
    assert min(numbers.views or 0, numbers.watch_time_seconds or 0) > 0
    assert (fewer.views, fewer.watch_time_seconds) == (None, numbers.watch_time_seconds)


async def test_the_token_is_sent_with_the_proof_of_the_app(stage: Stage) -> None:
    await stage.publish("x")

    [request] = stage.http.requests
    assert request.data["access_token"] == TOKEN
    assert len(request.data["appsecret_proof"]) == 64
