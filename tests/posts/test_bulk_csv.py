"""Posts from CSV files: bounded before they are looked at, row by row, in flat memory."""

import csv
import gc
import io
import resource
import secrets
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.steps import Steps

from signalpost.kit.patience import Patience, patience
from signalpost.posts import csv_rows
from signalpost.posts.csv_rows import COLUMNS, Records
from signalpost.posts.many import batch, bulk, bulk_csv


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="first")
    return login


def csv_of(*rows: dict[str, Any], columns: tuple[str, ...] = COLUMNS, delimiter: str = ",") -> bytes:
    file = io.StringIO()
    writer = csv.DictWriter(file, columns, delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode()


def row(owner: Login, **fields: Any) -> dict[str, Any]:
    return {"profileId": owner.profile, "text": "Hello " + secrets.token_hex(8), "platforms": "sandbox"} | fields


async def send(
    api: Api, owner: Login, content: Any, query: str = "", key: str | None = None, **headers: str
) -> httpx.Response:
    headers = {"Content-Type": "text/csv; charset=utf-8"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    return await api.post(f"/posts/bulk{query}", content=content, key=key or owner.key, headers=headers)


async def listed(api: Api, owner: Login) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await api.get("/posts?limit=100", key=owner.key)).json()["data"]
    return found


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
async def test_a_row_is_a_post(api: Api, owner: Login, delimiter: str) -> None:
    text = 'A "quoted" text,\r\nwith; lines\nand 🦤\u2028too'
    full = row(
        owner, text=text, title="Menu", tags="spring|new menu", scheduledAt="2027-01-15T12:00",
        timezone="Europe/Berlin", externalId=f"cms-{delimiter!r}",
    )  # fmt: skip
    answer = await send(api, owner, csv_of(full, row(owner, platforms="nowhere"), row(owner), delimiter=delimiter))
    assert answer.status_code == 201, answer.text
    result = answer.json()
    assert (result["total"], result["dryRun"]) == (3, False)
    assert [(one["index"], one["status"]) for one in result["created"]] == [(0, "draft"), (2, "draft")]
    [error] = result["errors"]
    assert (error["index"], error["problem"]["line"]) == (1, 5)
    assert [issue["path"] for issue in error["problem"]["errors"]] == ["/posts/1/platforms/0"]
    post = (await api.get(f"/posts/{result['created'][0]['id']}", key=owner.key)).json()
    assert (post["text"], post["title"], post["tags"]) == (text, "Menu", ["spring", "new menu"])
    assert (post["scheduledAt"], post["timezone"]) == ("2027-01-15T11:00:00.000Z", "Europe/Berlin")
    assert (post["source"], post["externalId"]) == ("bulk", f"cms-{delimiter!r}")


async def test_columns_may_be_left_out_and_stand_in_any_order(api: Api, owner: Login) -> None:
    content = f"\ufefftext, profileId\r\nHello,{owner.profile}\r\n\r\n,,\r\nHi there,{owner.profile}".encode()
    result = (await send(api, owner, content)).json()
    assert [one["index"] for one in result["created"]] == [0, 1]
    assert {post["text"] for post in await listed(api, owner)} == {"Hello", "Hi there"}


async def test_posts_are_published_if_the_request_says_so(api: Api, make: Make, owner: Login) -> None:
    content = csv_of(row(owner), row(owner, externalId="b"))
    assert [one["status"] for one in (await send(api, owner, content, "?draft=false")).json()["created"]] == [
        "queued", "queued",
    ]  # fmt: skip
    writer = await make.login(owner.user_id, owner.workspace_id, owner.email, scopes=["posts:read", "posts:write"])
    refused = await send(api, owner, csv_of(row(owner)), "?draft=false", key=writer.key)
    assert refused.status_code == 403


async def test_a_dry_run_and_an_atomic_file_save_nothing(api: Api, owner: Login) -> None:
    content = csv_of(row(owner), row(owner, platforms="nowhere"))
    dry = (await send(api, owner, content, "?dryRun=true")).json()
    assert ([one["id"] for one in dry["created"]], len(dry["errors"])) == ([None], 1)
    refused = await send(api, owner, content, "?atomic=true")
    assert refused.status_code == 422
    assert [issue["path"] for issue in refused.json()["errors"]] == ["/posts/1/platforms/0"]
    too_long = await send(api, owner, csv_of(*(row(owner) for _ in range(51))), "?atomic=true")
    assert (too_long.status_code, too_long.json()["code"]) == (422, "too_many_items")
    assert await listed(api, owner) == []
    assert (await send(api, owner, csv_of(row(owner), row(owner)), "?atomic=true")).status_code == 201


async def test_an_idempotency_key_reads_a_file_once(api: Api, owner: Login) -> None:
    content = csv_of(row(owner), row(owner))
    first, second = [await send(api, owner, content, Idempotency_Key="csv-" + owner.profile) for _ in range(2)]
    assert (first.status_code, first.json()) == (201, second.json())
    assert second.headers["idempotent-replayed"] == "true"
    assert len(await listed(api, owner)) == 2


@pytest.mark.parametrize(
    ("content", "says", "path"),
    [
        (b"", "no rows", ""),
        (b"profileId,text\n", "no rows", ""),
        (b"profileId,text\n\n,,\n", "no rows", ""),
        (b"text,platforms\nHello,sandbox\n", "first row names the columns", "profileId"),
        (b"profileId,txet\na,b\n", "Did you mean text?", "txet"),
        (b"profileId,text,text\na,b,c\n", "twice", "text"),
        (b"profileId" + b",a" * 1_000, "at most 2000 bytes", ""),
        (b"\xff\xfep\x00r\x00\n", "not UTF-8", ""),
        (b'profileId,text\na,"b\n', "without a closing one", ""),
        (b'profileId,text\na,"' + b"x" * 400_000, "longer than 300000 bytes", ""),
        (b"profileId,text\n" + b"\n" * 10_001, "at most 10000 rows", None),
        (b"profileId,text\n" + b"a,b\n" * 10_001, "at most 10000 rows", None),
    ],
)
async def test_a_file_that_cannot_be_read_is_refused_as_a_whole(
    api: Api, owner: Login, content: bytes, says: str, path: str | None
) -> None:
    refused = await send(api, owner, content)
    assert refused.status_code == 422
    assert says in refused.json()["detail"]
    if path is not None:
        assert [issue["path"] for issue in refused.json()["errors"]] == [path]
    assert await listed(api, owner) == []


async def test_a_row_that_cannot_be_read_is_refused_by_itself(api: Api, owner: Login) -> None:
    profile = owner.profile.encode()
    lines = [b"profileId,text", profile + b",a,b,c", profile + b",\xff", profile + b",a\0b", profile + b",fine", b"x,y"]
    result = (await send(api, owner, b"\n".join(lines))).json()
    assert [one["index"] for one in result["created"]] == [3]
    found = {one["index"]: (one["problem"]["line"], one["problem"]["errors"][0]["path"]) for one in result["errors"]}
    assert found == {0: (2, "/posts/0"), 1: (3, "/posts/1"), 2: (4, "/posts/2"), 4: (6, "/posts/4/profileId")}


async def test_a_file_larger_than_allowed_is_refused(api: Api, owner: Login, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_csv, "BYTES_MAX", 1_000)
    refused = await send(api, owner, csv_of(*(row(owner) for _ in range(50))))
    assert (refused.status_code, refused.json()["code"]) == (413, "payload_too_large")
    assert await listed(api, owner) == []


async def test_fifty_rows_with_many_targets_are_split(api: Api, owner: Login, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "TARGETS_MAX", 3)
    result = (await send(api, owner, csv_of(*(row(owner) for _ in range(11))))).json()
    assert [one["index"] for one in result["created"]] == list(range(11))


def files_in(folder: Path) -> list[Path]:
    return list(folder.rglob("posts.csv"))


async def test_nothing_of_a_file_stays_on_the_disk(api: Api, owner: Login, data_dir: Path) -> None:
    before = files_in(data_dir)  # processes that other tests killed leave theirs until they are old
    await send(api, owner, csv_of(row(owner)))
    await send(api, owner, b"profileId,text\n")
    assert files_in(data_dir) == before


def resident_megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1_000_000


async def test_ten_thousand_rows_take_no_memory(api: Api, owner: Login, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file arrives in pieces, is read in pieces, and its posts are created fifty at a time."""
    count, text = 10_000, "A text of an ordinary length, with a #tag and https://example.com/page " * 3
    sizes: list[float] = []
    write = bulk_csv._write

    async def measured(*arguments: Any) -> None:
        sizes.append(resident_megabytes())
        await write(*arguments)

    async def pieces() -> AsyncIterator[bytes]:
        yield b"profileId,text,externalId\n"
        for number in range(count):
            yield f'{owner.profile},"{number} {text}",row-{number}\n'.encode()

    await send(api, owner, csv_of(*(row(owner) for _ in range(200))))  # what is imported and kept at first use
    gc.collect()
    monkeypatch.setattr(bulk_csv, "_write", measured)
    before = resident_megabytes()
    answer = await send(api, owner, pieces())
    sizes.append(resident_megabytes())
    result = answer.json()
    assert (len(result["created"]), result["errors"], result["total"]) == (count, [], count)
    assert len(sizes) == count / 50 + 1
    assert max(sizes) - before <= 50


# The worst files that are allowed: many rows, long rows, quotes and line ends.
WORST = {
    "rows": lambda profile: b"profileId,text\n" + b"".join(b"%b,%d\n" % (profile, n) for n in range(300)),
    "long": lambda profile: b"profileId,text\n" + b'%b,"%b"\n' % (profile, b"A word \xc3\xa4. " * 16_000) * 3,
    "quotes": lambda profile: b"profileId,text\n" + b'%b,"%b"\n' % (profile, b'""' * 60_000) * 3,
    "line ends": lambda profile: b"profileId,text\n" + b'%b,"%b"\n' % (profile, b"\r\n" * 30_000) * 3,
    "cells": lambda profile: b"profileId,text\n" + profile + b"," * 290_000 + b"\n",
    "blank": lambda profile: b"profileId,text\n" + b"\n" * 9_999 + profile + b",x\n",
    "header": lambda profile: b"profileId" + b",a" * 100_000 + b"\n",
}


@pytest.mark.parametrize("content", WORST)
async def test_no_file_holds_the_loop(api: Api, owner: Login, steps: Steps, content: str) -> None:
    await steps.during(partial(send, api, owner, WORST[content](owner.profile.encode())))
    assert steps == []


def test_rows_are_the_same_however_a_file_arrives() -> None:
    content = csv_of({"profileId": "a", "text": 'x "y"\n\nz'}, {"profileId": "b", "text": ","}) + b"\n\r\nc,d"
    whole = list(_records(content, len(content)))
    assert [record.line for record in whole] == [1, 2, 5, 6, 7, 8]
    assert b"".join(record.content for record in whole) == content
    for size in range(1, 40):
        assert list(_records(content, size)) == whole


def _records(content: bytes, size: int) -> Any:
    records = Records()
    for start in range(0, len(content), size):
        yield from records.feed(content[start : start + size])
    yield from records.end()


def test_lists_in_a_cell_have_separators_of_their_own() -> None:
    [first, second] = _records(
        b'profileId,mediaUrls,platforms,tags\np,https://e.test/a|b https://e.test/c,"x, bluesky|x",a b|c\n', 9
    )
    assert csv_rows.read_header(first).body_of(second) == {
        "profileId": "p", "mediaUrls": ["https://e.test/a", "b", "https://e.test/c"],
        "platforms": ["x", "bluesky", "x"], "tags": ["a b", "c"],
    }  # fmt: skip


async def test_a_file_needs_the_rights_of_the_operation(api: Api, make: Make, owner: Login) -> None:
    content, viewer = csv_of(row(owner)), await make.member(owner, role="viewer")
    assert (await api.post("/posts/bulk", content=content, headers={"Content-Type": "text/csv"})).status_code == 401
    assert (await send(api, owner, content, key=viewer.key)).status_code == 403
    stranger = await make.owner()
    refused = await send(api, owner, content, key=stranger.key)
    assert [issue["path"] for issue in refused.json()["errors"]] == ["/posts/0/profileId"]
    other_type = await api.post("/posts/bulk", content=content, key=owner.key, headers={"Content-Type": "text/plain"})
    assert other_type.status_code == 415
    assert "text/csv" in other_type.json()["detail"]


async def test_each_part_of_a_file_has_its_own_time_for_statements(
    api: Api, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parts before have used up what a request has, and are created."""
    create_rows = bulk.create_rows

    async def create_slowly(*values: Any, **options: Any) -> Any:
        created = await create_rows(*values, **options)
        patience.set(Patience(seconds=0))
        return created

    monkeypatch.setattr(bulk, "create_rows", create_slowly)
    answer = await send(api, owner, csv_of(*(row(owner) for _ in range(51))))
    assert (answer.status_code, len(answer.json()["created"])) == (201, 51)
