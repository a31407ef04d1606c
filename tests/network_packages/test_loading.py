"""Which packages are loaded. A row for each kind of bad one: it is refused with its reason, and the others work."""

from dataclasses import replace
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.network_packages.conftest import Install

from signalpost import networks
from signalpost.context import AppContext
from signalpost.main import doctor
from signalpost.network_packages import loading, probe, status
from signalpost.settings import RESERVED_SLUGS, Settings

GOOD = "CONNECTOR = connector()"
# reason, slug, code, what the operator reads
REFUSED: list[tuple[str, str, str, str]] = [
    ("not_installed", "absent", "", "No installed package has the entry point 'absent'"),
    ("import_failed", "raises", "raise ValueError('no configuration')", "ValueError: no configuration"),
    ("import_failed", "misspelt", "from signalpost.networks import nothing", "ImportError"),
    ("import_hangs", "hangs", "threading.Event().wait()", "longer than"),
    ("import_died", "exits", "sys.exit(3)", "exit code 3"),
    ("import_died", "dies", "os.abort()", "exit code -6"),
    ("imports_too_much", "huge", "sys.modules |= {f'm{n}': sys for n in range(2000)}; CONNECTOR = 0", "1500"),
    ("not_a_connector", "other", "CONNECTOR = {'facts': facts()}", "It is dict"),
    ("not_a_connector", "factless", "CONNECTOR = connector(facts=None)", "It is Connector"),
    ("slug_taken", "mastodon", GOOD, "wants to be 'mastodon'"),
    ("slug_taken", "twitter", GOOD, "wants to be 'twitter'"),
    ("slug_taken", "oidc", GOOD, "wants to be 'oidc'"),
    ("slug_taken", "guise", "CONNECTOR = connector(facts=facts(key='bluesky'))", "facts.key is 'bluesky'"),
    ("wrong_contract", "older", "CONNECTOR = connector(contract='0.9')", "written for version '0.9'"),
    ("wrong_contract", "newer", "CONNECTOR = connector(contract='1.99')", "written for version '1.99'"),
    ("wrong_contract", "silent", "CONNECTOR = connector(contract='')", "names no version"),
    ("wrong_contract", "number", "CONNECTOR = connector(contract=1.0)", "names no version"),
    ("wrong_claims", "blind", "CONNECTOR = connector(reconcile=None)", "no function reconcile"),
    ("wrong_claims", "blocking", "CONNECTOR = connector(check=lambda session: None)", "check is not an async function"),
    ("wrong_claims", "pushing", "CONNECTOR = connector(push=lambda body: [])", "push is not a CommentPush"),
    ("wrong_claims", "formless", "CONNECTOR = connector(connect=None)", "need each other"),
    ("wrong_claims", "endless", "CONNECTOR = connector(facts=facts(thread_parts_max=9999))", "thread_parts_max"),
    ("wrong_claims", "story", "CONNECTOR = connector(facts=facts(stories=True))", "needs the option type"),
    ("wrong_claims", "animated", "CONNECTOR = connector(facts=facts(gif_as_video=True))", "gif_as_video"),
    ("wrong_claims", "insecure", "CONNECTOR = connector(facts=facts(base_url='http://x.example'))", "https://"),
    ("wrong_claims", "undated", "CONNECTOR = connector(facts=facts(verified_on='lately'))", "verified_on"),
    ("wrong_claims", "typeless", "CONNECTOR = connector(facts=facts(text=100))", "facts.text is not a TextRule"),
    ("wrong_claims", "unlimited", "CONNECTOR = connector(facts=facts(text=TextRule(max_length='1')))", "is str"),
    ("wrong_claims", "typed", "CONNECTOR = connector(facts=facts(options={'x': LOCKED}))", "msgspec"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def probed(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """A package that hangs is given up soon, and each other one has the time that a slow machine needs."""
    hangs = request.node.callspec.params.get("slug") == "hangs" if hasattr(request.node, "callspec") else False
    monkeypatch.setattr(probe.probe, "__kwdefaults__", {"seconds": 2.0 if hangs else 200.0})


@pytest.mark.parametrize(("reason", "slug", "code", "detail"), REFUSED, ids=[row[1] for row in REFUSED])
async def test_a_bad_package_is_refused(reason: str, slug: str, code: str, detail: str, install: Install) -> None:
    if code:
        install(code, slug)
    before = networks.CONNECTORS

    await loading.load([slug], reserved=RESERVED_SLUGS)

    package = status.of(slug)
    assert package is not None
    assert (package.reason, detail in package.detail) == (reason, True), package
    assert before == networks.CONNECTORS
    assert (slug in networks.PLATFORMS) == (reason != "slug_taken" or slug == "mastodon")


def test_every_reason_has_a_bad_package() -> None:
    """`ambiguous` and `out_of_service` have tests of their own."""
    assert {row[0] for row in REFUSED} | {"ambiguous", "out_of_service"} == set(status.REASONS)


async def test_two_packages_for_one_network_are_both_refused(install: Install) -> None:
    install(GOOD, distribution="signalpost-one")
    install(GOOD, distribution="signalpost-two")

    await loading.load(["noticeboard"])

    package = status.of("noticeboard")
    assert package is not None
    assert package.reason == "ambiguous"
    assert package.package == "signalpost-one 1.2.0, signalpost-two 1.2.0"


async def test_a_package_is_loaded_only_if_it_is_named_and_others_fail(
    install: Install, api: Api, make: Make, context: AppContext, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is installed is not offered; a good package beside bad ones is, and everybody says what became of each."""
    install(GOOD)
    install("raise OSError('/etc/secret')", "raises")
    install(GOOD, "unnamed")
    owner = await make.owner()

    await loading.load(["raises", "noticeboard"])

    response = await api.get("/platforms", key=owner.key)
    platforms: dict[str, Any] = {item["platform"]: item for item in response.json()["data"]}
    good, bad = platforms["noticeboard"], platforms["raises"]
    assert (good["available"], good["package"], good["problem"]) == (True, "signalpost-noticeboard 1.2.0", None)
    assert good["credentialFields"][0]["name"] == "token"
    assert (bad["available"], bad["problem"]) == (False, status.REASONS["import_failed"])
    assert "/etc/secret" not in response.text
    assert "unnamed" not in platforms
    assert platforms["bluesky"]["package"] is None
    checks = await doctor._packages(_with(settings, "raises", "noticeboard"))
    assert [(check.check, check.ok) for check in checks] == [("network raises", False), ("network noticeboard", True)]
    assert "/etc/secret" in checks[0].detail


def _with(settings: Settings, *slugs: str) -> Settings:
    return replace(settings, networks_extra=slugs)
