"""Public keys and signatures of Nostr, from BIP-340 with integers alone: it shares nothing with any client.

Points are Jacobian: (x, y, z) stands for (x / z², y / z³), and z = 0 for the point at infinity.
"""

import hashlib
from functools import lru_cache

FIELD = 2**256 - 2**32 - 977
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
Point = tuple[int, int, int]
BASE: Point = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
    1,
)
INFINITY: Point = (0, 1, 0)


def _double(point: Point) -> Point:
    x, y, z = point
    square = y * y % FIELD
    s, m = 4 * x * square % FIELD, 3 * x * x % FIELD
    new_x = (m * m - 2 * s) % FIELD
    return new_x, (m * (s - new_x) - 8 * square * square) % FIELD, 2 * y * z % FIELD


def _add(first: Point, second: Point) -> Point:
    (x1, y1, z1), (x2, y2, z2) = first, second
    if not z1 or not z2:
        return second if not z1 else first
    zz1, zz2 = z1 * z1 % FIELD, z2 * z2 % FIELD
    u1, u2 = x1 * zz2 % FIELD, x2 * zz1 % FIELD
    s1, s2 = y1 * zz2 * z2 % FIELD, y2 * zz1 * z1 % FIELD
    if u1 == u2:
        return _double(first) if s1 == s2 else INFINITY
    h, r = u2 - u1, s2 - s1
    hh = h * h % FIELD
    hhh, v = hh * h % FIELD, u1 * hh % FIELD
    x = (r * r - hhh - 2 * v) % FIELD
    return x, (r * (v - x) - s1 * hhh) % FIELD, h * z1 * z2 % FIELD


def _sum(first: int, second: int, point: Point) -> Point:
    """Return `first` times the base and `second` times a point."""
    both, result = _add(BASE, point), INFINITY
    for bit in range(255, -1, -1):
        result = _double(result)
        a, b = first >> bit & 1, second >> bit & 1
        if a or b:
            result = _add(result, both if a and b else BASE if a else point)
    return result


def _affine(point: Point) -> tuple[int, int]:
    x, y, z = point
    inverse = pow(z, -1, FIELD)
    return x * inverse**2 % FIELD, y * inverse**3 % FIELD


def _lifted(x: int) -> Point | None:
    """Return the point with this x and an even y."""
    square = (pow(x, 3, FIELD) + 7) % FIELD
    y = pow(square, (FIELD + 1) // 4, FIELD)
    if x >= FIELD or y * y % FIELD != square:
        return None
    return x, y if y % 2 == 0 else FIELD - y, 1


def public_key(private_key: bytes) -> str:
    number = int.from_bytes(private_key)
    return f"{_affine(_sum(number, 0, BASE))[0]:064x}"


@lru_cache(maxsize=4_096)
def is_signed(digest: bytes, pubkey: str, signature: str) -> bool:
    """Return whether a signature of these 32 bytes is that of the key."""
    point, signed = _lifted(int(pubkey, 16)), bytes.fromhex(signature)
    r, s = int.from_bytes(signed[:32]), int.from_bytes(signed[32:])
    if point is None or r >= FIELD or s >= ORDER:
        return False
    tag = hashlib.sha256(b"BIP0340/challenge").digest()
    challenge = hashlib.sha256(tag + tag + signed[:32] + bytes.fromhex(pubkey) + digest).digest()
    sum_of_points = _sum(s, ORDER - int.from_bytes(challenge) % ORDER, point)
    if not sum_of_points[2]:
        return False
    x, y = _affine(sum_of_points)
    return y % 2 == 0 and x == r
