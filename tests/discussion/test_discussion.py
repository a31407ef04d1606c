"""What is said about a post: who may, who is told, and what those with a link add to it."""

from typing import Any

import msgspec
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.context import AppContext
from signalpost.discussion import actions
from signalpost.kit.db import Database
from signalpost.mail.messages import Message, read

_MAILS = """
select payload from job where workspace_id = $1 and kind = 'mail.send' and payload ->> 'template' = 'post_message'
order by created_at, id
"""


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


@pytest.fixture
async def post(make: Make, owner: Login) -> dict[str, Any]:
    return await make.draft(owner, text="Warm rolls")


async def say(api: Api, login: Login, post: Any, text: str, **fields: Any) -> Any:
    return await api.post(f"/posts/{post['id']}/discussion", json={"text": text} | fields, key=login.key)


async def listed(api: Api, owner: Login, post: Any, **query: Any) -> Any:
    return (await api.get(f"/posts/{post['id']}/discussion", params=query, key=owner.key)).json()


async def member_id(api: Api, owner: Login, member: Login) -> str:
    rows = (await api.get("/team", key=owner.key)).json()["data"]
    return str(next(row["id"] for row in rows if row["email"] == member.email))


async def mails(context: AppContext, database: Database, owner: Login) -> list[tuple[str, str, str]]:
    messages = [
        msgspec.convert(row["payload"], Message) for row in await database.pool.fetch(_MAILS, owner.workspace_id)
    ]
    return [(message.to, *read(message, context.keys, context.fixed_url)) for message in messages]


async def test_messages_stand_in_their_order_with_what_they_answer(
    api: Api, make: Make, owner: Login, post: Any
) -> None:
    writer = await make.member(owner, role="contributor")
    first = (await say(api, writer, post, "Which picture?")).json()
    second = (await say(api, owner, post, "The red one.", replyTo=first["id"])).json()
    pages = [await listed(api, owner, post, limit=1)]
    pages.append(await listed(api, owner, post, limit=1, cursor=pages[0]["nextCursor"]))

    assert [page["data"] for page in pages] == [[first], [second]]
    assert (second["replyTo"], second["text"], second["mentions"]) == (first["id"], "The red one.", [])
    assert first["author"]["type"] == "api_key"
    other = await make.draft(owner)
    assert (await listed(api, owner, other))["data"] == []
    refused = await say(api, owner, other, "Elsewhere", replyTo=first["id"])
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "/replyTo")


async def test_who_is_mentioned_gets_a_mail_if_they_see_the_post(
    api: Api, make: Make, context: AppContext, database: Database, owner: Login, post: Any
) -> None:
    writer = await make.member(owner, role="editor")
    other = await make.profile(owner)
    outsider = await make.member(owner, role="editor", profile_ids=[other["id"]])
    ids = [await member_id(api, owner, each) for each in (writer, owner, outsider)]
    refused = await say(api, owner, post, "Look", mentions=ids)
    said = await say(api, owner, post, "Look\nplease", mentions=[ids[0], ids[1], ids[0]])

    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "/mentions/2")
    assert [each["memberId"] for each in said.json()["mentions"]] == ids[:2]
    [(to, subject, text)] = await mails(context, database, owner)  # not the one who wrote it
    assert (to, subject) == (writer.email, "live about: Warm rolls")
    assert "> Look\n> please" in text
    assert f"/console/posts/{post['id']}" in text


async def test_messages_are_deleted_by_their_authors_and_by_admins(
    api: Api, make: Make, owner: Login, post: Any
) -> None:
    """What answered one stays, and with the post all go."""
    writer, other = [await make.member(owner, role="editor") for _ in range(2)]
    first = (await say(api, writer, post, "First")).json()
    second = (await say(api, other, post, "Second", replyTo=first["id"])).json()
    path = f"/posts/{post['id']}/discussion"
    assert (await api.delete(f"{path}/{first['id']}", key=other.key)).status_code == 403
    assert (await api.delete(f"{path}/{first['id']}", key=writer.key)).status_code == 204
    assert (await api.delete(f"{path}/{first['id']}", key=writer.key)).status_code == 404
    assert (await listed(api, owner, post))["data"] == [second | {"replyTo": None}]
    elsewhere = await make.draft(owner)
    assert (await api.delete(f"/posts/{elsewhere['id']}/discussion/{second['id']}", key=owner.key)).status_code == 404
    assert (await api.delete(f"{path}/{second['id']}", key=owner.key)).status_code == 204


async def test_a_post_that_is_deleted_permanently_takes_its_discussion_along(
    api: Api, owner: Login, post: Any, database: Database
) -> None:
    await say(api, owner, post, "Bye")
    await api.delete(f"/posts/{post['id']}", params={"permanent": "true"}, key=owner.key)
    count = "select count(*) from post_message where workspace_id = $1"
    assert await database.pool.fetchval(count, owner.workspace_id) == 0


async def test_a_discussion_has_an_end(api: Api, owner: Login, post: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "MESSAGES_MAX", 1)
    await say(api, owner, post, "One")
    refused = await say(api, owner, post, "Two")
    assert (refused.status_code, refused.json()["code"]) == (422, "too_many_items")


async def test_what_a_client_says_by_a_link_is_part_of_it(
    api: Api, make: Make, context: AppContext, database: Database, owner: Login, post: Any
) -> None:
    """They see what was said by their link, and nothing of what the team says; author and maker are told."""
    writer = await make.member(owner, role="editor")
    own = await make.draft(writer, text="Cold soup", key=writer.key)
    links = [(await api.post("/approval-links", json={"postIds": [own["id"]]}, key=owner.key)).json() for _ in range(2)]
    path, other = ["/approvals/" + link["url"].rpartition("/")[2] for link in links]
    await say(api, owner, own, "They always complain")
    body = {"decision": "comment", "version": 1, "name": "Maria", "note": "Which soup?"}
    answer = await api.post(f"{path}/posts/{own['id']}", json=body)
    empty = await api.post(f"{path}/posts/{own['id']}", json=body | {"note": " "})

    assert answer.status_code == 200, answer.text
    assert (answer.json()["state"], [each["text"] for each in answer.json()["comments"]]) == (
        "pending",
        ["Which soup?"],
    )
    assert (empty.status_code, empty.json()["errors"][0]["path"]) == (422, "/note")
    assert (await api.get(other)).json()["posts"][0]["comments"] == []
    assert "complain" not in (await api.get(path)).text
    said = (await listed(api, owner, own))["data"][1]
    assert said["author"] == {"type": "approval_link", "id": links[0]["id"], "name": "Maria"}
    history = (await api.get(f"/posts/{own['id']}/audit", key=owner.key)).json()["data"]
    assert (history[0]["action"], history[0]["actor"]["name"]) == ("commented", "Maria")
    told = await mails(context, database, owner)
    assert sorted(to for to, _, _ in told) == sorted([owner.email, writer.email])
    assert told[0][1] == "Maria about: Cold soup"
