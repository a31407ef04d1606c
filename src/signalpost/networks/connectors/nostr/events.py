"""Events of NIP-01: their ids, and signatures of BIP-340 over them, by Bitcoin Core's library."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

NOTE, DELETION, UPLOAD, PROFILE, RELAY_LIST, SERVER_LIST = 1, 5, 24_242, 0, 10_002, 10_063
_HEX: Final = re.compile(r"[0-9a-f]{64}")
_SIGNATURE: Final = re.compile(r"[0-9a-f]{128}")
_NO_RANDOMNESS: Final = bytes(32)
"""The nonce is made of key and event alone, so the same event has the same signature at every attempt."""


def is_id(value: Any) -> bool:
    """Whether a value is an id or a public key."""
    return isinstance(value, str) and _HEX.fullmatch(value) is not None


def public_key(private_key: str) -> str | None:
    """Return the public key of a private one, both in hex; None if it is not a private key."""
    from btclib_secp256k1 import xonly  # noqa: PLC0415 - 8 MB that only accounts of Nostr need

    try:
        return xonly.from_prvkey(bytes.fromhex(private_key))[0].hex()
    except ValueError:
        return None


def signed(private_key: str, created_at: int, kind: int, tags: Sequence[Sequence[str]], content: str) -> dict[str, Any]:
    """Return an event with its id and signature; the same arguments make the same event."""
    from btclib_secp256k1 import ssa  # noqa: PLC0415 - as above

    event = {
        "pubkey": public_key(private_key) or "", "created_at": created_at, "kind": kind,
        "tags": [list(tag) for tag in tags], "content": content,
    }  # fmt: skip
    digest = digest_of(event)
    signature = ssa.sign(digest, bytes.fromhex(private_key), _NO_RANDOMNESS)
    return {"id": digest.hex(), **event, "sig": signature.hex()}


def digest_of(event: Mapping[str, Any]) -> bytes:
    """Return the hash that is the id of an event."""
    members = [0, *(event[name] for name in ("pubkey", "created_at", "kind", "tags", "content"))]
    return hashlib.sha256(msgspec.json.encode(members)).digest()


def genuine(event: Any, pubkey: str) -> Mapping[str, Any] | None:
    """Return what a relay calls an event if this key signed it; else None."""
    from btclib_secp256k1 import ssa  # noqa: PLC0415 - as above

    if not isinstance(event, dict) or event.get("pubkey") != pubkey or not _is_event(event):
        return None
    digest = digest_of(event)
    is_valid = ssa.verify(digest, bytes.fromhex(pubkey), bytes.fromhex(event["sig"]))
    return event if digest.hex() == event["id"] and is_valid else None


def _is_event(event: Mapping[str, Any]) -> bool:
    tags, signature = event.get("tags"), event.get("sig")
    return (
        is_id(event.get("id"))
        and isinstance(signature, str) and _SIGNATURE.fullmatch(signature) is not None
        and all(type(event.get(name)) is int and event[name] >= 0 for name in ("created_at", "kind"))
        and isinstance(event.get("content"), str)
        and isinstance(tags, list)
        and all(isinstance(tag, list) and all(isinstance(item, str) for item in tag) for tag in tags)
    )  # fmt: skip


def values(event: Mapping[str, Any] | None, name: str) -> list[Sequence[str]]:
    """Return the tags of this name that have a value, without the name."""
    tags = () if event is None else event["tags"]
    return [tag[1:] for tag in tags if len(tag) > 1 and tag[0] == name]
