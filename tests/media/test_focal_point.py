"""The focal point of a file: chosen, moved, cleared, and refused where there is no picture."""

from typing import Any

import pytest
from tests.helpers import media_files
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


async def upload(api: Api, owner: Login, name: str, content: bytes) -> dict[str, Any]:
    answer = await api.post("/media/upload", files={"file": (name, content)}, data={"altText": "A cat"}, key=owner.key)
    media: dict[str, Any] = answer.json()
    return media


async def test_it_is_the_middle_until_someone_chooses_one(api: Api, owner: Login) -> None:
    media = await upload(api, owner, "a.png", media_files.image("PNG"))
    path, point = f"/media/{media['id']}", {"x": 0.25, "y": 1}
    assert media["focalPoint"] is None

    chosen = (await api.patch(path, json={"focalPoint": point}, key=owner.key)).json()
    described = (await api.patch(path, json={"altText": "A dog"}, key=owner.key)).json()
    listed = (await api.get("/media", key=owner.key)).json()["data"]
    cleared = (await api.patch(path, json={"focalPoint": None}, key=owner.key)).json()

    assert (chosen["focalPoint"], chosen["altText"]) == (point, "A cat")
    assert (described["focalPoint"], described["altText"]) == (point, "A dog")
    assert [entry["focalPoint"] for entry in listed] == [point]
    assert (cleared["focalPoint"], cleared["altText"]) == (None, "A dog")


@pytest.mark.parametrize(
    ("point", "path", "code"),
    [
        ({"x": 1.01, "y": 0}, "/focalPoint/x", "out_of_range"),
        ({"x": 0, "y": -0.1}, "/focalPoint/y", "out_of_range"),
        ({"x": 0}, "/focalPoint/y", "required"),
        ({"x": "left", "y": 0}, "/focalPoint/x", "type"),
        ({"x": 0, "y": 0, "z": 0}, "/focalPoint/z", "unknown_field"),
        ([0, 0], "/focalPoint", "type"),
    ],
)
async def test_what_is_not_a_point_is_refused_at_its_place(
    api: Api, owner: Login, point: Any, path: str, code: str
) -> None:
    media = await upload(api, owner, "a.png", media_files.image("PNG"))

    refused = await api.patch(f"/media/{media['id']}", json={"focalPoint": point}, key=owner.key)

    assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")
    assert [(error["path"], error["code"]) for error in refused.json()["errors"]] == [(path, code)]


async def test_a_document_has_none(api: Api, owner: Login) -> None:
    media = await upload(api, owner, "terms.pdf", media_files.PDF)
    path = f"/media/{media['id']}"

    refused = await api.patch(path, json={"focalPoint": {"x": 0, "y": 0}}, key=owner.key)

    assert refused.status_code == 422
    assert [(error["path"], error["code"]) for error in refused.json()["errors"]] == [("/focalPoint", "not_allowed")]
    assert (await api.patch(path, json={"focalPoint": None}, key=owner.key)).status_code == 200
