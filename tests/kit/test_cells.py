"""The name of a cell before a secret: it can be taken off, and nothing else is ever taken for one."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signalpost.kit import cells, crypto

BASE64URL = string.ascii_letters + string.digits + "-_"


@given(st.from_regex(cells.NAME, fullmatch=True), st.text(alphabet=BASE64URL))
def test_a_name_can_be_taken_off(cell: str, secret: str) -> None:
    assert cells.without_name(cells.with_name(cell, secret)) == secret


@given(st.text(alphabet=BASE64URL))
def test_what_has_no_dot_has_no_name(text: str) -> None:
    assert cells.without_name(text) == text


@pytest.mark.parametrize(
    "text",
    ["sub_01M7Z0000000000000000000AB.q0lw", "1795287600.nonce.mac", "eyJhbGci.e30.c2ln", ".a", "B7.a", "ninechars.a"],
)
def test_tokens_with_dots_of_their_own_have_no_name(text: str) -> None:
    """Those that were made before there were names."""
    assert cells.without_name(text) == text


def test_a_cell_that_is_alone_writes_no_name() -> None:
    assert (cells.with_name("0", "bakery"), cells.with_name("b7", "bakery")) == ("bakery", "b7.bakery")


def test_a_key_has_the_name_before_its_secret_and_its_checksum_covers_it() -> None:
    key = crypto.new_api_key("sp_live", cell="b7")
    public, secret = f"sp_live_{key.key_id}_", f"{key.secret}{key.text[-6:]}"

    assert key.text == f"{public}b7.{secret}"
    assert crypto.parse_api_key(key.text) == key
    for wrong in (f"{public}b8.{secret}", f"{public}{secret}", f"{public}.{secret}", f"{public}B7.{secret}"):
        assert crypto.parse_api_key(wrong) is None


def test_any_mistyped_character_of_a_key_with_a_name_is_noticed() -> None:
    text = crypto.new_api_key("sp_live", cell="b7").text

    for position in range(len(text)):
        for character in "0aZ_-.é\n":
            wrong = text[:position] + character + text[position + 1 :]
            assert wrong == text or crypto.parse_api_key(wrong) is None
