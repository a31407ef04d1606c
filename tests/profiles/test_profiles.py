import asyncio

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.context import AppContext
from signalpost.kit.tenant import Tenant
from signalpost.profiles import queries
from signalpost.web.caller import SCOPES, Caller
from signalpost.web.paging import Page


def caller_of(login: Login) -> Caller:
    return Caller(
        user_id=login.user_id, user_name="Owner", workspace_id=login.workspace_id,
        tenant=Tenant(login.user_id), role="owner",
        scopes=frozenset(SCOPES), mode="live", auth="api_key", credential="key:test", plan="self_hosted",
    )  # fmt: skip


async def test_a_profile_comes_back_as_it_was_sent(api: Api, make: Make) -> None:
    owner = await make.owner()
    body = {
        "name": "  Bäckerei Müller ",
        "avatar": "https://example.com/a.png",
        "description": "Bread",
        "color": "#1f6feb",
        "timezone": "Europe/Berlin",
        "language": "de-AT",
        "defaultHashtags": ["bread", "#berlin"],
        "defaultUtm": {"source": None, "medium": "social", "campaign": "spring", "term": None, "content": None},
        "latePolicy": {"toleranceMinutes": 30},
        "approvalRequired": True,
        "externalId": "crm-7",
        "metadata": {"region": "south"},
    }
    made = await api.post("/profiles", json=body, key=owner.key)
    profile = made.json()

    assert made.status_code == 201
    assert made.headers["etag"] == '"1"'
    assert profile["name"] == "Bäckerei Müller"
    assert profile["slug"] == "backerei-muller"
    assert profile["avatarUrl"] == body["avatar"]
    assert profile["latePolicy"] == {"toleranceMinutes": 30, "minGapSeconds": 60}
    assert profile["defaultUtm"] == body["defaultUtm"]
    assert (profile["isDefault"], profile["overLimit"], profile["parentId"]) == (False, False, None)
    assert (profile["childCount"], profile["accountCount"], profile["version"]) == (0, 0, 1)
    assert (await api.get(f"/profiles/{profile['id']}", key=owner.key)).json() == profile


async def test_what_is_left_out_has_defaults(api: Api, make: Make) -> None:
    owner = await make.owner()
    profile = await make.profile(owner, name="Plain")

    assert profile["timezone"] == "UTC"
    assert profile["latePolicy"] == {"toleranceMinutes": 720, "minGapSeconds": 60}
    assert profile["defaultHashtags"] == []
    assert profile["metadata"] == {}
    assert profile["approvalRequired"] is False


async def test_a_workspace_begins_with_one_default_profile(api: Api, make: Make) -> None:
    owner = await make.owner()
    listing = (await api.get("/profiles", key=owner.key)).json()

    assert [profile["id"] for profile in listing["data"]] == [owner.profile]
    assert listing["data"][0]["isDefault"] is True
    assert (listing["nextCursor"], listing["hasMore"]) == (None, False)


@pytest.mark.parametrize("again", ["Bäckerei", "BÄCKEREI", " bäckerei ", "Ba\u0308ckerei"])
async def test_names_are_unique_whatever_their_case_and_form(api: Api, make: Make, again: str) -> None:
    owner = await make.owner()
    await make.profile(owner, name="Bäckerei")
    other = await make.profile(owner, name="Other")

    refused = await api.post("/profiles", json={"name": again}, key=owner.key)
    renamed = await api.patch(f"/profiles/{other['id']}", json={"name": again}, key=owner.key)

    assert (refused.status_code, refused.json()["code"]) == (409, "already_exists")
    assert refused.json()["errors"][0]["path"] == "/name"
    assert renamed.status_code == 409


async def test_a_name_is_free_again_after_its_profile_went(api: Api, make: Make) -> None:
    owner = await make.owner()
    first = await make.profile(owner, name="Again")
    await api.delete(f"/profiles/{first['id']}", key=owner.key)

    assert (await make.profile(owner, name="again"))["slug"] == "again"


async def test_slugs_are_unique_and_never_empty(api: Api, make: Make) -> None:
    owner = await make.owner()
    names = ["Café One", "Cafe One!", "cafe-one", "日本", "日本語"]
    slugs = [(await make.profile(owner, name=name))["slug"] for name in names]

    assert slugs == ["cafe-one", "cafe-one-2", "cafe-one-3", "profile", "profile-2"]


async def test_equal_slugs_made_at_once_do_not_collide(api: Api, make: Make) -> None:
    """Two names may have the same slug; the second gets the next number, not an error."""
    owner = await make.owner()
    responses = await asyncio.gather(
        *(api.post("/profiles", json={"name": "Twin" + "!" * n}, key=owner.key) for n in range(8))
    )

    assert {response.status_code for response in responses} == {201}
    assert len({response.json()["slug"] for response in responses}) == 8


async def test_patch_changes_what_it_names_and_null_clears(api: Api, make: Make) -> None:
    owner = await make.owner()
    profile = await make.profile(
        owner, description="old", color="#000000", timezone="Asia/Tokyo", metadata={"a": "b"}, defaultHashtags=["x"],
        latePolicy={"toleranceMinutes": 1, "minGapSeconds": 2}, avatarUrl="https://example.com/x",
    )  # fmt: skip
    path = f"/profiles/{profile['id']}"

    first = (
        await api.patch(path, json={"description": "new", "latePolicy": {"minGapSeconds": 5}}, key=owner.key)
    ).json()
    assert (first["description"], first["color"], first["version"]) == ("new", "#000000", 2)
    assert first["latePolicy"] == {"toleranceMinutes": 1, "minGapSeconds": 5}

    nulls = ("description", "color", "timezone", "metadata", "defaultHashtags", "latePolicy", "avatar")
    cleared = (await api.patch(path, json=dict.fromkeys(nulls), key=owner.key)).json()
    assert (cleared["description"], cleared["color"], cleared["avatarUrl"]) == (None, None, None)
    assert (cleared["timezone"], cleared["metadata"], cleared["defaultHashtags"]) == ("UTC", {}, [])
    assert cleared["latePolicy"] == {"toleranceMinutes": 720, "minGapSeconds": 60}
    assert cleared["slug"] == profile["slug"]


async def test_a_stale_version_changes_nothing(api: Api, make: Make) -> None:
    owner = await make.owner()
    profile = await make.profile(owner)
    path = f"/profiles/{profile['id']}"
    good = await api.patch(path, json={"description": "one"}, key=owner.key, headers={"If-Match": '"1"'})
    stale = await api.patch(path, json={"description": "two"}, key=owner.key, headers={"If-Match": '"1"'})
    refused = await api.delete(path, key=owner.key, headers={"If-Match": '"1"'})

    assert good.status_code == 200
    assert good.headers["etag"] == '"2"'
    assert (stale.status_code, stale.json()["code"]) == (412, "version_conflict")
    assert refused.status_code == 412
    assert (await api.get(path, key=owner.key)).json()["description"] == "one"


async def test_two_changes_at_once_lose_nothing(api: Api, make: Make) -> None:
    """Each changes another field; reading before the lock would let one undo the other."""
    owner = await make.owner()
    profile = await make.profile(owner)
    path = f"/profiles/{profile['id']}"
    await asyncio.gather(
        api.patch(path, json={"description": "d"}, key=owner.key),
        api.patch(path, json={"color": "#abcdef"}, key=owner.key),
    )
    after = (await api.get(path, key=owner.key)).json()

    assert (after["description"], after["color"], after["version"]) == ("d", "#abcdef", 3)


BAD = [
    ({"name": ""}, "/name"),
    ({"name": "   "}, "/name"),
    ({"name": "x" * 101}, "/name"),
    ({"name": None}, "/name"),
    ({"name": "x\u0000y"}, "/name"),
    ({"timezone": "Mars/Olympus"}, "/timezone"),
    ({"timezone": "../../etc/passwd"}, "/timezone"),
    ({"timezone": "America"}, "/timezone"),
    ({"timezone": "/etc/localtime"}, "/timezone"),
    ({"language": "deutsch!"}, "/language"),
    ({"color": "red"}, "/color"),
    ({"color": "#12345"}, "/color"),
    ({"avatarUrl": "javascript:alert(1)"}, "/avatarUrl"),
    ({"avatarUrl": "https://a.example/x", "avatar": "https://b.example/x"}, "/avatar"),
    ({"description": "x" * 501}, "/description"),
    ({"defaultHashtags": ["x"] * 31}, "/defaultHashtags"),
    ({"defaultHashtags": ["a b"]}, "/defaultHashtags/0"),
    ({"metadata": {str(n): "v" for n in range(21)}}, "/metadata"),
    ({"metadata": {"a": 1}}, "/metadata/a"),
    ({"metadata": {"a": "x" * 501}}, "/metadata/a"),
    ({"latePolicy": {"toleranceMinutes": 10_081}}, "/latePolicy/toleranceMinutes"),
    ({"latePolicy": {"minGapSeconds": -1}}, "/latePolicy/minGapSeconds"),
    ({"latePolicy": {"minGapSeconds": 10**30}}, "/latePolicy/minGapSeconds"),
    ({"watermarkMediaId": "med_00000000000000000000000000"}, "/watermarkMediaId"),
    ({"watermarkMediaId": "nonsense"}, "/watermarkMediaId"),
    ({"avatarMediaId": "med_00000000000000000000000000"}, "/avatarMediaId"),
    ({"defaultUtm": {"medium": "x" * 101}}, "/defaultUtm/medium"),
    ({"defaultUtm": {"utm_medium": "social"}}, "/defaultUtm/utm_medium"),
    ({"workspaceId": "wsp_1"}, "/workspaceId"),
    ({"version": 3}, "/version"),
]


@pytest.mark.parametrize(("wrong", "path"), BAD, ids=[str(wrong)[:40] for wrong, _ in BAD])
async def test_bad_fields_are_named_and_nothing_is_saved(
    api: Api, make: Make, wrong: dict[str, object], path: str
) -> None:
    owner = await make.owner()
    created = await api.post("/profiles", json={"name": "Good"} | wrong, key=owner.key)
    changed = await api.patch(f"/profiles/{owner.profile}", json=wrong, key=owner.key)

    for response in (created, changed):
        assert (response.status_code, response.json()["code"]) == (422, "validation_failed")
        assert path in [issue["path"] for issue in response.json()["errors"]]
    listing = (await api.get("/profiles", key=owner.key)).json()["data"]
    assert [(profile["id"], profile["version"]) for profile in listing] == [(owner.profile, 1)]


async def test_all_findings_come_at_once(api: Api, make: Make) -> None:
    owner = await make.owner()
    body = {"color": "x", "language": "!", "nope": 1}
    response = await api.post("/profiles", json=body, key=owner.key)

    assert {issue["path"] for issue in response.json()["errors"]} == {"/name", "/color", "/language", "/nope"}


async def test_a_lone_surrogate_is_refused(api: Api, make: Make) -> None:
    owner = await make.owner()
    headers = {"Content-Type": "application/json"}
    response = await api.post("/profiles", content=b'{"name": "x\\ud800y"}', key=owner.key, headers=headers)

    assert response.status_code in {400, 422}


async def test_strangers_find_nothing(api: Api, make: Make) -> None:
    owner, stranger = await make.owner(), await make.owner()
    profile = await make.profile(owner)
    path = f"/profiles/{profile['id']}"

    assert (await api.get(path, key=stranger.key)).status_code == 404
    assert (await api.patch(path, json={"name": "Mine now"}, key=stranger.key)).status_code == 404
    assert (await api.delete(path, key=stranger.key)).status_code == 404
    assert (await api.get(f"{path}/children", key=stranger.key)).status_code == 404
    assert (await api.get(path)).status_code == 401
    link = {"parentProfileId": profile["id"], "childProfileId": stranger.profile}
    assert (await api.post("/profiles/links", json=link, key=stranger.key)).status_code == 422


@pytest.mark.parametrize("path", ["/profiles/prof_", "/profiles/prof_zzz", "/profiles/pst_01JD7ZK8Q4M4S0V9T6B2X3Y5W7"])
async def test_odd_ids_are_not_found(api: Api, make: Make, path: str) -> None:
    owner = await make.owner()

    assert (await api.get(path, key=owner.key)).status_code == 404


async def test_a_limited_member_sees_only_their_profiles(api: Api, make: Make) -> None:
    owner = await make.owner()
    hidden = await make.profile(owner)
    admin = await make.member(owner, role="admin", profile_ids=[owner.profile])

    listing = (await api.get("/profiles", key=admin.key)).json()["data"]
    assert [profile["id"] for profile in listing] == [owner.profile]
    assert (await api.get(f"/profiles/{hidden['id']}", key=admin.key)).status_code == 404
    assert (await api.post("/profiles", json={"name": "New"}, key=admin.key)).status_code == 403


@pytest.mark.parametrize("role", ["editor"])
async def test_only_owners_and_admins_write_profiles(api: Api, make: Make, role: str) -> None:
    owner = await make.owner()
    member = await make.member(owner, role=role)

    assert (await api.get("/profiles", key=member.key)).status_code == 200
    assert (await api.post("/profiles", json={"name": "New"}, key=member.key)).status_code == 403
    assert (await api.patch(f"/profiles/{owner.profile}", json={"name": "N"}, key=member.key)).status_code == 403
    assert (await api.delete(f"/profiles/{owner.profile}", key=member.key)).status_code == 403


async def test_pages_follow_one_another_without_gap(api: Api, make: Make) -> None:
    owner = await make.owner()
    made = [owner.profile] + [(await make.profile(owner))["id"] for _ in range(4)]
    listed, query = [], "?limit=2"
    while True:
        page = (await api.get(f"/profiles{query}", key=owner.key)).json()
        listed += [profile["id"] for profile in page["data"]]
        if not page["hasMore"]:
            break
        query = f"?limit=2&cursor={page['nextCursor']}"

    assert listed == made[::-1]
    assert (await api.get("/profiles?limit=0", key=owner.key)).status_code == 422
    assert (await api.get("/profiles?cursor=AAAA", key=owner.key)).status_code == 400
    assert (await api.get("/profiles?nope=1", key=owner.key)).status_code == 422


async def test_counts_do_not_cost_queries(api: Api, make: Make, context: AppContext) -> None:
    """ChildCount and accountCount come with the rows: one statement for any number of profiles."""
    owner = await make.owner()
    for _ in range(5):
        child = await make.profile(owner)
        link = {"parentProfileId": owner.profile, "childProfileId": child["id"]}
        assert (await api.post("/profiles/links", json=link, key=owner.key)).status_code == 201
    statements: list[str] = []
    async with context.database.connection() as db:
        with db.query_logger(lambda record: statements.append(record.query)):
            rows = await queries.visible(db, caller_of(owner), Page(20, None, None, b"", b""))
            await asyncio.sleep(0)  # asyncpg calls the logger in the next round of the loop

    assert [row.child_count for row in rows] == [0, 0, 0, 0, 0, 5]
    assert len(statements) == 1


async def test_a_deleted_profile_takes_its_accounts_and_links_along(api: Api, make: Make) -> None:
    owner = await make.owner()
    profile = await make.profile(owner)
    account = await make.account(owner, profile=profile["id"])
    link = {"parentProfileId": owner.profile, "childProfileId": profile["id"]}
    await api.post("/profiles/links", json=link, key=owner.key)

    response = await api.delete(f"/profiles/{profile['id']}", key=owner.key)

    assert response.status_code == 200
    assert response.json() == {
        "id": profile["id"], "deleted": True, "accountsDisconnected": 1, "postsTrashed": 0, "postsCancelled": 0,
    }  # fmt: skip
    assert (await api.get(f"/profiles/{profile['id']}", key=owner.key)).status_code == 404
    assert (await api.delete(f"/profiles/{profile['id']}", key=owner.key)).status_code == 404
    assert (await api.get("/profiles/links", key=owner.key)).json()["data"] == []
    history = (await api.get("/profiles/links/history", key=owner.key)).json()["data"]
    assert [(entry["action"], entry["reason"]) for entry in history] == [
        ("unlinked", "profile_deleted"), ("linked", None),
    ]  # fmt: skip
    accounts = (await api.get("/platforms/accounts/all?includeDisconnected=true", key=owner.key)).json()["data"]
    assert [(entry["id"], entry["status"]) for entry in accounts] == [(account["id"], "disconnected")]


async def test_the_last_profile_can_be_deleted(api: Api, make: Make) -> None:
    owner = await make.owner()

    assert (await api.delete(f"/profiles/{owner.profile}", key=owner.key)).status_code == 200
    assert (await api.get("/profiles", key=owner.key)).json()["data"] == []


async def test_an_idempotency_key_makes_one_profile(api: Api, make: Make) -> None:
    owner = await make.owner()
    headers = {"Idempotency-Key": "once"}
    first = await api.post("/profiles", json={"name": "Once"}, key=owner.key, headers=headers)
    again = await api.post("/profiles", json={"name": "Once"}, key=owner.key, headers=headers)

    assert again.json() == first.json()
    assert again.headers["idempotent-replayed"] == "true"


@pytest.mark.parametrize(
    ("first", "second"), [("\u039f\u03b4\u03cc\u03c2", "\u03bf\u03b4\u03cc\u03c3"), ("Stra\u017fse", "STRASSE")]
)
async def test_letters_with_two_small_forms_make_no_second_name(api: Api, make: Make, first: str, second: str) -> None:
    """A Greek sigma is written otherwise at the end of a word; both words are one in capitals."""
    owner = await make.owner()
    await make.profile(owner, name=first)
    refused = await api.post("/profiles", json={"name": second}, key=owner.key)
    assert (refused.status_code, refused.json()["code"]) == (409, "already_exists")
    other = await make.profile(owner)
    renamed = await api.patch(f"/profiles/{other['id']}", json={"name": second}, key=owner.key)
    assert renamed.status_code == 409
