"""Message encryption for web push (RFC 8291, `aes128gcm` of RFC 8188), and who sends it (VAPID, RFC 8292).

A push service carries what only the browser can read. It knows us by our public key, with which the browser subscribed:
nobody else can send to that subscription, and no account at the service is needed. Call these functions in a thread.
"""

import base64
import binascii
import os
from typing import TYPE_CHECKING, Final

import msgspec

from signalpost.kit.crypto import KeyRing

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey

# The library takes milliseconds and a megabyte that a process without devices never needs: functions import it.

PLAIN_BYTES_MAX: Final = 3_993
"""What a push service has to take is 4,096 bytes: header (86), delimiter (1) and tag (16) are of them."""
_RECORD_BYTES: Final = 4_096
_SALT_BYTES: Final = 16
_POINT_BYTES: Final = 65
AUTH_BYTES: Final = 16
_LAST_RECORD: Final = b"\x02"
_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_PURPOSES: Final = ("web-push.1", "web-push.2")


class BadKeys(ValueError):
    """The keys of a subscription are not those of a browser."""


def encode(raw: bytes) -> str:
    """Return base64 for addresses, without padding."""
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def decode(text: str) -> bytes:
    """Read base64 of either alphabet, with padding or without.

    Raises:
        BadKeys: it is something else.
    """
    plain = text.rstrip("=").replace("+", "-").replace("/", "_")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), altchars=b"-_", validate=True)
    except (ValueError, binascii.Error):
        raise BadKeys("not base64") from None


def read_point(raw: bytes) -> "EllipticCurvePublicKey":
    """Return the public key of a browser.

    Raises:
        BadKeys: it is not an uncompressed point of P-256.
    """
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey  # noqa: PLC0415

    if len(raw) != _POINT_BYTES:
        raise BadKeys("not an uncompressed point")
    try:
        return EllipticCurvePublicKey.from_encoded_point(SECP256R1(), raw)
    except ValueError:
        raise BadKeys("not a point of P-256") from None


def point_of(key: "EllipticCurvePrivateKey") -> bytes:
    """Return the public key as an uncompressed point."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat  # noqa: PLC0415

    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def encrypt(
    plain: bytes,
    point: bytes,
    auth: bytes,
    *,
    sender: "EllipticCurvePrivateKey | None" = None,
    salt: bytes | None = None,
) -> bytes:
    """Return the body of a push message for the browser with this public key and secret.

    `sender` and `salt` are made for this message alone; a test passes those of the RFC's example.

    Raises:
        BadKeys: `point` is none of P-256.
        ValueError: it is too long.
    """
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

    if len(plain) > PLAIN_BYTES_MAX:
        raise ValueError("a push message is too long")
    sender = sender or ec.generate_private_key(ec.SECP256R1())
    salt = salt or os.urandom(_SALT_BYTES)
    own = point_of(sender)
    shared = sender.exchange(ec.ECDH(), read_point(point))
    material = _hkdf(shared, auth, b"WebPush: info\0" + point + own, 32)
    key = _hkdf(material, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _hkdf(material, salt, b"Content-Encoding: nonce\0", 12)
    header = salt + _RECORD_BYTES.to_bytes(4, "big") + bytes((len(own),)) + own
    return header + AESGCM(key).encrypt(nonce, plain + _LAST_RECORD, None)


def _hkdf(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415

    return HKDF(algorithm=SHA256(), length=length, salt=salt, info=info).derive(secret)


def signing_key(keys: KeyRing) -> "EllipticCurvePrivateKey":
    """Return the key by which push services know this installation: of its root, so it outlives every master key."""
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, derive_private_key  # noqa: PLC0415

    wide = int.from_bytes(b"".join(map(keys.derive, _PURPOSES)), "big")  # twice as wide, so that no value is likelier
    return derive_private_key(wide % (_ORDER - 1) + 1, SECP256R1())


def public_key(keys: KeyRing) -> str:
    """Return what a browser subscribes with: its `applicationServerKey`."""
    return encode(point_of(signing_key(keys)))


def authorization(keys: KeyRing, audience: str, subject: str, expires_at: int) -> str:
    """Return the header that says who sends.

    Args:
        keys: of this installation.
        audience: the origin of the push service.
        subject: whom its operator can ask: an address of `mailto:` or `https:`.
        expires_at: in Unix seconds, less than a day ahead.
    """
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature  # noqa: PLC0415
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415

    key = signing_key(keys)
    claims = {"aud": audience, "exp": expires_at, "sub": subject}
    head = b'{"typ":"JWT","alg":"ES256"}'
    signed = f"{encode(head)}.{encode(msgspec.json.encode(claims))}"
    r, s = decode_dss_signature(key.sign(signed.encode(), ECDSA(SHA256())))
    signature = encode(r.to_bytes(32, "big") + s.to_bytes(32, "big"))
    return f"vapid t={signed}.{signature}, k={encode(point_of(key))}"
