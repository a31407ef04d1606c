import pytest

from signalpost.kit.slugs import slugify


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Bäckerei  Berlin!", "backerei-b"),
        ("--a__b--", "a-b"),
        ("12345 67890", "12345-6789"),
        ("123456789 x", "123456789"),
        ("日本", "thing"),
        ("", "thing"),
    ],
)
def test_a_slug_is_short_ascii_and_never_empty(name: str, slug: str) -> None:
    assert slugify(name, length_max=10, default="thing") == slug
