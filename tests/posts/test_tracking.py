"""Campaign parameters on links: where they stand, what they leave alone, and that they are counted and published."""

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.growth import require_linear
from tests.posts.test_update import patch, soon

from signalpost.posts.documents import Utm
from signalpost.posts.tracking import tracked_link, tracked_text

SPRING = Utm(source="s", campaign="spring 26&more")
ADDED = "utm_source=s&utm_campaign=spring%2026%26more"


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="first")
    return login


@pytest.mark.parametrize(
    ("link", "tracked"),
    [
        ("https://example.com", f"https://example.com/?{ADDED}"),
        ("https://example.com/a", f"https://example.com/a?{ADDED}"),
        ("https://example.com/a?b=%20&c", f"https://example.com/a?b=%20&c&{ADDED}"),
        ("https://example.com/a?b=1&", f"https://example.com/a?b=1&{ADDED}"),
        ("https://example.com/a#part", f"https://example.com/a?{ADDED}#part"),
        ("https://example.com/a#/route?x=1", f"https://example.com/a?{ADDED}#/route?x=1"),
        ("https://example.com#top", f"https://example.com/?{ADDED}#top"),
        ("https://example.com/?utm_source=own", "https://example.com/?utm_source=own&utm_campaign=spring%2026%26more"),
        ("https://example.com/?UTM_Source=own&utm_campaign=", "https://example.com/?UTM_Source=own&utm_campaign="),
        ("HTTP://EXAMPLE.COM/A", f"HTTP://EXAMPLE.COM/A?{ADDED}"),
        ("https://müller.example/straße", f"https://müller.example/straße?{ADDED}"),
        ("https://[::1]:8000/a", f"https://[::1]:8000/a?{ADDED}"),
    ],
)
def test_a_link_gets_the_parameters_that_it_lacks(link: str, tracked: str) -> None:
    assert tracked_link(link, SPRING, "bluesky") == tracked
    assert tracked_link(tracked, SPRING, "bluesky") == tracked
    assert tracked_text(f"See {link}, or ({link}).", SPRING, "bluesky") == f"See {tracked}, or ({tracked})."


def test_an_empty_query_is_filled() -> None:
    assert tracked_link("https://example.com/a?", SPRING, "bluesky") == f"https://example.com/a?{ADDED}"


def test_the_source_is_the_network_unless_it_is_set() -> None:
    assert (
        tracked_link("https://a.test/", Utm(medium="social"), "x") == "https://a.test/?utm_source=x&utm_medium=social"
    )


def test_a_text_without_links_stays_as_it_is() -> None:
    text = "example.com, @https, mailto:a@b.test :// https://"
    assert tracked_text(text, SPRING, "bluesky") == text


@pytest.mark.parametrize("text", ["https://", "https://a.b/ ", "https://a.b/?&&&", "https://a.b/...", "a://", ")", "("])
def test_tracking_takes_time_in_proportion(text: str) -> None:
    require_linear(lambda value: tracked_text(value, SPRING, "x"), lambda size: text * (size // len(text)), 60_000)


async def test_parameters_count_in_preflight_and_in_validate(api: Api, owner: Login) -> None:
    text = "x" * 4_970 + " https://a.test/"
    body = {"profileId": owner.profile, "platforms": ["sandbox"], "text": text}
    plain = (await api.post("/posts/validate", json=body, key=owner.key)).json()
    tracked = (await api.post("/posts/validate", json=body | {"utm": {"source": "s"}}, key=owner.key)).json()
    refused = await api.post("/posts", json=body | {"utm": {"campaign": "c" * 50}}, key=owner.key)

    assert (plain["valid"], plain["targets"][0]["textLength"]) == (True, 4_986)
    assert tracked["targets"][0]["textLength"] == 4_986 + len("?utm_source=s")
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (422, "sandbox.text.max_graphemes")


async def test_an_edit_keeps_changes_and_clears_them(api: Api, make: Make, owner: Login) -> None:
    post = await make.post(owner, text="https://a.test/", utm={"campaign": "a"}, scheduledAt=soon(days=1))
    kept = (await patch(api, owner, post, title="T")).json()
    changed = (await patch(api, owner, post, utm={"campaign": "b"})).json()
    cleared = (await patch(api, owner, post, utm=None)).json()

    assert [version["utm"] and version["utm"]["campaign"] for version in (post, kept, changed, cleared)] == [
        "a", "a", "b", None,
    ]  # fmt: skip


async def test_a_post_without_parameters_gets_those_of_its_profile(api: Api, owner: Login) -> None:
    """As they were when it was created; null asks for none, and counts as much as parameters of its own."""
    await api.patch(f"/profiles/{owner.profile}", json={"defaultUtm": {"campaign": "spring"}}, key=owner.key)
    body = {"profileId": owner.profile, "platforms": ["sandbox"], "scheduledAt": soon(days=1)}
    bodies = [{}, {"utm": None}, {"utm": {"campaign": "own"}}, {"draft": True}]
    sent = [body | {"text": f"https://a.test/{number}"} | own for number, own in enumerate(bodies)]
    sent[3].pop("scheduledAt")
    posts = [(await api.post("/posts", json=each, key=owner.key)).json() for each in sent]
    many = await api.post("/posts/bulk", json={"posts": [body | {"text": "https://a.test/many"}]}, key=owner.key)
    await api.patch(f"/profiles/{owner.profile}", json={"defaultUtm": None}, key=owner.key)
    posts.append((await api.get(f"/posts/{many.json()['created'][0]['id']}", key=owner.key)).json())
    posts.append((await api.post("/posts", json=body | {"text": "https://a.test/then"}, key=owner.key)).json())
    edited = (await patch(api, owner, posts[0], title="T")).json()

    campaigns = [post["utm"] and post["utm"]["campaign"] for post in posts]
    assert campaigns == ["spring", None, "own", "spring", "spring", None]
    assert edited["utm"]["campaign"] == "spring"


async def test_links_are_not_shortened(api: Api, owner: Login) -> None:
    """Refused rather than ignored."""
    body = {"profileId": owner.profile, "platforms": ["sandbox"], "text": "a", "shortenLinks": True}
    answer = await api.post("/posts", json=body, key=owner.key)

    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "/shortenLinks")
