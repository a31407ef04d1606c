"""The design language: what can be read in each look, and that no rule has a value of its own."""

import re
from collections.abc import Iterator

import pytest
from tests.console import design, styles
from tests.console.catalogs import MODULES
from tests.console.styles import GROUPS, LOOKS, Look, Rule

_SPACE = re.compile(r"(margin|padding)(-\w+)*|(row-|column-)?gap|border-spacing")
_LITERAL_COLOUR = re.compile(r"#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?)\(|\b(?:white|black|gr[ae]y|red|green|blue)\b")
_LENGTH = re.compile(r"(?<![\w-])-?(\d*\.?\d+)(rem|em|px|mm|ch)\b")
HAIRLINE_PX = 3
"""A border, or the gap of one between parts: no distance of the layout."""
FIELD_LEAST = 3.0
"""WCAG 2.2 asks it of what shows where a field is."""
SET_BY_SCRIPTS = {"accent-of-client", "text-on-accent", "top", "bottom", "side"}


def _checked(group: str) -> Iterator[tuple[Rule, str, str]]:
    for rule in styles.rules(group):
        for name, value in rule.values.items():
            if not name.startswith("--"):
                yield rule, name, value


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.name)
@pytest.mark.parametrize("group", GROUPS)
def test_text_has_the_contrast_of_aaa_on_every_ground_that_it_meets(group: str, look: Look) -> None:
    poor = {
        (pair.place, pair.text, pair.ground): ratio
        for pair in design.pairs(group)
        if (ratio := design.ratio(group, pair, look)) < (design.LEAST_LARGE if pair.is_large else design.LEAST)
    }

    assert poor == {}


def test_pairs_are_those_of_the_rules() -> None:
    """Both of a rule, the surfaces where it says one, and each value of a token that several rules set."""
    every = [pair for group in GROUPS for pair in design.pairs(group)]
    pairs = {(pair.text, pair.ground, pair.place.partition(": ")[2]) for pair in every}

    assert ("var(--warn)", "var(--warn-soft)", ".hue2, .badge.warn, .notice.warn, .tone.warn") in pairs
    assert ("var(--soft)", "var(--canvas)", ".soft") in pairs
    assert {("var(--partial)", "var(--paper)", ".state"), ("var(--bad)", "var(--raised)", ".state")} <= pairs


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.name)
def test_fields_are_seen(look: Look) -> None:
    for group in GROUPS:
        tokens = styles.tokens(group, look)
        field = styles.colour("var(--field)", tokens)
        for name in design.SURFACES[group]:
            assert styles.contrast(field, styles.colour(f"var(--{name})", tokens)) >= FIELD_LEAST, (group, name)


def test_rules_that_are_exempt_exist() -> None:
    selectors = {rule.selector for group in GROUPS for rule in styles.rules(group)}

    assert {*design.EXEMPT, *design.ON_PICTURES} - selectors == set()


@pytest.mark.parametrize("group", GROUPS)
def test_no_rule_has_a_colour_of_its_own(group: str) -> None:
    """White and black included: what lies on pictures has tokens too."""
    assert [
        (rule.sheet, rule.selector, f"{name}: {value}")
        for rule, name, value in _checked(group)
        if _LITERAL_COLOUR.search(value)
    ] == []


@pytest.mark.parametrize("group", GROUPS)
def test_text_has_the_sizes_of_the_scale_and_two_weights(group: str) -> None:
    """Bolder is only what stands on the colour of a client, which may be any."""
    sizes, weights = re.compile(r"var\(--text-[\w-]+\)|inherit"), {"400", "600", "inherit", "var(--bold)"}
    odd = [
        (rule.sheet, rule.selector, f"{name}: {value}")
        for rule, name, value in _checked(group)
        if (name == "font-size" and not sizes.fullmatch(value))
        or (name == "font" and not sizes.search(value))
        or (name == "font-weight" and value not in weights)
    ]

    assert odd == []


@pytest.mark.parametrize("group", GROUPS)
def test_distances_are_steps_of_the_scale(group: str) -> None:
    """On paper they are those of paper."""
    odd = [
        (rule.sheet, rule.selector, f"{name}: {value}")
        for rule, name, value in _checked(group)
        if _SPACE.fullmatch(name) and "print" not in " ".join(rule.within)
        for length, unit in _LENGTH.findall(value)
        if unit != "px" or float(length) > HAIRLINE_PX
    ]

    assert [place for place in odd if not place[1].startswith("@page")] == []


@pytest.mark.parametrize("group", GROUPS)
def test_corners_are_those_of_the_scale(group: str) -> None:
    odd = [
        (rule.sheet, rule.selector, value)
        for rule, name, value in _checked(group)
        if name.startswith("border") and name.endswith("radius") and _LENGTH.search(value)
    ]

    assert odd == []


def _used(group: str) -> set[str]:
    text = " ".join(styles.sheets(group).values())
    if group == "console":
        text += " ".join(path.read_text(encoding="utf-8") for path in MODULES)
    return set(re.findall(r"var\(--([\w-]+)", text))


@pytest.mark.parametrize("group", GROUPS)
def test_every_token_is_used_and_exists(group: str) -> None:
    own = {name[2:] for rule in styles.rules(group) for name in rule.values if name.startswith("--")}
    used = _used(group)

    assert own - used == set()
    assert used - own - SET_BY_SCRIPTS == set()


@pytest.mark.parametrize("look", LOOKS[:2], ids=lambda look: look.name)
def test_a_token_has_one_value_wherever_it_is_used(look: Look) -> None:
    """But for the colour of a client on its own page."""
    console, *others = (styles.tokens(group, look) for group in GROUPS)
    others[1].pop("accent")

    for tokens in others:
        assert {name: value for name, value in tokens.items() if console.get(name, value) != value} == {}


def test_the_bar_of_the_browser_has_the_colour_of_the_page() -> None:
    page = (styles.STATIC.parent / "templates/console.html").read_text(encoding="utf-8")
    canvas = [styles.tokens("console", look)["canvas"] for look in LOOKS[:2]]

    assert re.findall(r'name="theme-color" media="[^"]+" content="([^"]+)"', page) == canvas


def test_the_page_of_the_design_language_is_up_to_date() -> None:
    """`python -m tests.console.design` writes its numbers; a new token needs its row, and its words."""
    text = design.PAGE.read_text(encoding="utf-8")
    tokens = {name for group in GROUPS for name in styles.tokens(group, LOOKS[0])}

    assert sorted(design.rows(text)) == sorted(tokens - {"on"})
    assert design.updated(text) == text
