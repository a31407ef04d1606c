"""Announced files: a URL for exactly what was announced, once and for fifteen minutes, within the plan's storage."""

import asyncio
import hashlib
from datetime import timedelta
from typing import Any

import httpx
import pytest
from tests.helpers import media_files
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.media import FullStore, sweep

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.media import signed_urls
from signalpost.plans import limits

IMAGE = media_files.image("PNG")


def announcement(content: bytes = IMAGE, **fields: Any) -> dict[str, Any]:
    checksum = hashlib.sha256(content).hexdigest()
    described = {"fileName": "a.png", "contentType": "image/png", "size": len(content), "checksumSha256": checksum}
    return {name: value for name, value in (described | fields).items() if value is not None}


async def announce(api: Api, who: Login, content: bytes = IMAGE, **fields: Any) -> dict[str, Any]:
    answer = await api.post("/media/presign-upload", json=announcement(content, **fields), key=who.key)
    assert answer.status_code == 201, answer.text
    presigned: dict[str, Any] = answer.json()
    return presigned


async def put(api: Api, presigned: dict[str, Any], content: Any = IMAGE, **headers: str) -> httpx.Response:
    path = presigned["uploadUrl"].partition("/api/v1")[2]
    return await api.put(path, content=content, headers=presigned["headers"] | headers)


async def media_of(api: Api, who: Login, presigned: dict[str, Any]) -> dict[str, Any]:
    media: dict[str, Any] = (await api.get(f"/media/{presigned['mediaId']}", key=who.key)).json()
    return media


async def test_a_file_is_announced_sent_and_ready(api: Api, make: Make) -> None:
    owner = await make.owner()
    presigned = await announce(api, owner, altText="Noise", profileId=owner.profile, fileName="../../cat.html")
    pending = await media_of(api, owner, presigned)

    sent = await put(api, presigned)

    assert (pending["status"], pending["url"], pending["size"]) == ("pending", None, len(IMAGE))
    assert pending["checksumSha256"] == hashlib.sha256(IMAGE).hexdigest()
    assert presigned["maxSize"] == len(IMAGE)
    assert presigned["expiresAt"] == pending["expiresAt"]
    assert sent.status_code == 200, sent.text
    media = await media_of(api, owner, presigned)
    assert sent.json() == {name: media[name] for name in ("id", "status", "size", "checksumSha256")}
    assert (media["status"], media["altText"], media["fileName"]) == ("ready", "Noise", "cat.html.png")
    assert (media["profileId"], media["storagePath"]) == (owner.profile, presigned["storagePath"])
    assert (media["width"], media["thumbnailUrl"] is not None) == (48, True)
    stored = (await api.get(media["url"].partition("/api/v1")[2])).content
    assert hashlib.sha256(stored).hexdigest() == media["checksumSha256"]
    assert media_files.SECRET not in stored


async def test_a_file_of_unknown_size_may_be_as_large_as_its_type(api: Api, make: Make) -> None:
    owner = await make.owner()
    presigned = await announce(api, owner, size=None, checksumSha256=None)

    assert presigned["maxSize"] == 25_000_000
    assert (await put(api, presigned)).status_code == 200
    assert (await media_of(api, owner, presigned))["size"] < len(IMAGE)


REFUSED = {
    "other bytes": (IMAGE[:-1] + b"x", {}, "not_allowed", "not_allowed"),
    "fewer bytes": (IMAGE[:-1], {}, "not_allowed", "too_short"),
    "more bytes": (IMAGE + b"x", {}, "payload_too_large", "payload_too_large"),
    "another type": (media_files.PDF.ljust(len(IMAGE)), {}, "not_allowed", "not_allowed"),
    "another header": (IMAGE, {"Content-Type": "image/jpeg"}, "unsupported_media_type", "unsupported_media_type"),
    "nothing": (b"", {}, "not_allowed", "too_short"),
    "compressed": (IMAGE, {"Content-Encoding": "gzip"}, "unsupported_media_type", "unsupported_media_type"),
}
"""What is sent -> the code of its refusal if Content-Length tells its size, and if it does not."""


async def test_other_bytes_than_announced_are_refused_and_the_right_ones_still_accepted(api: Api, make: Make) -> None:
    owner = await make.owner()
    presigned = await announce(api, owner)

    for name, (content, headers, *codes) in REFUSED.items():
        answers = [await put(api, presigned, body, **headers) for body in (content, _in_pieces(content))]
        found = [(answer.json().get("errors") or [answer.json()])[0]["code"] for answer in answers]
        assert found == codes, name
        assert (await media_of(api, owner, presigned))["status"] == "pending"

    assert (await put(api, presigned)).status_code == 200


async def _in_pieces(content: bytes) -> Any:
    for start in range(0, len(content), 1_000):
        yield content[start : start + 1_000]


async def test_a_url_works_once(api: Api, make: Make) -> None:
    owner = await make.owner()
    presigned = await announce(api, owner)

    statuses = [answer.status_code for answer in await asyncio.gather(*(put(api, presigned) for _ in range(4)))]
    later = await put(api, presigned)

    assert sorted(statuses) == [200, 409, 409, 409]
    assert (later.status_code, later.json()["code"]) == (409, "invalid_state")


async def test_a_url_is_bound_to_its_file_and_time(
    api: Api, make: Make, context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = await make.owner()
    presigned, other = await announce(api, owner), await announce(api, owner)
    url = presigned["uploadUrl"]
    media_id = ids.decode("med", presigned["mediaId"])
    assert media_id

    wrong = [
        url.replace(presigned["mediaId"], other["mediaId"]),
        url.replace("expires=", "expires=1"),
        url[:-3] + "xyz",
        signed_urls.create_upload(context.keys, "/api/v1", media_id, int(clock.now().timestamp()) - 1),
        signed_urls.create(context.keys, "/api/v1", media_id).replace("/content?", "/upload?"),
    ]

    for changed in wrong:
        answer = await put(api, presigned | {"uploadUrl": changed})
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), changed
    assert (await put(api, presigned)).status_code == 200


async def test_a_damaged_file_fails_with_the_reason(api: Api, make: Make) -> None:
    """The bytes are those that were announced, so sending them again would not help."""
    owner = await make.owner()
    damaged = IMAGE[:-40]
    presigned = await announce(api, owner, damaged)

    answer = await put(api, presigned, damaged)

    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (422, "format")
    media = await media_of(api, owner, presigned)
    assert (media["status"], media["error"]["code"], media["url"]) == ("failed", "format", None)
    assert (await put(api, presigned, damaged)).status_code == 409
    assert (await api.delete(f"/media/{media['id']}", key=owner.key)).status_code == 200


async def test_a_late_file_fails_and_frees_its_storage(
    api: Api, make: Make, context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = await make.owner()
    monkeypatch.setitem(limits.STORAGE_BYTES.by_plan, "self_hosted", 2 * len(IMAGE) - 1)
    presigned = await announce(api, owner)
    full = await api.post("/media/presign-upload", json=announcement(), key=owner.key)
    async with context.database.transaction() as db:
        await db.execute("update media set expires_at = now() where workspace_id = $1", owner.workspace_id)

    late = await put(api, presigned)
    await sweep(context)

    assert (full.status_code, full.json()["limit"]["name"]) == (402, "storageBytes")
    assert (late.status_code, late.json()["code"]) == (409, "invalid_state")
    media = await media_of(api, owner, presigned)
    assert (media["status"], media["error"]["code"]) == ("failed", "upload_expired")
    assert (await put(api, await announce(api, owner))).status_code == 200


async def test_the_sweep_runs_when_the_next_upload_is_late(api: Api, make: Make, context: AppContext) -> None:
    owner = await make.owner()
    async with context.database.transaction() as db:  # as a worker does when it starts
        await db.execute(
            "insert into job (id, queue, kind, unique_key, next_attempt_at) values ($1, $1, $2, $2, '2030-01-01')"
            " on conflict (unique_key) do update set next_attempt_at = excluded.next_attempt_at",
            ids.new_id(), "media.sweep",
        )  # fmt: skip
    presigned = await announce(api, owner)

    async with context.database.connection() as db:
        due = await db.fetchval("select next_attempt_at from job where unique_key = 'media.sweep'")
    seconds = await sweep(context)

    assert due <= clock.now() + timedelta(minutes=15)
    assert 0 < seconds <= 900
    assert (await media_of(api, owner, presigned))["status"] == "pending"


async def test_of_fifty_announcements_for_the_last_bytes_one_is_accepted(
    api: Api, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = await make.owner()
    monkeypatch.setitem(limits.STORAGE_BYTES.by_plan, "self_hosted", len(IMAGE))

    answers = await asyncio.gather(
        *(api.post("/media/presign-upload", json=announcement(), key=owner.key) for _ in range(50))
    )

    assert sorted(answer.status_code for answer in answers) == [201] + [402] * 49
    assert len((await api.get("/media", key=owner.key)).json()["data"]) == 1


async def test_a_pending_file_can_be_cancelled(api: Api, make: Make) -> None:
    owner = await make.owner()
    presigned = await announce(api, owner)

    assert (await api.delete(f"/media/{presigned['mediaId']}", key=owner.key)).status_code == 200
    assert (await put(api, presigned)).status_code == 409


async def test_a_post_refuses_a_file_that_is_not_there_yet(api: Api, make: Make) -> None:
    owner = await make.owner()
    presigned = await announce(api, owner)
    post = {"profileId": owner.profile, "text": "x", "draft": True, "media": [{"mediaId": presigned["mediaId"]}]}

    refused = await api.post("/posts", json=post, key=owner.key)
    await put(api, presigned)
    accepted = await api.post("/posts", json=post, key=owner.key)

    assert (refused.status_code, accepted.status_code) == (422, 201)
    assert "pending" in refused.json()["errors"][0]["message"]


async def test_bytes_that_could_not_be_stored_can_be_sent_again(
    api: Api, make: Make, context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = await make.owner()
    presigned = await announce(api, owner)
    with monkeypatch.context() as patched:
        patched.setattr(context, "storage", FullStore(context.storage))
        failed = await put(api, presigned)

    assert failed.status_code == 503
    assert (await media_of(api, owner, presigned))["status"] == "pending"
    assert (await put(api, presigned)).status_code == 200


BATCHES = {
    "one profile is unknown": (
        [{}, {"profileId": "prof_01JD8ZK3T5X7Q9V2B4N6M8R0AC"}, {"size": 26_000_000}],
        {"/files/1/profileId": "not_found", "/files/2/size": "out_of_range"},
    ),
    "one type is unknown": ([{}, {"contentType": "image/svg+xml"}], {"/files/1/contentType": "not_allowed"}),
    "one checksum is none": ([{"checksumSha256": "x"}], {"/files/0/checksumSha256": "format"}),
    "none": ([], {"/files": "too_short"}),
    "too many": ([{}] * 51, {"/files": "too_long"}),
}


@pytest.mark.parametrize("name", BATCHES)
async def test_a_batch_is_announced_as_a_whole_or_not_at_all(api: Api, make: Make, name: str) -> None:
    owner = await make.owner()
    files, issues = BATCHES[name]

    answer = await api.post(
        "/media/presign-upload/batch", json={"files": [announcement(**fields) for fields in files]}, key=owner.key
    )

    assert answer.status_code == 422
    assert {issue["path"]: issue["code"] for issue in answer.json()["errors"]} == issues
    assert (await api.get("/media", key=owner.key)).json()["data"] == []


async def test_the_files_of_a_batch_keep_their_order(api: Api, make: Make) -> None:
    owner = await make.owner()
    files = [announcement(fileName=f"{number}.png") for number in range(50)]

    answer = await api.post("/media/presign-upload/batch", json={"files": files}, key=owner.key)

    uploads = answer.json()["uploads"]
    names = [(await media_of(api, owner, upload))["fileName"] for upload in uploads[:2] + uploads[-1:]]
    assert (answer.status_code, len(uploads)) == (201, 50)
    assert names == ["0.png", "1.png", "49.png"]
    assert {upload["expiresAt"] for upload in uploads} == {answer.json()["expiresAt"]}
    assert (await put(api, uploads[7])).status_code == 200


async def test_too_large_a_file_is_refused_with_the_limit(api: Api, make: Make) -> None:
    owner = await make.owner()

    answer = await api.post("/media/presign-upload", json=announcement(size=26_000_000), key=owner.key)

    assert (answer.status_code, answer.json()["limit"]) == (413, {"name": "fileBytes", "max": 25_000_000})
