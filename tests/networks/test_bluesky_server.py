"""The Bluesky connector against Bluesky's own server: what it accepts, refuses and returns afterwards."""

import base64
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.counterparts import PdsAccount, ReferencePds

from signalpost.conformance.harness import PNG, MemoryJournal, image, outgoing, server_at
from signalpost.kit.http import Client, MaybeSent
from signalpost.networks import get, preflight
from signalpost.networks.contract import (
    ApiError,
    BadCredentials,
    Connector,
    Identity,
    InvalidField,
    NeedsReconnect,
    NetworkSession,
    OutcomeUnknown,
    OutgoingReply,
    Part,
    Published,
    Refused,
)

pytestmark = pytest.mark.xdist_group("bluesky-server")  # one server for all of them
POST = "app.bsky.feed.post"


def bluesky() -> Connector:
    connector = get("bluesky")
    assert connector is not None
    return connector


@pytest.fixture
async def http() -> AsyncIterator[Client]:
    async with Client() as client:
        yield client


def fields(account: PdsAccount, **other: str) -> dict[str, str]:
    return {"identifier": account.handle, "appPassword": account.app_password} | other


async def open_account(http: Any, pds: ReferencePds, account: PdsAccount) -> NetworkSession:
    connect = bluesky().connect
    assert connect is not None
    return session_of(http, await connect(server_at(http, pds.url, trusted=True), fields(account)))


def session_of(http: Any, identity: Identity) -> NetworkSession:
    stored: list[Any] = []

    async def save_tokens(secrets: Any, expires_at: datetime | None) -> None:
        stored.append((dict(secrets), expires_at))

    opened = NetworkSession(
        server=server_at(http, str(identity.base_url), trusted=True),
        pages=http,
        secrets=identity.secrets,
        remote_id=identity.remote_id,
        username=identity.username,
        facts=identity.facts,
        save_tokens=save_tokens,
        now=lambda: datetime.now(UTC),
    )
    opened.stored = stored  # type: ignore[attr-defined]
    return opened


async def read(http: Client, pds: ReferencePds, uri: str) -> dict[str, Any]:
    did, collection, rkey = uri.removeprefix("at://").split("/")
    query = {"repo": did, "collection": collection, "rkey": rkey}
    response = await http.request("GET", f"{pds.url}/xrpc/com.atproto.repo.getRecord", params=query, trusted=True)
    assert response.status == 200, response.text
    return dict(response.json())


async def all_posts(http: Client, pds: ReferencePds, did: str) -> list[dict[str, Any]]:
    query = {"repo": did, "collection": POST, "limit": "100"}
    response = await http.request("GET", f"{pds.url}/xrpc/com.atproto.repo.listRecords", params=query, trusted=True)
    return [record["value"] for record in response.json()["records"]]


async def test_connecting_returns_the_identity(pds: ReferencePds, http: Client) -> None:
    connect = bluesky().connect
    assert connect is not None
    alice = pds.accounts[0]

    identity = await connect(
        server_at(http, pds.url, trusted=True), fields(alice, identifier="\u202a@alice.test\u202c")
    )

    assert (identity.remote_id, identity.username, identity.base_url) == (alice.did, "alice.test", pds.url)
    assert set(identity.secrets) == {"accessJwt", "refreshJwt", "appPassword"}
    assert identity.refreshable
    assert identity.token_expires_at is not None
    assert timedelta(days=80) < identity.token_expires_at - datetime.now(UTC) < timedelta(days=100)


async def test_a_main_password_opens_the_account_but_is_not_stored(pds: ReferencePds, http: Client) -> None:
    connect = bluesky().connect
    assert connect is not None
    alice = pds.accounts[0]

    identity = await connect(server_at(http, pds.url, trusted=True), fields(alice, appPassword=alice.password))

    assert set(identity.secrets) == {"accessJwt", "refreshJwt"}


async def test_a_wrong_password_is_rejected_without_repeating_it(pds: ReferencePds, http: Client) -> None:
    connect = bluesky().connect
    assert connect is not None

    with pytest.raises(BadCredentials, match="Invalid identifier or password") as raised:
        await connect(server_at(http, pds.url, trusted=True), fields(pds.accounts[0], appPassword="wrong-secret"))

    assert "wrong-secret" not in str(raised.value)


async def test_an_address_without_a_server_is_an_error_of_that_field(pds: ReferencePds, http: Client) -> None:
    connect = bluesky().connect
    assert connect is not None

    with pytest.raises(InvalidField) as raised:
        await connect(server_at(http, "https://bsky.social"), fields(pds.accounts[0], service="https://127.0.0.1:1"))

    assert raised.value.name == "service"


async def test_an_image_post_with_alt_text_and_facets_reads_back(pds: ReferencePds, http: Client) -> None:
    alice, bob = pds.accounts
    opened = await open_account(http, pds, alice)
    text = "Grüße 👩‍👩‍👧 an @bob.test und @nobody.test: https://example.com/ä?b=1, #Fußball und #2026"
    post = outgoing(text, media=(image("ein Punkt"),), options={"languages": ["de"], "labels": ["nudity"]})
    journal = MemoryJournal()

    outcome = await bluesky().publish(opened, post, journal)

    assert isinstance(outcome, Published), outcome
    value = (await read(http, pds, outcome.remote_id))["value"]
    assert value["text"] == text
    assert value["langs"] == ["de"]
    assert value["labels"]["values"] == [{"val": "nudity"}]
    (shown,) = value["embed"]["images"]
    assert shown["alt"] == "ein Punkt"
    assert shown["aspectRatio"] == {"width": 1, "height": 1}
    assert shown["image"]["size"] == len(PNG)
    pieces = {
        text.encode()[f["index"]["byteStart"] : f["index"]["byteEnd"]].decode(): f["features"][0]
        for f in value["facets"]
    }
    assert pieces.keys() == {"@bob.test", "https://example.com/ä?b=1", "#Fußball"}
    assert pieces["@bob.test"]["did"] == bob.did
    assert pieces["#Fußball"]["tag"] == "Fußball"
    assert outcome.url == f"https://bsky.app/profile/{alice.did}/post/{outcome.remote_id.rpartition('/')[2]}"


async def test_a_thread_is_a_chain_and_can_be_removed(pds: ReferencePds, http: Client) -> None:
    opened = await open_account(http, pds, pds.accounts[0])
    connector = bluesky()

    outcome = await connector.publish(opened, outgoing("1/3", "2/3", "3/3", options={"replyGate": []}), MemoryJournal())

    assert isinstance(outcome, Published), outcome
    first, second, third = [await read(http, pds, uri) for uri in (outcome.remote_id, *outcome.thread_ids)]
    assert second["value"]["reply"] == {"root": _reference(first), "parent": _reference(first)}
    assert third["value"]["reply"] == {"root": _reference(first), "parent": _reference(second)}
    gate = await read(http, pds, outcome.remote_id.replace(POST, "app.bsky.feed.threadgate"))
    assert gate["value"]["post"] == first["uri"]
    assert gate["value"]["allow"] == []
    assert first["uri"] < second["uri"] < third["uri"]

    assert connector.delete is not None
    for _ in range(2):  # the second time there is nothing to remove
        await connector.delete(opened, outcome.remote_id, outcome.thread_ids)
    assert not {"1/3", "2/3", "3/3"} & {value["text"] for value in await all_posts(http, pds, opened.remote_id)}


def _reference(record: dict[str, Any]) -> dict[str, str]:
    return {"uri": record["uri"], "cid": record["cid"]}


async def test_a_link_becomes_a_card_with_the_title_of_the_sender(pds: ReferencePds, http: Client) -> None:
    opened = await open_account(http, pds, pds.accounts[0])
    words = {"title": "Release notes", "description": "What is new", "image": False}
    post = outgoing("Read this", link="https://example.com/notes", options={"linkCard": words})

    outcome = await bluesky().publish(opened, post, MemoryJournal())

    assert isinstance(outcome, Published), outcome
    value = (await read(http, pds, outcome.remote_id))["value"]
    assert value["embed"]["external"] == {
        "uri": "https://example.com/notes",
        "title": "Release notes",
        "description": "What is new",
    }


@pytest.mark.parametrize("by", ["handle", "did", "at"])
async def test_a_quote_names_the_post_and_its_version(pds: ReferencePds, http: Client, by: str) -> None:
    alice, bob = pds.accounts
    opened = await open_account(http, pds, alice)
    quoted = await bluesky().publish(await open_account(http, pds, bob), outgoing("Quote me"), MemoryJournal())
    assert isinstance(quoted, Published)
    rkey = quoted.remote_id.rpartition("/")[2]
    address = {
        "handle": f"https://bsky.app/profile/{bob.handle}/post/{rkey}", "did": quoted.url, "at": quoted.remote_id,
    }[by]  # fmt: skip
    options = {"quoteId": address}

    plain = await bluesky().publish(opened, outgoing("Look", "and more", options=options), MemoryJournal())
    pictured = await bluesky().publish(opened, outgoing("Look", media=(image(),), options=options), MemoryJournal())

    assert isinstance(plain, Published), plain
    assert isinstance(pictured, Published), pictured
    reference = _reference(await read(http, pds, quoted.remote_id))
    assert (await read(http, pds, plain.remote_id))["value"]["embed"]["record"] == reference
    assert "embed" not in (await read(http, pds, plain.thread_ids[0]))["value"]
    embed = (await read(http, pds, pictured.remote_id))["value"]["embed"]
    assert embed["record"]["record"] == reference
    assert len(embed["media"]["images"]) == 1


@pytest.mark.parametrize("author", ["nobody.test", "bob.test"])
async def test_a_quote_of_a_post_that_does_not_exist_is_refused(pds: ReferencePds, http: Client, author: str) -> None:
    opened = await open_account(http, pds, pds.accounts[0])
    options = {"quoteId": f"https://bsky.app/profile/{author}/post/3jzfcijpj2z2a"}

    outcome = await bluesky().publish(opened, outgoing("Look", options=options), MemoryJournal())

    assert isinstance(outcome, Refused), outcome
    assert "does not exist" in outcome.message


async def test_a_page_that_cannot_be_read_does_not_stop_the_post(pds: ReferencePds, http: Client) -> None:
    """The address is private, so the guard refuses it: the card gets the host as its title."""
    opened = await open_account(http, pds, pds.accounts[0])

    outcome = await bluesky().publish(opened, outgoing("Look", link="https://10.0.0.1/x"), MemoryJournal())

    assert isinstance(outcome, Published), outcome
    assert (await read(http, pds, outcome.remote_id))["value"]["embed"]["external"]["title"] == "10.0.0.1"


async def test_300_graphemes_are_accepted_and_301_refused_by_preflight_and_server(
    pds: ReferencePds, http: Client
) -> None:
    """An emoji of seven code points counts as one in both; for many long ones the byte limit comes first."""
    opened = await open_account(http, pds, pds.accounts[0])
    family, fits, over = "👩‍👩‍👧", "é" * 250 + "👍🏽" * 50, "é" * 251 + "👍🏽" * 50
    connector = bluesky()

    assert preflight.check(connector, outgoing(fits), {}) == []
    assert isinstance(await connector.publish(opened, outgoing(fits), MemoryJournal()), Published)
    assert [issue.rule for issue in preflight.check(connector, outgoing(over), {})] == ["bluesky.text.max_graphemes"]
    refused = await connector.publish(opened, outgoing(over), MemoryJournal())
    assert isinstance(refused, Refused)
    assert (refused.code, refused.http_status) == ("content_rejected", 400)
    assert "grapheme" in refused.message
    heavy = preflight.check(connector, outgoing(family * 200), {})
    assert [(f.rule, f.params) for f in heavy] == [("bluesky.text.max_bytes", {"limit": 3000, "actual": 3600})]


async def test_a_video_that_claims_to_be_an_image_is_refused_before_it_is_sent(pds: ReferencePds, http: Client) -> None:
    """The reference server would accept it, and readers would see nothing."""
    opened = await open_account(http, pds, pds.accounts[0])
    fake = image(data=b"\x00\x00\x00\x18ftypmp42" + b"\x00" * 64)

    outcome = await bluesky().publish(opened, outgoing("no image", media=(fake,)), MemoryJournal())

    assert isinstance(outcome, Refused)
    assert outcome.code == "media_unsupported"
    assert "no image" not in {value["text"] for value in await all_posts(http, pds, opened.remote_id)}


async def test_a_video_is_published_as_a_video(pds: ReferencePds, http: Client) -> None:
    opened = await open_account(http, pds, pds.accounts[0])
    film = image(data=b"\x00\x00\x00\x18ftypmp42" + b"\x00" * 9000, kind="video", mime_type="video/mp4")

    outcome = await bluesky().publish(opened, outgoing("film", media=(film,)), MemoryJournal())

    assert isinstance(outcome, Published), outcome
    embed = (await read(http, pds, outcome.remote_id))["value"]["embed"]
    assert (embed["$type"], embed["video"]["mimeType"]) == ("app.bsky.embed.video", "video/mp4")


async def test_captions_and_how_a_video_is_shown(pds: ReferencePds, http: Client) -> None:
    """Captions belong to the first post; a video that was a GIF plays like one, wherever it stands."""
    opened = await open_account(http, pds, pds.accounts[0])
    film = image(data=b"\x00\x00\x00\x18ftypmp42" + b"\x00" * 9000, kind="video", mime_type="video/mp4")
    text = "WEBVTT\n\n00:00.000 --> 00:02.000\nBrød"
    options = {"captions": [{"language": "nb-NO", "text": text}, {"language": "en", "text": text}]}
    film_twice = outgoing("film", "again", media=(film,), options=options)
    second = Part(text="again", media=(replace(film, is_animation=True),))

    outcome = await bluesky().publish(opened, replace(film_twice, parts=(film_twice.parts[0], second)), MemoryJournal())
    like_a_gif = await bluesky().publish(
        opened, outgoing("gif", media=(film,), options={"videoAsGif": True}), MemoryJournal()
    )

    assert isinstance(outcome, Published), outcome
    assert isinstance(like_a_gif, Published), like_a_gif
    embeds = [
        (await read(http, pds, uri))["value"]["embed"]
        for uri in (outcome.remote_id, *outcome.thread_ids, like_a_gif.remote_id)
    ]
    tracks = embeds[0]["captions"]
    assert [track["lang"] for track in tracks] == ["nb-NO", "en"]
    assert {(track["file"]["mimeType"], track["file"]["size"]) for track in tracks} == {
        ("text/vtt", len(text.encode()))
    }
    assert ["captions" in embed for embed in embeds] == [True, False, False]
    assert [embed.get("presentation") for embed in embeds] == [None, "gif", "gif"]


@pytest.mark.parametrize(("count", "kind"), [(4, "images"), (5, "gallery"), (10, "gallery")])
async def test_more_than_four_images_are_a_gallery(pds: ReferencePds, http: Client, count: int, kind: str) -> None:
    opened = await open_account(http, pds, pds.accounts[0])
    pictures = tuple(image(f"picture {number}", width=3, height=2) for number in range(count))

    outcome = await bluesky().publish(opened, outgoing("many", media=pictures), MemoryJournal())

    assert isinstance(outcome, Published), outcome
    embed = (await read(http, pds, outcome.remote_id))["value"]["embed"]
    assert embed["$type"] == f"app.bsky.embed.{kind}"
    shown = embed["items" if kind == "gallery" else "images"]
    assert [item["alt"] for item in shown] == [f"picture {number}" for number in range(count)]
    assert all(item["aspectRatio"] == {"width": 3, "height": 2} for item in shown)
    if kind == "gallery":
        assert {item["$type"] for item in shown} == {"app.bsky.embed.gallery#image"}


async def test_an_expired_access_token_is_renewed_and_the_new_tokens_are_stored(
    pds: ReferencePds, http: Client
) -> None:
    opened = await open_account(http, pds, pds.accounts[0])
    before = opened.secrets["refreshJwt"]
    opened.secrets = {**opened.secrets, "accessJwt": ended(opened.secrets["accessJwt"])}

    outcome = await bluesky().publish(opened, outgoing("after a renewal"), MemoryJournal())

    assert isinstance(outcome, Published), outcome
    ((secrets, expires_at),) = opened.stored  # type: ignore[attr-defined]
    assert secrets == opened.secrets
    assert secrets["refreshJwt"] != before
    assert secrets["appPassword"] == pds.accounts[0].app_password
    assert expires_at > datetime.now(UTC) + timedelta(days=80)


def ended(token: str) -> str:
    """Return the token with an expiry in the past; only the connector reads it, for the signature is broken."""
    head, _, tail = token.split(".")
    claims = base64.urlsafe_b64encode(json.dumps({"exp": 1_700_000_000}).encode()).decode().rstrip("=")
    return f"{head}.{claims}.{tail}"


async def test_a_dead_grant_signs_in_again_with_the_app_password(pds: ReferencePds, http: Client) -> None:
    connector = bluesky()
    opened = await open_account(http, pds, pds.accounts[0])
    assert connector.revoke is not None
    assert connector.refresh is not None
    assert connector.check is not None

    await connector.revoke(opened)
    await connector.refresh(opened)

    assert (await connector.check(opened)).valid


async def test_invalid_tokens_mean_that_the_user_must_reconnect(pds: ReferencePds, http: Client) -> None:
    connector = bluesky()
    opened = await open_account(http, pds, pds.accounts[0])
    opened.secrets = {"accessJwt": "nonsense", "refreshJwt": "nonsense"}

    outcome = await connector.publish(opened, outgoing("never"), MemoryJournal())
    assert connector.check is not None
    with pytest.raises(ApiError) as failed:
        await connector.check(opened)

    for refused in (outcome, connector.explain(failed.value)):
        assert isinstance(refused, NeedsReconnect)
        assert refused.platform_code == "InvalidToken"


async def test_a_second_create_of_a_key_makes_no_second_record(pds: ReferencePds, http: Client) -> None:
    """The process dies between the response and `done`: the next attempt finds the record, and so does reconcile."""
    connector = bluesky()
    opened = await open_account(http, pds, pds.accounts[0])
    journal = MemoryJournal()
    first = await connector.publish(opened, outgoing("just once"), journal)
    intent = {name: journal.values["part:0"][name] for name in ("rkey", "at")}

    again = MemoryJournal(values={"part:0": dict(intent)}, open={"part:0"})
    resumed = await connector.publish(opened, outgoing("just once"), again)
    looked = MemoryJournal(values={"part:0": dict(intent)}, open={"part:0"})
    assert connector.reconcile is not None
    reconciled = await connector.reconcile(opened, outgoing("just once"), looked)

    assert first == resumed == reconciled
    assert [value["text"] for value in await all_posts(http, pds, opened.remote_id)].count("just once") == 1


class _DeafToCreates:
    """Passes calls on and loses the responses of creates: the server has acted, and we cannot know."""

    def __init__(self, http: Client, *, blind: bool = False) -> None:
        self.http = http
        self.blind = blind

    async def request(self, method: str, url: str, **rest: Any) -> Any:
        if self.blind and "getRecord" in url:
            raise MaybeSent("lost")
        response = await self.http.request(method, url, **rest)
        if "createRecord" in url:
            raise MaybeSent("no response in time", timed_out=True)
        return response


async def test_lost_responses_are_unknown_until_the_server_is_asked(pds: ReferencePds, http: Client) -> None:
    connector = bluesky()
    assert connector.reconcile is not None
    opened = await open_account(http, pds, pds.accounts[0])
    journal = MemoryJournal()
    post = outgoing("a lost answer", "and its reply")

    opened.server = replace(opened.server, http=_DeafToCreates(http))
    first = await connector.publish(opened, post, journal)
    opened.server = replace(opened.server, http=_DeafToCreates(http, blind=True))
    blind = await connector.reconcile(opened, post, journal)
    opened.server = replace(opened.server, http=http)
    await connector.reconcile(opened, post, journal)
    last = await connector.publish(opened, post, journal)

    assert isinstance(first, OutcomeUnknown)
    assert isinstance(blind, OutcomeUnknown)
    assert isinstance(last, Published)
    texts = [value["text"] for value in await all_posts(http, pds, opened.remote_id)]
    assert (texts.count("a lost answer"), texts.count("and its reply")) == (1, 1)


async def test_an_answer_stands_in_the_thread_and_is_written_once(pds: ReferencePds, http: Client) -> None:
    """Bob comments on a post of Alice, who answers; a lost response is settled by reading the record back."""
    alice, bob = [await open_account(http, pds, account) for account in pds.accounts[:2]]
    post = await bluesky().publish(alice, outgoing("Fresh rolls", dedupe_key="rolls"), MemoryJournal())
    assert isinstance(post, Published)
    root = await reference(http, pds, post.remote_id)
    record = {
        "$type": POST, "text": "Where?", "createdAt": "2026-11-21T18:00:00.000Z",
        "reply": {"root": root, "parent": root},
    }  # fmt: skip
    written = await bob.server.call(
        "POST", "/xrpc/com.atproto.repo.createRecord",
        headers={"Authorization": f"Bearer {bob.secrets['accessJwt']}"},
        json={"repo": bob.remote_id, "collection": POST, "record": record},
    )  # fmt: skip
    comment = written.json()
    answer = OutgoingReply(
        post_id=post.remote_id, comment_id=comment["uri"], author_handle="bob.test",
        reference={"cid": comment["cid"], "root": {"id": root["uri"], "cid": root["cid"]}}, text="At our shop.",
        dedupe_key="answer", created_at=datetime.now(UTC),
    )  # fmt: skip
    reply, journal = bluesky().reply, MemoryJournal()
    assert reply is not None
    outcome = await reply(alice, answer, journal)
    assert isinstance(outcome, Published), outcome
    value = (await read(http, pds, outcome.remote_id))["value"]
    parent = {"uri": comment["uri"], "cid": comment["cid"]}
    assert (value["text"], value["reply"]) == ("At our shop.", {"root": root, "parent": parent})

    step = journal.values["part:2"]
    lost = MemoryJournal(values={"part:2": {"rkey": step["rkey"], "at": step["at"]}}, open={"part:2"})
    assert await reply(alice, answer, lost) == outcome
    mine = [each for each in await all_posts(http, pds, alice.remote_id) if each["text"] == "At our shop."]
    assert len(mine) == 1


async def reference(http: Client, pds: ReferencePds, uri: str) -> dict[str, str]:
    record = await read(http, pds, uri)
    return {"uri": record["uri"], "cid": record["cid"]}
