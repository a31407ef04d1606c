from tests.counterparts.tools import CHECKOUT

from signalpost.networks.reference import render


def test_the_reference_page_says_what_the_facts_say() -> None:
    """Written by `python -m signalpost.networks.reference > docs/reference/networks.md`."""
    assert (CHECKOUT / "docs" / "reference" / "networks.md").read_text() == render()
