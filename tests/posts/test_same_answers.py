"""One body gets one answer, by whichever way it comes: alone, as a row of a bulk request, or to be checked only."""

import re
from datetime import timedelta
from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.kit import clock, ids
from signalpost.kit.db import Database

_ACCOUNT = """
insert into account (id, workspace_id, profile_id, platform, kind, remote_id, username, display_name, status,
    connected_via, facts) values ($1, $2, $3, $4, 'personal', $5, $5, $5, 'active', 'api', $6)
"""
_HASHES = """
select t.account_id, t.content_hash, t.dedupe_key = replace(t.id::text, '-', '') as has_key from target t
where t.post_id = $1 order by t.position
"""
NETWORKS = ("sandbox", "mastodon", "mastodon", "mastodon", "bluesky")
_OWN = frozenset(
    {"id", "postId", "nextAttemptAt", "createdAt", "updatedAt", "queuedAt", "scheduledAt", "scheduledFor", "source"}
)
"""What differs between two posts with one body."""

_NOW = re.compile(r"it is \S+ now")
_texts = st.sampled_from(["", "Hello", "Hello  again ", "see https://example.com/a", "x" * 301, "ä" * 501, "x" * 5_001])
_options = st.dictionaries(
    st.sampled_from(["sensitive", "visibility", "languages", "nothing"]),
    st.sampled_from([True, 1, 1.0, False, 0, "public", ["en"], [], None]),
    max_size=2,
)
_DAY = (clock.now() + timedelta(days=30)).date()
_times = st.sampled_from(
    [f"{_DAY}T12:00:00Z", f"{_DAY + timedelta(days=1)}T12:00:00", "2020-01-01T00:00:00Z", "tomorrow"]
)
_titles = st.sampled_from(["", "A title"])
_flags = st.sampled_from([True, 1, 1.0, False, 0])
_utm = st.just({"campaign": "spring"})
_options_by_network = st.dictionaries(st.sampled_from(["mastodon", "bluesky"]), _options, max_size=2)
_media = st.sampled_from([[], [{"mediaId": "med_" + "0" * 26}]])


_thread = st.lists(st.fixed_dictionaries({"text": _texts}), max_size=2)


def _some(required: dict[str, Any], optional: dict[str, Any]) -> Any:
    return st.fixed_dictionaries(required, optional=optional)


_targets = st.lists(
    _some(
        {"account": st.sampled_from([*range(len(NETWORKS)), 99])},
        {"text": _texts, "title": _titles, "media": _media, "options": _options,
         "scheduledAt": _times},
    ),
    min_size=1, max_size=5,
)  # fmt: skip
_common = _some(
    {},
    {
        "text": _texts, "description": _texts, "title": _titles, "draft": st.booleans(),
        "media": _media, "mediaUrls": st.just([]), "scheduledAt": _times,
        "timezone": st.sampled_from(["Europe/Berlin", "Mars/Olympus"]), "firstComment": _texts,
        "thread": st.lists(_some({}, {"text": _texts, "media": _media}), max_size=2),
        "options": st.dictionaries(st.sampled_from(["mastodon", "bluesky", "nowhere"]), _options, max_size=2),
        "utm": _utm, "link": st.just("https://example.com/menu"),
        "tags": st.just(["spring"]), "autoFit": st.booleans(),
        "publishMode": st.sampled_from(["now", "draft", "schedule"]),
    },
)  # fmt: skip
_platforms = st.lists(st.sampled_from(["sandbox", "mastodon", "bluesky", "nowhere"]), min_size=1, max_size=3)


@pytest.fixture
async def accounts(make: Make, database: Database) -> tuple[Login, list[str]]:
    """An owner, and accounts of which several are of one network; one of them allows longer texts than the others."""
    owner = await make.owner()
    found = []
    async with database.transaction() as db:
        for number, platform in enumerate(NETWORKS):
            account_id = ids.new_id()
            facts = {"limits": {"text": {"max_length": 1_000}}} if number == 3 else {}
            profile_id = ids.decode("prof", owner.profile)
            await db.execute(
                _ACCOUNT, account_id, owner.workspace_id, profile_id, platform, f"{platform}-{number}", facts
            )
            found.append(ids.encode("acc", account_id))
    return owner, found


def _body(owner: Login, accounts: list[str], common: dict[str, Any], chosen: Any) -> dict[str, Any]:
    body = {"profileId": owner.profile, "allowDuplicate": True} | common
    if chosen and isinstance(chosen[0], dict):
        named = dict(enumerate(accounts))
        body["targets"] = [
            {"accountId": named.get(target["account"], "acc_" + "0" * 26)}
            | {name: value for name, value in target.items() if name != "account"}
            for target in chosen
        ]
    elif chosen:
        body["platforms"] = chosen
    return body


def _content(value: Any) -> Any:
    """What two posts with one body have in common."""
    if isinstance(value, dict):
        return {name: _content(member) for name, member in value.items() if name not in _OWN}
    return [_content(member) for member in value] if isinstance(value, list) else value


def _issues(document: dict[str, Any]) -> list[Any]:
    """The issues of a body, as every way shows them: paths in a row of a bulk request begin with the row."""
    return [
        issue | {"path": issue["path"].removeprefix("/posts/0"), "message": _NOW.sub("", issue["message"])}
        for issue in document.get("errors") or ()
    ]


def _problem(document: dict[str, Any]) -> Any:
    return document["code"], document["status"], _issues(document)


async def _created(api: Api, database: Database, owner: Login, post_id: str) -> Any:
    """A stored post as every way stores it, with the fingerprints of its targets."""
    post = (await api.get(f"/posts/{post_id}", key=owner.key)).json()
    async with database.connection() as db:
        hashes = [tuple(row) for row in await db.fetch(_HASHES, ids.decode("pst", post_id))]
    return _content(post), hashes


@hypothesis.settings(
    max_examples=80, suppress_health_check=list(hypothesis.HealthCheck), derandomize=True, database=None
)
@given(common=_common, chosen=st.none() | _platforms | _targets)
async def test_a_body_has_one_answer(
    api: Api, accounts: tuple[Login, list[str]], database: Database, common: dict[str, Any], chosen: Any
) -> None:
    owner, _ = accounts
    body = _body(*accounts, common, chosen)
    other = {"profileId": owner.profile, "text": "Later", "draft": True}  # without it, no post is created: another form
    rows = {"posts": [body, other], "draft": False}

    checked = await api.post("/posts/validate", json=body, key=owner.key)
    tried = await api.post("/posts/bulk?dryRun=true", json=rows, key=owner.key)
    alone = await api.post("/posts", json=body, key=owner.key)
    bulk = await api.post("/posts/bulk", json=rows, key=owner.key)

    assert alone.status_code in (201, 422), alone.text
    assert [one.status_code for one in (checked, tried, bulk)] == [200, 201, 201], (alone.json(), bulk.json())
    if alone.status_code == 422:
        [row], [dry_row] = bulk.json()["errors"], tried.json()["errors"]
        assert _problem(alone.json()) == _problem(row["problem"]) == _problem(dry_row["problem"])
        assert not checked.json()["valid"]
        assert _issues(checked.json()) == _issues(alone.json())
    else:
        [row, _], [dry_row, _] = bulk.json()["created"], tried.json()["created"]
        assert {name: row[name] for name in row if name not in _OWN} == {
            name: dry_row[name] for name in dry_row if name not in _OWN
        }
        assert await _created(api, database, owner, alone.json()["id"]) == await _created(
            api, database, owner, row["id"]
        )
        is_draft = alone.json()["status"] == "draft"
        assert checked.json()["valid"] or is_draft


@hypothesis.settings(
    max_examples=150, suppress_health_check=list(hypothesis.HealthCheck), derandomize=True, database=None
)
@given(
    common=_some({}, {"text": _texts, "thread": _thread, "utm": _utm, "options": _options_by_network}),
    order=st.permutations(range(len(NETWORKS))),
    overrides=st.lists(
        _some(
            {}, {"text": _texts, "title": _titles, "options": _options | st.fixed_dictionaries({"sensitive": _flags})}
        ),
        min_size=2,
        max_size=5,
    ),
)
async def test_what_is_said_of_an_account_does_not_depend_on_the_others(
    api: Api,
    accounts: tuple[Login, list[str]],
    common: dict[str, Any],
    order: list[int],
    overrides: list[dict[str, Any]],
) -> None:
    """Accounts of one network that get the same are checked once: what is taken for the same must be the same."""
    owner, _ = accounts
    chosen = [{"account": account} | own for account, own in zip(order, overrides, strict=False)]

    async def said(targets: list[dict[str, Any]]) -> list[dict[str, Any]]:
        body = _body(*accounts, common, targets)
        answer = (await api.post("/posts/validate", json=body, key=owner.key)).json()
        found: list[dict[str, Any]] = answer["errors"]
        assert all("accountId" in issue.get("params", ()) for issue in found), found
        return found

    together = await said(chosen)
    for index, target in enumerate(chosen):
        own = [
            issue | {"path": issue["path"].replace("/targets/0/", f"/targets/{index}/")}
            for issue in await said([target])
        ]
        account = accounts[1][target["account"]]
        assert [issue for issue in together if issue["params"]["accountId"] == account] == own


async def test_one_is_not_true(api: Api, accounts: tuple[Login, list[str]]) -> None:
    """Python takes them for equal, networks do not."""
    owner, named = accounts
    targets = [{"accountId": named[1 + n], "options": {"sensitive": value}} for n, value in enumerate((True, 1))]
    body = {"profileId": owner.profile, "text": "Hello", "targets": targets}

    answer = await api.post("/posts", json=body, key=owner.key)

    assert [issue["path"] for issue in answer.json()["errors"]] == ["/targets/1/options/sensitive"]
