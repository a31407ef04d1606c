"""Approval by link: what a workspace makes, what a guest sees and decides and no more, and how each link ends."""

import asyncio
import re
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from tests.helpers import media_files
from tests.helpers.api import Api
from tests.helpers.contract import picture
from tests.helpers.factories import Login, Make
from tests.posts.test_update import soon

from signalpost.approval_links.actions import guest, manage
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.mail.messages import Message, read

_CODES = "select payload from job where workspace_id = $1 and kind = 'mail.send' and payload ->> 'template' = $2"


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="bakery")
    return login


async def offered(api: Api, make: Make, owner: Login, **fields: Any) -> dict[str, Any]:
    """A draft with its approval requested."""
    post = await make.post(owner, draft=True, **fields)
    answer = await api.post(f"/posts/{post['id']}/request-approval", json={"note": "internal"}, key=owner.key)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def link(
    api: Api, login: Login, *posts: Any, key: str | None = None, **fields: Any
) -> tuple[dict[str, Any], str]:
    """A new link, and the path of what it shows."""
    body = {"postIds": [post["id"] for post in posts]} if posts else {}
    answer = await api.post("/approval-links", json=body | fields, key=key or login.key)
    assert answer.status_code == 201, answer.text
    created = answer.json()
    return created, "/approvals/" + created["url"].rpartition("/")[2]


def decision(post: Any, verb: str = "approve", **fields: Any) -> dict[str, Any]:
    return {"decision": verb, "version": post["version"], "name": "Maria Rossi"} | fields


def message_of(row: Any) -> Message:
    return msgspec.convert(row["payload"], Message)


async def listed(api: Api, owner: Login, **query: str) -> list[Any]:
    found: list[Any] = (await api.get("/approval-links", params=query, key=owner.key)).json()["data"]
    return found


# --- what a workspace makes -------------------------------------------------------------------------------------------


async def test_the_link_is_shown_once_and_stored_as_a_hash(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    post = await offered(api, make, owner)
    created, path = await link(api, owner, post, message="Please", expiresAt=soon(days=2))
    [row] = await listed(api, owner, postId=post["id"])
    stored = await database.pool.fetchval(
        "select row_to_json(l)::text from approval_link l where id = $1", ids.decode("apl", created["id"])
    )

    token = path.rpartition("/")[2]
    assert len(token) == 43  # 256 bits
    assert created == row | {"url": created["url"]}
    assert row["url"] is None
    assert token not in stored
    assert (row["posts"], row["postIds"], row["state"]) == (1, [post["id"]], "open")
    assert await listed(api, owner, postId=(await make.draft(owner))["id"]) == []


async def test_drafts_that_nobody_offered_are_offered_with_it(api: Api, make: Make, owner: Login) -> None:
    post = await make.post(owner, draft=True)
    _, path = await link(api, owner, post)

    [shown] = (await api.get(path)).json()["posts"]
    assert shown["state"] == "pending"
    assert (await api.post(f"{path}/posts/{post['id']}", json=decision(shown))).status_code == 200


async def test_a_link_for_a_month_shows_what_waits_in_it(api: Api, make: Make, owner: Login) -> None:
    early, late = [await offered(api, make, owner, scheduledAt=soon(days=days)) for days in (4, 2)]
    await offered(api, make, owner, scheduledAt=soon(days=40))
    await make.post(owner, scheduledAt=soon(days=3))
    await make.post(owner, draft=True, scheduledAt=soon(days=3))
    month = {"profileId": owner.profile, "from": soon(days=1), "to": soon(days=30)}
    created, path = await link(api, owner, **month)

    assert created["postIds"] == [late["id"], early["id"]]
    shown = (await api.get(path)).json()["posts"]
    assert [post["id"] for post in shown] == created["postIds"]  # in the order of time


@pytest.mark.parametrize(
    ("fields", "path", "code"),
    [
        ({}, "/postIds", "required"),
        ({"profileId": True, "postIds": True}, "/postIds", "required"),
        ({"profileId": True}, "/from", "required"),
        ({"profileId": True, "from": True, "to": True}, "profileId", "not_allowed"),
        ({"postIds": ["pst_01ARZ3NDEKTSV4RRFFQ69G5FAV"]}, "/postIds/0", "not_found"),
        ({"postIds": []}, "/postIds", "too_short"),
        ({"postIds": True, "expiresAt": 91}, "expiresAt", "out_of_range"),
        ({"postIds": True, "expiresAt": -1}, "expiresAt", "out_of_range"),
        ({"postIds": True, "email": "nobody"}, "/email", "format"),
    ],
)
async def test_what_cannot_be_asked(
    api: Api, make: Make, owner: Login, fields: dict[str, Any], path: str, code: str
) -> None:
    filled = {
        "profileId": owner.profile,
        "postIds": [(await make.draft(owner))["id"]],
        "from": soon(days=1),
        "to": soon(days=2),
    }
    body = {name: filled[name] if value is True else value for name, value in fields.items()}
    if isinstance(days := body.get("expiresAt"), int):
        body["expiresAt"] = clock.wire(clock.actual() + timedelta(days=days))
    answer = await api.post("/approval-links", json=body, key=owner.key)

    assert answer.status_code == 422, answer.text
    issue = answer.json()["errors"][0]
    assert (issue["path"].strip("/"), issue["code"]) == (path.strip("/"), code)
    assert await listed(api, owner) == []


async def test_a_link_is_for_one_profile_and_for_what_can_be_decided(api: Api, make: Make, owner: Login) -> None:
    other = await make.profile(owner)
    drafts = [await make.draft(owner), await make.draft(owner, profileId=other["id"])]
    scheduled = await make.post(owner, scheduledAt=soon(days=3))
    body = {"postIds": [post["id"] for post in (*drafts, scheduled)]}
    answer = await api.post("/approval-links", json=body, key=owner.key)

    assert [(issue["path"], issue["code"]) for issue in answer.json()["errors"]] == [
        ("/postIds/1", "not_allowed"),
        ("/postIds/2", "not_allowed"),
    ]
    assert "scheduled" in answer.json()["errors"][1]["message"]


async def test_who_may_not_decide_makes_no_link(api: Api, make: Make, owner: Login) -> None:
    """Else an editor would approve their own posts by one."""
    post = await offered(api, make, owner)
    for role, status in (("editor", 403), ("contributor", 403), ("viewer", 403), ("approver", 201)):
        member = await make.member(owner, role=role)
        answer = await api.post("/approval-links", json={"postIds": [post["id"]]}, key=member.key)
        assert answer.status_code == status, (role, answer.text)


async def test_the_number_of_links_that_work_is_bounded(
    api: Api, make: Make, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manage, "OPEN_MAX", 1)
    post = await offered(api, make, owner)
    first, _ = await link(api, owner, post)
    refused = await api.post("/approval-links", json={"postIds": [post["id"]]}, key=owner.key)
    await api.delete(f"/approval-links/{first['id']}", key=owner.key)

    assert (refused.status_code, refused.json()["code"]) == (422, "too_many_items")
    await link(api, owner, post)  # the revoked one counts no more


# --- what a guest sees ------------------------------------------------------------------------------------------------


async def test_a_guest_sees_what_each_network_shows_and_nothing_else(api: Api, make: Make, owner: Login) -> None:
    """Neither notes for the team, nor ids, nor who is in it."""
    await make.account(owner, username="cafe")
    file = await api.post("/media/upload", files={"file": ("dot.png", picture(), "image/png")}, key=owner.key)
    media = [{"mediaId": file.json()["id"], "altText": "A dot"}]
    accounts = (await api.get("/platforms/accounts", key=owner.key)).json()["data"]
    cafe = next(account["id"] for account in accounts if account["username"] == "cafe")
    bakery = next(account["id"] for account in accounts if account["username"] == "bakery")
    post = await offered(
        api,
        make,
        owner,
        text="Warm rolls",
        media=media,
        notes="they pay late",
        tags=["secret"],
        targets=[{"accountId": bakery}, {"accountId": cafe, "text": "Hot coffee", "media": []}],
        scheduledAt=soon(days=2),
    )
    logo = {"avatarUrl": "https://example.com/logo.png", "avatarMediaId": file.json()["id"]}
    await api.patch(f"/profiles/{owner.profile}", json=logo, key=owner.key)
    created, path = await link(api, owner, post, message="Have a look")
    answer = await api.get(path)
    review = answer.json()
    [shown] = review["posts"]

    assert set(review) == {
        "workspace", "profile", "branding", "message", "expiresAt", "posts", "hasMore",
    }  # fmt: skip
    assert [(each["usernames"], each["text"]) for each in shown["previews"]] == [
        (["bakery"], "Warm rolls"),
        (["cafe"], "Hot coffee"),
    ]
    [picture_of] = shown["previews"][0]["media"]
    assert picture_of["altText"] == "A dot"
    logo_of = await api.get(review["branding"]["logoUrl"].partition("/api/v1")[2])
    assert (logo_of.status_code, logo_of.headers["content-type"]) == (200, "image/png")
    assert (await api.get(picture_of["url"].partition("/api/v1")[2])).status_code == 200
    assert (shown["state"], shown["when"]) == ("pending", post["scheduledAt"])
    for hidden in ("they pay late", "secret", "internal", owner.email, "usr_", "acc_", "wsp_", "key_"):
        assert hidden not in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert (await api.get(f"/posts/{post['id']}")).status_code == 401
    [row] = await listed(api, owner)
    assert row["lastOpenedAt"] is not None
    assert created["lastOpenedAt"] is None


async def test_a_picture_is_shown_as_far_as_it_is_sent(api: Api, make: Make, owner: Login) -> None:
    content = media_files.image("PNG", orientation=1, size=(400, 300))
    file = (await api.post("/media/upload", files={"file": ("a.png", content)}, key=owner.key)).json()
    crops = {"sandbox": {"x": 0.25, "y": 0, "width": 0.5, "height": 1}}
    media = [[{"mediaId": file["id"], "altText": "A dot", **more}] for more in ({}, {"crops": crops})]
    shown = []
    for named in media:
        _, path = await link(api, owner, await offered(api, make, owner, media=named))
        [review_post] = (await api.get(path)).json()["posts"]
        shown.append(review_post["previews"][0]["media"][0]["part"])
    assert shown == [None, {"left": 100, "top": 0, "width": 200, "height": 300}]


async def test_accounts_that_show_the_same_are_one_preview(api: Api, make: Make, owner: Login) -> None:
    await make.account(owner, username="cafe")
    _, path = await link(api, owner, await offered(api, make, owner))
    [shown] = (await api.get(path)).json()["posts"]
    [preview] = shown["previews"]
    assert sorted(preview["usernames"]) == ["bakery", "cafe"]


async def test_posts_that_are_trashed_or_move_away_disappear_and_others_never_appear(
    api: Api, make: Make, owner: Login
) -> None:
    """A link shows what it was made for, page by page."""
    posts = [await offered(api, make, owner, scheduledAt=soon(days=day)) for day in (2, 3, 4)]
    unlisted = await offered(api, make, owner)
    _, path = await link(api, owner, *posts)
    first = (await api.get(path, params={"limit": 2})).json()
    rest = (await api.get(path, params={"limit": 2, "after": first["posts"][-1]["id"]})).json()
    await api.delete(f"/posts/{posts[1]['id']}", key=owner.key)
    left = (await api.get(path)).json()

    shown = [post["id"] for post in first["posts"] + rest["posts"]]
    assert shown == [post["id"] for post in posts]
    assert [post["id"] for post in left["posts"]] == [posts[0]["id"], posts[2]["id"]]
    for post in (unlisted, posts[1]):
        refused = await api.post(f"{path}/posts/{post['id']}", json=decision(post))
        assert (refused.status_code, refused.json()["code"]) == (404, "not_found")


async def test_a_link_of_a_test_key_shows_test_posts_alone(api: Api, make: Make, owner: Login) -> None:
    live = await offered(api, make, owner)
    refused = await api.post("/approval-links", json={"postIds": [live["id"]]}, key=owner.test_key)
    test = await make.draft(owner, key=owner.test_key)
    created, _ = await link(api, owner, test, key=owner.test_key)

    assert refused.json()["errors"][0]["code"] == "not_found"
    seen = (await api.get("/approval-links", key=owner.test_key)).json()["data"]
    assert [row["id"] for row in seen] == [created["id"]]


# --- what a guest decides ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verb", "state", "action"),
    [
        ("approve", "approved", "approved"),
        ("changes", "changes_requested", "rejected"),
        ("reject", "rejected", "rejected"),
    ],
)
async def test_a_decision_is_that_of_the_console_and_names_who_decided(
    api: Api, make: Make, owner: Login, verb: str, state: str, action: str
) -> None:
    post = await offered(api, make, owner, scheduledAt=soon(days=2))
    created, path = await link(api, owner, post)
    answer = await api.post(
        f"{path}/posts/{post['id']}", json=decision(post, verb, name="  Maria  Rossi ", note="Thanks")
    )

    assert answer.status_code == 200, answer.text
    assert (answer.json()["state"], answer.json()["decision"]["note"]) == (state, "Thanks")
    stored = (await api.get(f"/posts/{post['id']}", key=owner.key)).json()
    by = {"type": "approval_link", "id": created["id"], "name": "Maria Rossi"}
    assert (stored["approval"]["state"], stored["approval"]["decidedBy"]) == (state, by)
    assert stored["status"] == ("scheduled" if verb == "approve" else "draft")
    history = (await api.get(f"/posts/{post['id']}/audit", key=owner.key)).json()["data"]
    decided = next(entry for entry in history if entry["action"] == action)
    assert decided["actor"] == by
    again = await api.post(f"{path}/posts/{post['id']}", json=decision(answer.json(), verb))
    assert (again.status_code, again.json()["code"]) == (409, "invalid_state")


async def test_what_is_approved_is_what_was_shown(api: Api, make: Make, owner: Login) -> None:
    post = await offered(api, make, owner, text="Happy holidays!")
    _, path = await link(api, owner, post)
    [shown] = (await api.get(path)).json()["posts"]
    await api.patch(f"/posts/{post['id']}", json={"text": "Our product kills bees."}, key=owner.key)
    refused = await api.post(f"{path}/posts/{post['id']}", json=decision(shown))

    assert (refused.status_code, refused.json()["code"]) == (412, "version_conflict")
    stored = (await api.get(f"/posts/{post['id']}", key=owner.key)).json()
    assert (stored["status"], stored["approval"]["state"]) == ("draft", "pending")
    [shown] = (await api.get(path)).json()["posts"]
    assert shown["previews"][0]["text"] == "Our product kills bees."
    assert (await api.post(f"{path}/posts/{post['id']}", json=decision(shown))).status_code == 200


async def test_what_cannot_be_published_is_not_approved_and_why_is_for_the_team(
    api: Api, make: Make, owner: Login
) -> None:
    post = await offered(api, make, owner, text="")
    _, path = await link(api, owner, post)
    refused = await api.post(f"{path}/posts/{post['id']}", json=decision(post))

    assert (refused.status_code, refused.json()["code"]) == (409, "invalid_state")
    stored = (await api.get(f"/posts/{post['id']}", key=owner.key)).json()
    assert (stored["status"], stored["approval"]["state"]) == ("draft", "pending")
    answer = await api.post(f"{path}/posts/{post['id']}", json=decision(post, "changes"))
    assert answer.status_code == 200, answer.text


async def test_of_many_decisions_at_once_one_counts(api: Api, make: Make, owner: Login) -> None:
    post = await offered(api, make, owner)
    _, path = await link(api, owner, post)
    verbs = ("approve", "reject", "changes", "approve")
    answers = await asyncio.gather(
        *(api.post(f"{path}/posts/{post['id']}", json=decision(post, verb)) for verb in verbs)
    )
    statuses = [answer.status_code for answer in answers]
    assert statuses.count(200) == 1
    assert set(statuses) <= {200, 409, 412}


async def test_the_author_hears_of_it_even_if_they_made_the_link(
    api: Api, make: Make, owner: Login, context: AppContext, database: Database
) -> None:
    post = await offered(api, make, owner, text="Soup")
    _, path = await link(api, owner, post)
    await api.post(f"{path}/posts/{post['id']}", json=decision(post, "changes", note="Which soup?"))

    [row] = await database.pool.fetch(_CODES, owner.workspace_id, "approval_decided")
    message = message_of(row)
    subject, text = read(message, context.keys, context.fixed_url)
    assert (message.to, subject) == (owner.email, "Changes requested: Soup")
    assert "Maria Rossi asks you to change" in text


@pytest.mark.parametrize("name", ["", "   ", "x" * 101])
async def test_nobody_decides_without_a_name(api: Api, make: Make, owner: Login, name: str) -> None:
    post = await offered(api, make, owner)
    _, path = await link(api, owner, post)
    answer = await api.post(f"{path}/posts/{post['id']}", json=decision(post, name=name))
    assert (answer.status_code, answer.json()["errors"][0]["path"].strip("/")) == (422, "name")


# --- how it ends ------------------------------------------------------------------------------------------------------


async def _outcomes(api: Api, path: str, post: Any) -> set[tuple[int, str]]:
    answers = [
        await api.get(path),
        await api.post(f"{path}/code"),
        await api.post(f"{path}/posts/{post['id']}", json=decision(post)),
    ]
    return {(answer.status_code, answer.json()["code"]) for answer in answers}


async def test_a_revoked_link_and_an_expired_one_show_and_decide_nothing(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    post = await offered(api, make, owner)
    revoked, path = await link(api, owner, post)
    for _ in range(2):
        assert (await api.delete(f"/approval-links/{revoked['id']}", key=owner.key)).status_code == 204
    assert await _outcomes(api, path, post) == {(410, "approval_link_revoked")}

    expired, path = await link(api, owner, post)
    await database.pool.execute(
        "update approval_link set expires_at = now() where id = $1", ids.decode("apl", expired["id"])
    )
    assert await _outcomes(api, path, post) == {(410, "approval_link_expired")}
    assert [row["state"] for row in await listed(api, owner)] == ["expired", "revoked"]
    assert await _outcomes(api, "/approvals/" + "x" * 43, post) == {(404, "not_found")}


async def test_a_link_ends_when_its_maker_may_decide_no_more(api: Api, make: Make, owner: Login) -> None:
    """For good: giving the role back does not open it again."""
    post = await offered(api, make, owner)
    maker = await make.member(owner, role="approver")
    _, path = await link(api, maker, post)
    [member] = [row for row in (await api.get("/team", key=owner.key)).json()["data"] if row["email"] == maker.email]
    assert (await api.get(path)).status_code == 200
    for role in ("editor", "approver"):
        await api.patch(f"/team/{member['id']}", json={"role": role}, key=owner.key)
        assert await _outcomes(api, path, post) == {(410, "approval_link_revoked")}


async def test_a_link_of_a_deleted_profile_is_gone(api: Api, make: Make, owner: Login) -> None:
    profile = await make.profile(owner)
    post = await make.draft(owner, profileId=profile["id"])
    _, path = await link(api, owner, post)
    assert (await api.delete(f"/profiles/{profile['id']}", key=owner.key)).is_success
    assert await _outcomes(api, path, post) == {(404, "not_found")}


async def test_a_link_has_a_limit_of_its_own(
    api: Api, make: Make, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From whatever address: it is handed on."""
    monkeypatch.setattr(guest, "PER_LINK", 2)
    _, path = await link(api, owner, await offered(api, make, owner))
    answers = [await api.get(path) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[2].headers["retry-after"]) > 0


async def test_links_are_deleted_a_month_after_their_end(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    created, _ = await link(api, owner, await offered(api, make, owner))
    kept, _ = await link(api, owner, await offered(api, make, owner))
    await database.pool.execute(
        "update approval_link set expires_at = now() - interval '31 days' where id = $1",
        ids.decode("apl", created["id"]),
    )
    async with database.transaction() as db:
        await manage.purge(db)
    assert [row["id"] for row in await listed(api, owner)] == [kept["id"]]


# --- the code ---------------------------------------------------------------------------------------------------------


async def _newest_code(context: AppContext, database: Database, owner: Login) -> str:
    rows = await database.pool.fetch(_CODES + " order by created_at desc, id desc", owner.workspace_id, "approval_code")
    assert rows[0]["payload"]["secrets"]
    _, text = read(message_of(rows[0]), context.keys, context.fixed_url)
    found = re.search(r"^\d{6}$", text, re.MULTILINE)
    assert found is not None
    return found[0]


async def test_a_link_for_an_address_needs_the_code_that_is_mailed_there(
    api: Api, make: Make, owner: Login, context: AppContext, database: Database
) -> None:
    post = await offered(api, make, owner)
    _, path = await link(api, owner, post, email="maria@customer.example")

    async def reads(code: str) -> int:
        return (await api.get(path, headers={"X-Approval-Code": code})).status_code

    closed = await api.get(path)
    assert (closed.status_code, closed.json()["code"]) == (403, "approval_code_required")
    assert "maria" not in closed.text
    sent = await api.post(f"{path}/code")
    assert (sent.status_code, sent.json()) == (202, {"email": "m…@customer.example"})
    code = await _newest_code(context, database, owner)
    wrong = f"{(int(code) + 1) % 1_000_000:06}"
    assert [await reads(wrong), await reads(code), await reads(code)] == [403, 200, 200]
    refused = await api.post(f"{path}/posts/{post['id']}", json=decision(post))
    assert refused.status_code == 403
    answer = await api.post(f"{path}/posts/{post['id']}", json=decision(post), headers={"X-Approval-Code": code})
    assert answer.status_code == 200, answer.text

    assert [await reads(wrong) for _ in range(guest.CODE_TRIES_MAX)] == [403] * guest.CODE_TRIES_MAX
    assert await reads(code) == 403  # too many guesses: it is used up
    await api.post(f"{path}/code")
    newer = await _newest_code(context, database, owner)
    assert [await reads(newer)] == [200]


async def test_few_codes_are_mailed_in_an_hour(api: Api, make: Make, owner: Login) -> None:
    _, path = await link(api, owner, await offered(api, make, owner), email="maria@customer.example")
    answers = [await api.post(f"{path}/code") for _ in range(6)]
    assert [answer.status_code for answer in answers] == [202] * 5 + [429]
    _, path = await link(api, owner, await offered(api, make, owner))
    assert (await api.post(f"{path}/code")).status_code == 409
