"""Each number that a network limits has its sources beside it, and the page and the command list them."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Annotated

import msgspec
import pytest
from tests.counterparts.tools import CHECKOUT

from signalpost.networks import CONNECTORS, evidence
from signalpost.networks.contract import MediaRule

NETWORKS = [key for key in CONNECTORS if key != "sandbox"]


@pytest.mark.parametrize("key", NETWORKS)
def test_each_number_has_its_sources(key: str) -> None:
    """A number that is changed needs a source that says so; a source of a number that is gone goes as well."""
    facts = CONNECTORS[key].facts

    assert {path: fact.value for path, fact in facts.sources.items()} == evidence.numbers(facts)
    for path, fact in facts.sources.items():
        assert fact.sources, path
        assert len({source.where for source in fact.sources}) == len(fact.sources), path
        assert all(date(2024, 1, 1) < source.on <= date(2027, 12, 31) for source in fact.sources), path


def test_a_number_that_nobody_sourced_is_found() -> None:
    facts = CONNECTORS["x"].facts
    rule = MediaRule(per_post=1, bytes_max=7, mime_types=())
    changed = replace(facts, media={**facts.media, "audio": rule}, media_total=5)

    found = evidence.numbers(changed)

    assert found["media_total"] == 5 != facts.sources["media_total"].value
    assert {path for path in found if path not in facts.sources} == {"media.audio.per_post", "media.audio.bytes_max"}


NEWEST = {
    "linkedin": ("poll", "audience"), "pinterest": ("aiDisclosures",), "bluesky": ("captions",),
    "threads": ("spoilerTexts",), "instagram": ("musicVolume", "videoVolume"),
}  # fmt: skip


@pytest.mark.parametrize("key", NEWEST)
def test_limits_of_the_newest_options_have_sources_too(key: str) -> None:
    facts = CONNECTORS[key].facts
    for option in NEWEST[key]:
        limits = {path for path in evidence.option_numbers(facts) if path.startswith(f"options.{option}.")}
        assert limits
        assert limits <= facts.sources.keys()


def test_a_limit_of_a_sourced_option_that_nobody_sourced_is_found() -> None:
    """Whoever gives a limit to a member of an option, at any depth, needs a source for it."""
    facts = CONNECTORS["linkedin"].facts
    longer = Annotated[str, msgspec.Meta(max_length=31)]
    poll = msgspec.defstruct("Poll", [("options", Annotated[list[longer], msgspec.Meta(max_length=4)] | None)])
    option = replace(facts.options["poll"], type=poll)

    found = evidence.numbers(replace(facts, options={"poll": option}))

    assert {path: limit for path, limit in found.items() if path.startswith("options.")} == {
        "options.poll.options.max_length": 4, "options.poll.options.each.max_length": 31,
    }  # fmt: skip
    assert facts.sources["options.poll.options.each.max_length"].value != 31


def test_a_number_with_one_source_is_red_and_old_ones_are_listed() -> None:
    page = evidence.render()
    assert page == (CHECKOUT / "docs" / "reference" / "sources.md").read_text()
    facts = list(evidence.sourced())
    single = [fact for _, _, fact in facts if not fact.is_confirmed]
    red = [line for line in page.splitlines() if line.startswith("| 🔴 |")]
    without = [line for line in red if line.endswith("| none yet | |")]
    assert len(red) - len(without) == len(single) > 0
    assert len(without) <= 133, "new limits of options need a source"

    newest = max(fact.newest for _, _, fact in facts)
    assert len(evidence.old(newest + timedelta(days=evidence.OLD_DAYS + 1))) == len(facts)
    assert evidence.old(min(fact.newest for _, _, fact in facts)) == []
