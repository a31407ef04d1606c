"""What the RFCs say of messages and their sender, against their own example and libraries of others."""

import os

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from tests.helpers.push_service import coded, plain

from signalpost.kit.crypto import KeyRing
from signalpost.push import encryption

POINT = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
BODY = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl"
    "7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)


def test_the_example_of_the_rfc_is_encrypted_as_it_says() -> None:
    """RFC 8291, section 5 and appendix A."""
    number = int.from_bytes(plain("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"), "big")
    body = encryption.encrypt(
        b"When I grow up, I want to be a watermelon",
        plain(POINT),
        plain("BTBZMqHH6r4Tts7J_aSIgg"),
        sender=ec.derive_private_key(number, ec.SECP256R1()),
        salt=plain("DGv6ra1nlYgDCS1FRnbzlw"),
    )
    assert coded(body) == BODY


@pytest.mark.parametrize("length", [0, 1, 1_000, encryption.PLAIN_BYTES_MAX])
def test_another_library_reads_what_is_encrypted(length: int) -> None:
    browser, auth, text = ec.generate_private_key(ec.SECP256R1()), os.urandom(16), os.urandom(length)
    bodies = [encryption.encrypt(text, encryption.point_of(browser), auth) for _ in range(2)]
    assert bodies[0] != bodies[1]
    assert all(len(body) <= 4_096 for body in bodies)
    read = [http_ece.decrypt(body, private_key=browser, auth_secret=auth, version="aes128gcm") for body in bodies]
    assert read == [text, text]


def test_what_no_push_service_has_to_take_is_refused() -> None:
    with pytest.raises(ValueError, match="too long"):
        encryption.encrypt(b"x" * (encryption.PLAIN_BYTES_MAX + 1), plain(POINT), b"x" * 16)


@pytest.mark.parametrize("raw", [b"", b"\x04" + b"\x01" * 64, plain(POINT)[:-1], b"\x02" + plain(POINT)[1:33]])
def test_what_is_no_point_of_the_curve_is_refused(raw: bytes) -> None:
    with pytest.raises(encryption.BadKeys):
        encryption.encrypt(b"x", raw, b"x" * 16)


@pytest.mark.parametrize("text", ["é", "a", "a b=", "aaaa*aaa"])
def test_what_is_not_base64_is_refused(text: str) -> None:
    with pytest.raises(encryption.BadKeys):
        encryption.decode(text)


def test_the_key_outlives_master_keys_and_is_of_one_installation() -> None:
    """Browsers subscribe with it: another one would end every subscription."""
    before, after, other = (KeyRing.from_master(letter * 32) for letter in (b"a", b"b", b"a"))
    root = b"r" * 32
    before.adopt_root(root)
    after.adopt_root(root)
    assert encryption.public_key(before) == encryption.public_key(after) != encryption.public_key(other)
    assert plain(encryption.public_key(before))[0] == 4
    assert len(plain(encryption.public_key(before))) == 65
