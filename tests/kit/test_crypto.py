import asyncio
import base64
import os
import re
import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signalpost.kit import crypto
from signalpost.kit.crypto import KeyRing, Undecipherable

OLD, NEW = bytes(range(32)), bytes(range(32, 64))
RING = KeyRing({"old": OLD, "new": NEW}, "new")
CONTEXT = "account.secrets|acc_1|wsp_1"


@given(plain=st.binary(max_size=4096), context=st.text(max_size=80))
def test_a_sealed_value_opens_in_its_context(plain: bytes, context: str) -> None:
    assert RING.open(RING.seal(plain, context=context), context=context) == plain


@given(plain=st.binary(max_size=200), change=st.integers(min_value=1, max_value=255), data=st.data())
def test_any_changed_byte_is_refused(plain: bytes, change: int, data: st.DataObject) -> None:
    """The header too: a key id that can be changed is a way to make us try other keys."""
    blob = bytearray(RING.seal(plain, context=CONTEXT))
    blob[data.draw(st.integers(0, len(blob) - 1))] ^= change

    with pytest.raises(Undecipherable):
        RING.open(bytes(blob), context=CONTEXT)


@given(st.binary(max_size=120))
def test_junk_is_refused_as_the_same_error(junk: bytes) -> None:
    with pytest.raises(Undecipherable, match=r"^the value cannot be opened$"):
        RING.open(junk, context=CONTEXT)


def test_every_shortened_value_is_refused() -> None:
    blob = RING.seal(b"token", context=CONTEXT)

    for length in range(len(blob)):
        with pytest.raises(Undecipherable):
            RING.open(blob[:length], context=CONTEXT)


def test_swapped_rows_are_refused() -> None:
    """Someone who can write to the database must not be able to make one account use the token of another."""
    blobs = [RING.seal(b"token %d" % row, context=f"account.secrets|{row}|wsp") for row in range(40)]

    for row, blob in enumerate(blobs):
        for other in range(40):
            if other != row:
                with pytest.raises(Undecipherable):
                    RING.open(blob, context=f"account.secrets|{other}|wsp")


def test_the_same_value_never_looks_the_same() -> None:
    assert len({RING.seal(b"token", context=CONTEXT) for _ in range(1000)}) == 1000


def test_an_older_key_still_opens_and_asks_for_a_rewrap() -> None:
    blob = KeyRing({"old": OLD}, "old").seal(b"token", context=CONTEXT)

    assert RING.open(blob, context=CONTEXT) == b"token"
    assert RING.needs_rewrap(blob)
    assert not RING.needs_rewrap(RING.seal(b"token", context=CONTEXT))


def test_a_wrong_or_missing_key_is_refused() -> None:
    blob = KeyRing({"a": OLD}, "a").seal(b"token", context=CONTEXT)

    for ring in (KeyRing({"a": NEW}, "a"), KeyRing({"b": OLD}, "b")):
        with pytest.raises(Undecipherable):
            ring.open(blob, context=CONTEXT)
    with pytest.raises(Undecipherable):
        RING.needs_rewrap(b"plain text")


def _spellings(key: bytes) -> list[str]:
    return [
        base64.b64encode(key).decode(),
        base64.b64encode(key).decode().rstrip("="),
        base64.urlsafe_b64encode(key).decode(),
        key.hex(),
        f"  {key.hex()}\n",
    ]


@pytest.mark.parametrize("key", [OLD, NEW, b"\xff" * 32, b"\xfb\xef\xbe" * 10 + b"ab"])
def test_a_master_key_is_read_in_every_usual_spelling(key: bytes) -> None:
    blob = KeyRing.from_master(key).seal(b"token", context=CONTEXT)

    for text in _spellings(key):
        assert KeyRing.from_master(text).open(blob, context=CONTEXT) == b"token"
        assert KeyRing.from_master(text.encode()).open(blob, context=CONTEXT) == b"token"


def test_a_key_that_gets_an_id_later_still_opens_its_values() -> None:
    """The first key is made without an id; rotation gives ids."""
    blob = KeyRing.from_master(OLD).seal(b"token", context=CONTEXT)
    text = base64.b64encode(OLD).decode()

    for master in (f"2026:{NEW.hex()},{text}", f"2026:{NEW.hex()},2025:{text}", f"2025:{text}"):
        assert KeyRing.from_master(master).open(blob, context=CONTEXT) == b"token"
    assert KeyRing.from_master(f"2026:{NEW.hex()},2025:{text}").current_key_id == "2026"


@pytest.mark.parametrize(
    "master",
    [
        "",
        "x",
        "hunter2" * 9,
        b"\xff" * 31,
        "a:",
        f"a b:{OLD.hex()}",
        f"a:{OLD.hex()},a:{NEW.hex()}",
        f"{OLD.hex()},",
        "zz" * 32,
    ],
)
def test_a_bad_master_key_is_refused_and_never_quoted(master: str | bytes) -> None:
    with pytest.raises(ValueError, match="key") as refusal:
        KeyRing.from_master(master)

    assert OLD.hex() not in str(refusal.value)
    assert "hunter2" not in str(refusal.value)


def test_a_ring_checks_its_keys() -> None:
    for keys, current in (({"a": OLD}, "b"), ({"a": b"short"}, "a"), ({"": OLD}, ""), ({"é": OLD}, "é")):
        with pytest.raises(ValueError, match="key"):
            KeyRing(keys, current)


def test_subkeys_differ_by_purpose_and_follow_the_current_key() -> None:
    old = KeyRing({"old": OLD}, "old")

    assert len({RING.derive("pepper"), RING.derive("jwt"), old.derive("pepper"), OLD, NEW}) == 5
    assert RING.derive_each("pepper") == (RING.derive("pepper"), old.derive("pepper"))
    assert len(RING.derive("pepper")) == 32


def test_no_secret_shows_in_a_repr() -> None:
    key = crypto.new_api_key("sp_live")

    assert OLD.hex() not in repr(RING)
    assert repr(OLD) not in repr(RING)
    assert key.secret not in repr(key)


def test_a_missing_key_file_is_created_for_this_user_only(tmp_path: Path) -> None:
    path = tmp_path / "master.key"

    text = crypto.master_key_file(path)

    assert path.stat().st_mode & 0o777 == 0o600
    assert crypto.master_key_file(path) == text
    assert len(base64.b64decode(text)) == 32
    KeyRing.from_master(text)
    assert [entry.name for entry in tmp_path.iterdir()] == ["master.key"]


def test_processes_that_start_at_once_get_one_key(tmp_path: Path) -> None:
    """Two keys would make half of the first run's secrets unreadable."""
    path = tmp_path / "master.key"

    with ThreadPoolExecutor(16) as pool:
        texts = set(pool.map(lambda _: crypto.master_key_file(path), range(64)))

    assert len(texts) == 1


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660, 0o610, 0o601])
def test_a_key_file_others_can_use_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "master.key"
    crypto.master_key_file(path)
    path.chmod(mode)

    with pytest.raises(crypto.KeyFileUnsafe, match="chmod 600"):
        crypto.master_key_file(path)


def test_a_key_file_that_is_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises((crypto.KeyFileUnsafe, IsADirectoryError)):
        crypto.master_key_file(tmp_path)
    with pytest.raises(crypto.KeyFileUnsafe):
        crypto.master_key_file(Path(os.devnull))


def test_hmac_is_the_published_one() -> None:
    """Test case 2 of RFC 4231."""
    assert crypto.hmac_sha256(b"Jefe", b"what do ya want for nothing?").hex() == (
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    )


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("a", "a", True),
        ("a", "b", False),
        ("é", "é", True),
        ("a", "ab", False),
        (b"a", b"a", True),
        ("\ud800", "x", False),
    ],
)
def test_equal_takes_any_text(left: str | bytes, right: str | bytes, same: bool) -> None:
    """Comparing user input must not raise: compare_digest does, on any character outside ASCII."""
    assert crypto.equal(left, right) is same


def test_tokens_are_url_safe_and_distinct() -> None:
    tokens = {crypto.random_token() for _ in range(1000)}

    assert len(tokens) == 1000
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}", token) for token in tokens)


@given(st.integers(min_value=0, max_value=62**43 - 1))
def test_base62_comes_back(number: int) -> None:
    text = crypto.base62_encode(number, 43)

    assert len(text) == 43
    assert crypto.base62_decode(text) == number


def test_base62_refuses_what_does_not_fit() -> None:
    for number, width in ((62, 1), (-1, 4), (62**6, 6)):
        with pytest.raises(ValueError, match="fit"):
            crypto.base62_encode(number, width)
    with pytest.raises(ValueError, match="base62"):
        crypto.base62_decode("a-b")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_crc_has_always_six_digits(text: str) -> None:
    assert re.fullmatch("[0-9A-Za-z]{6}", crypto.crc32_base62(text))


@pytest.mark.parametrize("prefix", ["sp_live", "sp_test", "acme", "a_b_c_d", "x2_live"])
def test_a_new_key_has_the_published_form_and_parses(prefix: str) -> None:
    for _ in range(50):
        key = crypto.new_api_key(prefix)

        assert re.fullmatch(prefix + "_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}", key.text)
        assert crypto.parse_api_key(key.text) == key
        assert (key.prefix, key.text[:-6]) == (prefix, f"{prefix}_{key.key_id}_{key.secret}")


@pytest.mark.parametrize("prefix", ["", "Sp", "sp-live", "_sp", "sp_", "a__b", "é", "a_b_c_d_e"])
def test_a_key_prefix_of_another_form_is_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match="prefix"):
        crypto.new_api_key(prefix)


def test_any_mistyped_character_is_noticed_without_a_query() -> None:
    """So that a wrong key costs no query. CRC32 finds every single changed character."""
    text = crypto.new_api_key("sp_live").text

    for position in range(len(text)):
        for character in "0aZ_-é\n":
            wrong = text[:position] + character + text[position + 1 :]
            assert wrong == text or crypto.parse_api_key(wrong) is None


@given(st.text(max_size=200))
def test_no_text_breaks_the_key_parser(text: str) -> None:
    assert crypto.parse_api_key(text) is None


def test_random_keys_of_the_right_form_are_refused_without_a_query() -> None:
    alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghijkmnopqrstuvwxyz"

    def made_up() -> str:
        return "sp_live_" + "".join(secrets.choice(alphabet) for _ in range(12)) + "_" + "0" * 43 + "abcdef"

    assert sum(crypto.parse_api_key(made_up()) is not None for _ in range(10_000)) == 0


@pytest.mark.usefixtures("real_passwords")
async def test_a_password_verifies_and_no_other_does() -> None:
    hashed = await crypto.hash_password("correct horse")

    assert hashed.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert await crypto.verify_password(hashed, "correct horse")
    assert not await crypto.verify_password(hashed, "Correct horse")
    assert not await crypto.verify_password("junk", "correct horse")
    assert not await crypto.verify_password("", "")
    assert not crypto.needs_rehash(hashed)
    assert crypto.needs_rehash(hashed.replace("m=19456", "m=8192"))
    assert crypto.needs_rehash("junk")


async def test_accents_may_be_typed_either_way() -> None:
    assert await crypto.verify_password(await crypto.hash_password("caf\u00e9"), "cafe\u0301")


@pytest.mark.parametrize("text", ["", "\x00", "\ud800", "p" * 100_000])
async def test_odd_passwords_do_not_break_hashing(text: str) -> None:
    hashed = await crypto.hash_password(text)

    assert await crypto.verify_password(hashed, text)
    assert not await crypto.verify_password(hashed, text + "x")


@pytest.mark.usefixtures("real_passwords")
async def test_an_unknown_user_costs_as_much_as_a_known_one() -> None:
    """Otherwise the response time tells which e-mail addresses have an account."""
    hashed = await crypto.hash_password("right")
    await crypto.verify_password(None, "wrong")

    async def seconds(stored: str | None) -> float:
        started = time.process_time()  # of the thread that computes, too
        assert not await crypto.verify_password(stored, "wrong")
        return time.process_time() - started

    # The best of each, measured in turns: what else the processor does makes single measurements differ.
    pairs = [(await seconds(hashed), await seconds(None)) for _ in range(10)]
    known, unknown = (min(times) for times in zip(*pairs, strict=True))
    assert 0.5 < known / unknown < 2


@pytest.mark.usefixtures("real_passwords")
async def test_logins_do_not_stop_the_loop() -> None:
    logins = asyncio.gather(*(crypto.hash_password("x") for _ in range(20)))
    turns = 0
    while not logins.done():
        await asyncio.sleep(0.001)
        turns += 1

    await logins
    assert turns > 5, "a loop that hashes itself comes round once for all"


@pytest.mark.usefixtures("real_passwords")
async def test_too_many_waiting_logins_are_refused() -> None:
    tasks = [asyncio.create_task(crypto.hash_password("x")) for _ in range(230)]
    await asyncio.sleep(0)
    for task in tasks[:190]:
        task.cancel()

    results = await asyncio.gather(*tasks, return_exceptions=True)

    assert sum(isinstance(result, crypto.PasswordQueueFull) for result in results) == 30
    assert (await crypto.hash_password("x")).startswith("$argon2id$")


@settings(max_examples=200)
@given(st.text(max_size=300))
def test_no_text_breaks_reading_a_master_key(text: str) -> None:
    try:
        KeyRing.from_master(text)
    except ValueError:
        return
