"""What a library of files shows: search, descriptions, figures, and the posts that use a file."""

from typing import Any

import pytest
from tests.helpers import media_files
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make


async def upload(api: Api, owner: Login, name: str, alt_text: str = "", **fields: str) -> dict[str, Any]:
    data, files = {"altText": alt_text, **fields}, {"file": (name, media_files.image("JPEG"))}
    answer = await api.post("/media/upload", files=files, data=data, key=owner.key)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_files_are_found_by_name_and_description(api: Api, make: Make) -> None:
    owner = await make.owner()
    for name, alt_text in (("Bread.jpg", "A loaf of rye"), ("bun.jpg", ""), ("cake.jpg", "100% _chocolate_")):
        await upload(api, owner, name, alt_text)

    async def names(query: str) -> set[str]:
        answer = await api.get(f"/media?{query}", key=owner.key)
        assert answer.status_code == 200, answer.text
        return {media["fileName"] for media in answer.json()["data"]}

    assert await names("q=BREAD") == await names("q=rye") == {"Bread.jpg"}
    assert await names("q=0%25 _") == {"cake.jpg"}, "no pattern, a text"
    assert await names("described=false") == {"bun.jpg"}
    assert await names("described=true&q=b") == {"Bread.jpg"}
    assert await names("q=") == {"Bread.jpg", "bun.jpg", "cake.jpg"}


async def test_figures_are_of_the_files_that_can_be_seen(api: Api, make: Make) -> None:
    owner, stranger = await make.owner(), await make.owner()
    described = await upload(api, owner, "a.jpg", "A loaf", profileId=owner.profile)
    plain = await upload(api, owner, "b.jpg")
    await api.delete(f"/media/{(await upload(api, owner, 'c.jpg'))['id']}", key=owner.key)

    async def figures(query: str = "", of: Login = owner) -> dict[str, int]:
        found: dict[str, int] = (await api.get(f"/media/stats{query}", key=of.key)).json()
        return found

    total = described["size"] + plain["size"]
    assert await figures() == {"files": 2, "bytes": total, "images": 2, "imagesDescribed": 1}
    assert (await figures(f"?profileId={owner.profile}"))["files"] == 1
    assert (await figures(of=stranger))["files"] == 0
    assert (await api.get(f"/media/stats?profileId={owner.profile}", key=stranger.key)).status_code == 404


@pytest.mark.parametrize("sort", ["-createdAt", "scheduledAt"])
async def test_the_posts_that_use_a_file_are_listed(api: Api, make: Make, sort: str) -> None:
    owner, stranger = await make.owner(), await make.owner()
    used, other = [await upload(api, owner, name) for name in ("a.jpg", "b.jpg")]
    posts = [
        await make.draft(owner, text="cover", media=[{"mediaId": used["id"]}]),
        await make.draft(owner, text="in its thread", thread=[{"text": "2", "media": [{"mediaId": used["id"]}]}]),
    ]
    await make.draft(owner, text="another", media=[{"mediaId": other["id"]}])

    answer = await api.get(f"/posts?mediaId={used['id']}&sort={sort}", key=owner.key)
    assert {post["id"] for post in answer.json()["data"]} == {post["id"] for post in posts}
    assert (await api.get(f"/posts?mediaId={used['id']}", key=stranger.key)).json()["data"] == []
