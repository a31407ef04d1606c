"""Each number that a network limits has its sources beside it, and the page and the command list them."""

from dataclasses import replace
from datetime import date, timedelta

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


def test_a_number_with_one_source_is_red_and_old_ones_are_listed() -> None:
    page = evidence.render()
    assert page == (CHECKOUT / "docs" / "reference" / "sources.md").read_text()
    facts = list(evidence.sourced())
    single = [fact for _, _, fact in facts if not fact.is_confirmed]
    assert sum(line.startswith("| 🔴 |") for line in page.splitlines()) == len(single) > 0

    newest = max(fact.newest for _, _, fact in facts)
    assert len(evidence.old(newest + timedelta(days=evidence.OLD_DAYS + 1))) == len(facts)
    assert evidence.old(min(fact.newest for _, _, fact in facts)) == []
