"""Every endpoint that is built answers with the status of the specification, and with what its reference says."""

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Awaitable, Callable, Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import httpx
import jsonschema
import pytest
from tests.contract.conftest import CreateSample
from tests.helpers.api import Api
from tests.helpers.contract import (
    DOCUMENT,
    ENDPOINTS,
    SEGMENTS,
    PreparedRequest,
    Sample,
    browser_at,
    invited_email,
    name_of,
    picture,
    session_of,
)

from signalpost.identity import passwords, tokens, totp
from signalpost.kit import clock, ids
from signalpost.oidc import flow
from signalpost.status import tokens as status_tokens
from signalpost.web.caller import PUBLIC
from signalpost.web.routing import Endpoint
from signalpost.workspaces.actions.export import JOB as EXPORT_JOB

Prepare = Callable[[Sample, PreparedRequest], Awaitable[None]]
_PASSWORD = "correct horse battery"
_RESET = (
    "insert into one_time_token (hash, purpose, user_id, expires_at) values ($1, $2, $3, now() + interval '1 hour')"
)
_OF_A_PROVIDER = """
insert into user_identity (issuer, subject, user_id, email) values ('', gen_random_uuid()::text, $1, 'ada@example.com')
on conflict do nothing
"""
_PASSWORD_WITHOUT_TOTP = "update app_user set password_hash = $2, totp_confirmed_at = null where id = $1"
ELSEWHERE = {
    "GET /platforms/{platform}/callback": "tests/accounts/test_flow_attacks.py",
    "GET /platforms/{platform}/callback/{server}": "tests/accounts/test_authorization.py",
    "GET /platforms/{platform}/webhook": "tests/comments/test_push.py",
    "POST /platforms/{platform}/webhook": "tests/comments/test_push.py",
    "POST /platforms/{platform}/switch-page": "tests/accounts/test_destinations.py",
    "POST /billing/checkout": "tests/billing/test_checkout.py",
    "POST /billing/portal": "tests/billing/test_checkout.py",
    "PATCH /billing/subscription": "tests/billing/test_changes.py",
    "POST /billing/webhook": "tests/billing/test_notifications.py",
    "POST /billing/handover": "tests/billing/test_payers.py",
    "DELETE /billing/handover": "tests/billing/test_payers.py",
    "POST /billing/refresh": "tests/billing/test_checkout.py",
    "POST /billing/payer": "tests/billing/test_payers.py",
    "POST /admin/payments/differences/{id}/repair": "tests/billing/test_compare.py",
    "POST /feeds/preview": "tests/feeds/test_feeds.py",
    "POST /api-keys/leaked": "tests/api_keys/test_leaked.py",
}
"""What needs another server to succeed, and where that is shown."""
RECORDED_LATER = {
    "POST /auth/password/forgot", "POST /team/invites/{token}/decline", "POST /approvals/{token}/posts/{postId}",
}  # fmt: skip
"""What names no caller: a job records it (tests/identity/test_passwords.py), or nobody is signed in (tests/team,
tests/approval_links)."""
SECRET_NAMES = ("password", "token", "accessToken", "refreshToken", "key", "secret", "fields")


async def _sign_up(sample: Sample) -> dict[str, str]:
    email = f"{secrets.token_hex(5)}@example.test"
    answer = await sample.api.post("/auth/register", json={"email": email, "password": _PASSWORD})
    assert answer.status_code == 201, answer.text
    found = answer.json()
    return {"email": email, "workspace": found["workspace"]["id"]} | {
        name: found[name] for name in ("accessToken", "refreshToken")
    }


async def _new_email(sample: Sample, request: PreparedRequest) -> None:
    request.body["email"] = f"{secrets.token_hex(5)}@example.test"


async def _own_password(sample: Sample, request: PreparedRequest) -> None:
    request.body = {"email": (await _sign_up(sample))["email"], "password": _PASSWORD}


async def _own_refresh_token(sample: Sample, request: PreparedRequest) -> None:
    request.body = {"refreshToken": (await _sign_up(sample))["refreshToken"]}


async def _signed_in(sample: Sample, request: PreparedRequest) -> None:
    found = await _sign_up(sample)
    request.key = found["accessToken"]
    request.path = request.path.replace(sample.ids["wsp"], found["workspace"])


async def _own_workspace(sample: Sample, request: PreparedRequest) -> None:
    await _signed_in(sample, request)
    [workspace] = (await sample.api.get("/workspaces", key=request.key)).json()["data"]
    request.params["name"] = workspace["name"]


async def _exported(sample: Sample, request: PreparedRequest) -> None:
    await _signed_in(sample, request)
    path = request.path.removesuffix("/content")
    async with sample.make.context.database.transaction() as db:  # few are made at a time: those of earlier tests wait
        await db.execute("delete from job where kind = $1", EXPORT_JOB)
    assert (await sample.api.post(path, key=request.key)).status_code == 202
    if path != request.path:
        await _process(sample)
        export = (await sample.api.get(path, key=request.key)).json()
        assert export["status"] == "ready", export
        request.params = dict(parse_qsl(urlsplit(export["downloadUrl"]).query))


async def _of_the_sandbox(sample: Sample, request: PreparedRequest) -> None:
    request.key = sample.owner.test_key


async def _reset_token(sample: Sample, request: PreparedRequest) -> None:
    request.body["token"] = "spr_" + secrets.token_urlsafe(32)
    async with sample.make.context.database.transaction() as db:
        await db.execute(_RESET, tokens.digest(request.body["token"]), "password_reset", sample.owner.user_id)


async def _totp(sample: Sample, request: PreparedRequest) -> None:
    """The owner, with a known password, and a secret that waits for its first code."""
    context = sample.make.context
    async with context.database.transaction() as db:
        await db.execute(_PASSWORD_WITHOUT_TOTP, sample.owner.user_id, await passwords.hash_password(_PASSWORD))
    request.key = (await session_of(sample, sample.owner)).access_token
    if request.path == "/auth/totp":
        request.body = {"password": _PASSWORD}
        return
    if request.path == "/auth/oidc/unlink":
        request.body = {"password": _PASSWORD}
        async with context.database.transaction() as db:
            await db.execute(_OF_A_PROVIDER, sample.owner.user_id)
        return
    enrolled = await sample.api.post("/auth/totp", json={"password": _PASSWORD}, key=request.key)
    secret = base64.b32decode(enrolled.json()["secret"])
    request.body = {"code": totp.code_at(secret, totp.step_of(clock.now()))}
    if request.path == "/auth/totp/disable":
        confirmed = await sample.api.post("/auth/totp/confirm", json=request.body, key=request.key)
        request.body = {"password": _PASSWORD, "code": confirmed.json()["recoveryCodes"][0]}


async def _change_password(sample: Sample, request: PreparedRequest) -> None:
    async with sample.make.context.database.transaction() as db:
        await db.execute(_PASSWORD_WITHOUT_TOTP, sample.owner.user_id, await passwords.hash_password(_PASSWORD))
    request.key = (await session_of(sample, sample.owner)).access_token
    request.body = {"currentPassword": _PASSWORD, "password": "another horse battery"}


async def _signed_in_twice(sample: Sample, request: PreparedRequest) -> None:
    found = await _sign_up(sample)
    again = await sample.api.post("/auth/login", json={"email": found["email"], "password": _PASSWORD})
    request.key = again.json()["accessToken"]


async def _browser(sample: Sample, request: PreparedRequest) -> None:
    request.key = (await session_of(sample, sample.owner)).access_token
    if request.path == "/auth/push":
        request.body = browser_at("http://127.0.0.1:9/push")


async def _own_session(sample: Sample, request: PreparedRequest) -> None:
    for _ in range(2):
        request.key = (await session_of(sample, sample.owner)).access_token
    sessions = (await sample.api.get("/auth/sessions", key=request.key)).json()["data"]
    request.path = f"/auth/sessions/{next(row['id'] for row in sessions if not row['current'])}"


async def _device_asks(sample: Sample, request: PreparedRequest) -> None:
    """A device shows a code; the owner has signed in. For `token`, they have approved it."""
    request.key = (await session_of(sample, sample.owner)).access_token
    codes = (await sample.api.post("/device-logins", json={"deviceName": "laptop"})).json()
    request.body = {"userCode": codes["userCode"]}
    if request.path == "/device-logins/token":
        await sample.api.post("/device-logins/approve", json=request.body, key=request.key)
        request.key, request.body = None, {"deviceCode": codes["deviceCode"]}


async def _oidc_code(sample: Sample, request: PreparedRequest) -> None:
    verifier = secrets.token_urlsafe(48)
    context = sample.make.context
    grant = flow.Grant(sample.owner.user_id, flow.challenge_of(verifier), flow.expires_in(flow.CODE_SECONDS))
    request.body = {"code": flow.CODE_PREFIX + flow.seal(context.keys, grant), "codeVerifier": verifier}


async def _another_guest(sample: Sample, request: PreparedRequest) -> None:
    request.body["email"] = invited_email()


async def _team_guest(sample: Sample, request: PreparedRequest) -> None:
    data = {"email": invited_email(), "role": "viewer"}
    invited = await sample.api.post("/team/invite", json=data, key=sample.owner.key)
    assert invited.status_code == 201, invited.text
    request.key, request.body = None, None if request.body is None else {"password": _PASSWORD}
    request.path = request.path.replace(SEGMENTS["token"], invited.json()["inviteUrl"].rpartition("/")[2])


async def _successor(sample: Sample, request: PreparedRequest) -> None:
    """The owner, signed in, and an active member."""
    member = await sample.make.member(sample.owner, role="admin")
    request.key = (await session_of(sample, sample.owner)).access_token
    team = (await sample.api.get("/team", key=sample.owner.key)).json()["data"]
    request.body = {"memberId": next(row["id"] for row in team if row["email"] == member.email)}


async def _member_signed_in(sample: Sample, request: PreparedRequest) -> None:
    request.key = (await session_of(sample, await sample.make.member(sample.owner, role="viewer"))).access_token


async def _leaving(sample: Sample, request: PreparedRequest) -> None:
    async with sample.make.context.database.transaction() as db:
        await db.execute(_PASSWORD_WITHOUT_TOTP, sample.owner.user_id, await passwords.hash_password(_PASSWORD))
    request.key = (await session_of(sample, sample.owner)).access_token
    request.body = {"email": sample.owner.email, "password": _PASSWORD, "deleteWorkspaces": [sample.ids["wsp"]]}


async def _another_child(sample: Sample, request: PreparedRequest) -> None:
    request.body["childProfileId"] = (await sample.make.profile(sample.owner))["id"]


async def _invited(sample: Sample, request: PreparedRequest) -> None:
    data = {"profileId": sample.owner.profile, "platforms": ["sandbox"]}
    created = (await sample.api.post("/platform-invites", json=data, key=sample.owner.key)).json()
    request.path = request.path.replace(SEGMENTS["token"], created["token"])


async def _offered(sample: Sample, request: PreparedRequest) -> None:
    """A draft whose approval was requested: those who may decide need not be those who may write."""
    await _drafts(sample, request)
    [post_id] = request.body["postIds"]
    answer = await sample.api.post(f"/posts/{post_id}/request-approval", json={}, key=sample.owner.key)
    assert answer.status_code == 200, answer.text


async def _reviewed(sample: Sample, request: PreparedRequest) -> None:
    """A link for a draft; to an address, if the operation is about its code."""
    post = await sample.make.post(sample.owner, draft=True)
    data = {"postIds": [post["id"]]} | ({"email": invited_email()} if request.path.endswith("/code") else {})
    created = (await sample.api.post("/approval-links", json=data, key=sample.owner.key)).json()
    request.path = request.path.replace(SEGMENTS["token"], created["url"].rpartition("/")[2])
    request.path = request.path.replace(sample.ids["pst"], post["id"])


async def _subscribed_to(sample: Sample, request: PreparedRequest) -> None:
    data = {"name": "Bakery", "profileId": sample.owner.profile}
    created = (await sample.api.post("/calendar-links", json=data, key=sample.owner.key)).json()
    request.path = request.path.replace(SEGMENTS["token"], created["url"].rpartition("/")[2])


async def _reported_to(sample: Sample, request: PreparedRequest) -> None:
    data = {"profileId": sample.owner.profile}
    created = (await sample.api.post("/report-links", json=data, key=sample.owner.key)).json()
    request.path = request.path.replace(SEGMENTS["token"], created["url"].rpartition("/")[2])


async def _signed_address(sample: Sample, request: PreparedRequest) -> None:
    url = (await sample.api.get(f"/media/{sample.ids['med']}", key=sample.owner.key)).json()["url"]
    request.params = dict(parse_qsl(urlsplit(url).query))


async def _announced(sample: Sample, request: PreparedRequest) -> None:
    request.content = picture()
    data = {"fileName": "dot.png", "contentType": "image/png", "size": len(request.content)}
    presigned = (await sample.api.post("/media/presign-upload", json=data, key=sample.owner.key)).json()
    address = urlsplit(presigned["uploadUrl"])
    request.path, request.params, request.headers = address.path, dict(parse_qsl(address.query)), presigned["headers"]


async def _resumable(sample: Sample, request: PreparedRequest) -> None:
    content = picture()
    headers = {"Upload-Length": str(len(content)), "Upload-Metadata": "filetype aW1hZ2UvcG5n"}
    if request.method == "POST":
        request.headers = headers
        return
    created = await sample.api.post("/media/uploads", headers=headers, key=sample.owner.key)
    request.path = urlsplit(created.headers["location"]).path
    if request.method == "PATCH":
        request.content = content
        request.headers = {"Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"}


async def _trashed(sample: Sample, request: PreparedRequest) -> None:
    assert (await sample.api.delete(f"/posts/{sample.ids['pst']}", key=sample.owner.key)).status_code == 200


async def _draft(sample: Sample, request: PreparedRequest) -> None:
    post = await sample.make.post(sample.owner, draft=True)
    request.path = request.path.replace(sample.ids["pst"], post["id"])


async def _to_be_approved(sample: Sample, request: PreparedRequest) -> None:
    changed = await sample.api.patch(
        f"/profiles/{sample.owner.profile}", json={"approvalRequired": True}, key=sample.owner.key
    )
    assert changed.status_code == 200, changed.text
    await _draft(sample, request)


async def _waiting_for_approval(sample: Sample, request: PreparedRequest) -> None:
    await _to_be_approved(sample, request)
    post_id = request.path.split("/")[2]
    answer = await sample.api.post(f"/posts/{post_id}/request-approval", json={}, key=sample.owner.key)
    assert answer.status_code == 200, answer.text


async def _drafts(sample: Sample, request: PreparedRequest) -> None:
    post = await sample.make.post(sample.owner, draft=True)
    request.body = {"postIds": [post["id"]]}


async def _failed(sample: Sample, request: PreparedRequest) -> None:
    post = await sample.make.post(sample.owner, text="[[fail:text_too_long]] " + secrets.token_hex(8))
    await _process(sample)
    request.path = request.path.replace(sample.ids["pst"], post["id"])
    request.body = {"targetIds": [post["targets"][0]["id"]]}


async def _lost(sample: Sample, request: PreparedRequest) -> None:
    post = await sample.make.post(sample.owner, text="[[fail:outcome_unknown]] " + secrets.token_hex(8))
    await _process(sample)
    request.path = request.path.replace(sample.ids["pst"], post["id"])
    request.body = {"targetId": post["targets"][0]["id"], "outcome": "published"}


async def _delivered(sample: Sample, request: PreparedRequest) -> None:
    await _process(sample)


async def _next_secret(sample: Sample, request: PreparedRequest) -> None:
    path = request.path.replace("activate", "rotate")
    assert (await sample.api.post(path, json={"activate": False}, key=sample.owner.key)).status_code == 201


async def _fetched(sample: Sample, request: PreparedRequest) -> None:
    data = {"url": "http://localhost:3000/", "deliveryMode": "poll"}
    created = await sample.api.post("/webhooks", json=data, key=sample.owner.key)
    request.path = request.path.replace(sample.ids["whk"], created.json()["id"])


async def _all_missed(sample: Sample, request: PreparedRequest) -> None:
    request.body = {}


async def _process(sample: Sample) -> None:
    """Do all that is due: earlier tests may have left more than one call does."""
    secret, left = {"X-Queue-Secret": sample.make.context.settings.queue_secret or ""}, -1
    while left:
        answer = await sample.api.post("/queue/process", json={"limit": 500}, headers=secret)
        assert answer.status_code == 200, answer.text
        remaining = answer.json()["remaining"]
        left = 0 if remaining == left else remaining  # what stays waits for something else


async def _local_webhook(sample: Sample, request: PreparedRequest) -> None:
    request.body = {"webhookUrl": "http://127.0.0.1:9/status"}


async def _subscribed(sample: Sample, request: PreparedRequest) -> None:
    created = await sample.api.post("/status/subscribe", json={"webhookUrl": "http://127.0.0.1:9/status"})
    request.body = {"token": created.json()["token"]}
    if request.path.endswith("confirm"):  # of an address, which gets its token by mail
        keys, subscriber_id = sample.make.context.keys, ids.decode("sub", created.json()["id"])
        assert subscriber_id is not None
        async with sample.make.context.database.connection() as db:
            at = await db.fetchval("select created_at from status_subscriber where id = $1", subscriber_id)
        request.body = {"token": status_tokens.issue(keys, "confirm", subscriber_id, at)}


async def _suggestion(sample: Sample, request: PreparedRequest) -> None:
    data = {"subject": "Dark mode", "body": "Please.", "type": "suggestion"}
    created = await sample.api.post("/support", json=data, key=sample.owner.key)
    request.path = request.path.replace(sample.ids["tkt"], created.json()["id"])


async def _verify_token(sample: Sample, request: PreparedRequest) -> None:
    token = sample.make.context.settings.whatsapp_verify_token or ""
    request.params |= {"hub.mode": "subscribe", "hub.verify_token": token, "hub.challenge": "1158201444"}


async def _signed_notification(sample: Sample, request: PreparedRequest) -> None:
    secret = sample.make.context.settings.whatsapp_app_secret or ""
    request.body, request.content = None, b'{"object": "whatsapp_business_account", "entry": []}'
    digest = hmac.new(secret.encode(), request.content, hashlib.sha256).hexdigest()
    request.headers |= {"X-Hub-Signature-256": f"sha256={digest}", "Content-Type": "application/json"}


PREPARED: dict[str, Prepare] = {
    "GET /wa/webhook": _verify_token,
    "POST /wa/webhook": _signed_notification,
    "POST /auth/register": _new_email,
    "POST /auth/login": _own_password,
    "POST /auth/refresh": _own_refresh_token,
    "POST /auth/logout": _signed_in,
    "POST /auth/password/reset": _reset_token,
    "POST /auth/oidc/token": _oidc_code,
    "POST /device-logins/token": _device_asks,
    "POST /device-logins/lookup": _device_asks,
    "POST /device-logins/approve": _device_asks,
    "POST /device-logins/refuse": _device_asks,
    "POST /workspaces": _signed_in,
    "PATCH /workspaces/{id}": _signed_in,
    "DELETE /workspaces/{id}": _own_workspace,
    "POST /workspaces/{id}/export": _signed_in,
    "GET /workspaces/{id}/export": _exported,
    "GET /workspaces/{id}/export/content": _exported,
    "PATCH /auth/me": _signed_in,
    "PATCH /auth/notifications": _signed_in,
    "POST /auth/password": _change_password,
    "DELETE /auth/sessions": _signed_in_twice,
    "DELETE /auth/sessions/{id}": _own_session,
    "POST /auth/push": _browser,
    "DELETE /auth/push/{id}": _browser,
    "POST /auth/push/{id}/test": _browser,
    "POST /auth/totp": _totp,
    "POST /auth/totp/confirm": _totp,
    "POST /auth/totp/disable": _totp,
    "POST /auth/oidc/unlink": _totp,
    "POST /auth/me/delete": _leaving,
    "POST /team/invite": _another_guest,
    "POST /team/invites/{token}/accept": _team_guest,
    "POST /team/invites/{token}/decline": _team_guest,
    "POST /team/leave": _member_signed_in,
    "POST /team/transfer": _successor,
    "POST /profiles/links": _another_child,
    "GET /platform-invites/{token}/validate": _invited,
    "GET /platform-invites/{token}/connect": _invited,
    "POST /approval-links": _offered,
    "GET /approvals/{token}": _reviewed,
    "POST /approvals/{token}/code": _reviewed,
    "POST /approvals/{token}/posts/{postId}": _reviewed,
    "GET /calendar/{token}": _subscribed_to,
    "GET /reports/{token}": _reported_to,
    "GET /media/{id}/content": _signed_address,
    "PUT /media/{id}/upload": _announced,
    "POST /media/uploads": _resumable,
    "GET /media/uploads/{id}": _resumable,
    "PATCH /media/uploads/{id}": _resumable,
    "DELETE /media/uploads/{id}": _resumable,
    "POST /posts/{id}/restore": _trashed,
    "POST /posts/{id}/request-approval": _to_be_approved,
    "POST /posts/{id}/approve": _waiting_for_approval,
    "POST /posts/{id}/reject": _waiting_for_approval,
    "POST /posts/auto-schedule": _drafts,
    "POST /queue/submit/{postId}": _draft,
    "POST /posts/{id}/retry": _failed,
    "POST /posts/{id}/resolve": _lost,
    "POST /support/{id}/vote": _suggestion,
    "DELETE /support/{id}/vote": _suggestion,
    "GET /sandbox/clock": _of_the_sandbox,
    "POST /sandbox/clock": _of_the_sandbox,
    "DELETE /sandbox/clock": _of_the_sandbox,
    "POST /webhooks/{id}/deliveries/{deliveryId}/resend": _delivered,
    "POST /webhooks/{id}/activate-secret": _next_secret,
    "POST /webhooks/{id}/replay": _all_missed,
    "GET /webhooks/{id}/pending": _fetched,
    "POST /webhooks/{id}/results": _fetched,
    "POST /status/subscribe": _local_webhook,
    "POST /status/subscriptions/confirm": _subscribed,
    "POST /status/subscriptions/unsubscribe": _subscribed,
}


@pytest.mark.parametrize("endpoint", [e for e in ENDPOINTS if name_of(e) not in ELSEWHERE], ids=name_of)
async def test_it_succeeds_as_the_reference_says(api: Api, fresh_sample: CreateSample, endpoint: Endpoint) -> None:
    sample = await fresh_sample(endpoint)
    request = sample.prepare(endpoint)
    if prepare := PREPARED.get(name_of(endpoint)):
        await prepare(sample, request)

    before = ids.new_id()
    answer = await request.send(api)

    assert answer.status_code == endpoint.status, answer.text
    if endpoint.writes and endpoint.history != "nothing" and name_of(endpoint) not in RECORDED_LATER:
        await _require_history(endpoint, sample, request, answer, before)
    told = DOCUMENT["paths"][endpoint.path][endpoint.method.lower()]["responses"][str(endpoint.status)]
    if content := told.get("content", {}).get("application/json"):
        assert answer.headers["content-type"] == "application/json"
        jsonschema.Draft202012Validator(
            content["schema"] | {"components": DOCUMENT["components"]},
            format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER,
        ).validate(answer.json())
    if endpoint.status == 204:
        assert answer.content == b""
    if endpoint.etag:
        state = "" if endpoint.writes else "-[0-9a-f]{16}"
        assert re.fullmatch(f'"{answer.json()["version"]}{state}"', answer.headers["etag"])


async def _require_history(
    endpoint: Endpoint, sample: Sample, request: PreparedRequest, answer: httpx.Response, before: UUID
) -> None:
    """Every writing operation leaves an entry that names who called, and no entry has a secret of the call."""
    bearer = "" if endpoint.scope == PUBLIC else request.key or ""
    async with sample.make.context.database.connection() as db:
        entries = [
            record[0] for record in await db.fetch("select to_jsonb(a)::text from audit a where id > $1", before)
        ]
        key_id = await db.fetchval("select id from api_key where $1 like '%' || key_id || '%'", bearer)
    actor = ids.encode("key", key_id) if key_id else "usr_"
    assert any(actor in entry for entry in entries), entries
    secret_values = set(_secrets(request.body)) | (set(_secrets(answer.json())) if answer.content else set())
    secret_values -= set(SEGMENTS.values())  # the key of a flag is a name
    assert not [secret for secret in secret_values for entry in entries if secret in entry]


def _secrets(value: Any, name: str = "") -> Iterator[str]:
    """The secrets of a body: what stands under a name of one, at any depth."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _secrets(entry, name if name == "fields" else key)
    elif isinstance(value, list):
        for entry in value:
            yield from _secrets(entry, name)
    elif isinstance(value, str) and len(value) > 5 and name in SECRET_NAMES:
        yield value


def test_what_leaves_no_history_is_listed() -> None:
    """An operation that changes nothing for good, or whose changes each leave entries of their own, in some log."""
    silent = {name_of(endpoint) for endpoint in ENDPOINTS if endpoint.writes and endpoint.history == "nothing"}
    assert silent == {
        "POST /posts/validate",
        "POST /posts/optimize-captions",
        "POST /feeds/preview",
        "POST /comment-rules/preview",
        "POST /approvals/{token}/code",
        "POST /auth/push/{id}/test",
        "POST /queue/process",
        "POST /admin/sync-metrics-cron",
        "POST /device-logins",
        "POST /device-logins/token",
        "POST /device-logins/lookup",
        "POST /status/subscribe",
        "POST /wa/webhook",
        "POST /platforms/{platform}/webhook",
        "POST /webhooks/{id}/results",
        "POST /status/subscriptions/confirm",
        "POST /status/subscriptions/unsubscribe",
    }


def test_what_is_shown_elsewhere_is_there() -> None:
    from tests.counterparts.tools import CHECKOUT

    names = {name_of(endpoint) for endpoint in ENDPOINTS}
    for name, test_file in ELSEWHERE.items():
        assert name in names
        assert (CHECKOUT / test_file).exists()
