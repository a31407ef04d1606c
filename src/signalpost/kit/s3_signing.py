"""Presigned uploads to S3 (Signature Version 4) that are bound to a type, a length and a checksum.

The client of the object store signs the host only: whoever has such a URL may store anything, of any size.
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime
from typing import Final
from urllib.parse import parse_qsl, quote, urlsplit, urlunsplit

SINGLE_PUT_BYTES_MAX: Final = 5 * 1024**3
"""The largest object that one PUT may make."""
_ALGORITHM: Final = "AWS4-HMAC-SHA256"
_UNRESERVED: Final = "-_.~"


def bound_headers(*, content_type: str, size: int, sha256: bytes) -> dict[str, str]:
    """Return the headers that an upload must have, besides its host; the store compares the content with them."""
    return {
        "Content-Length": str(size),
        "Content-Type": content_type,
        "X-Amz-Checksum-Sha256": base64.b64encode(sha256).decode(),
    }


def presign_put(presigned: str, *, headers: Mapping[str, str], secret_key: str, now: datetime, seconds: int) -> str:
    """Return the URL of a PUT that the store accepts with exactly these headers, for so many seconds.

    Args:
        presigned: a URL for the same object and key that the client of the store has signed; it knows host and region.
        headers: what is signed besides the host; the store compares them with those that arrive.
        secret_key: that of the key in the URL.
        now: when the seconds begin.
        seconds: at most a week.
    """
    parts = urlsplit(presigned)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    _, region, service = query["X-Amz-Credential"].split("/", 1)[1].split("/")[:3]
    stamp = now.strftime("%Y%m%dT%H%M%SZ")
    scope = f"{stamp[:8]}/{region}/{service}/aws4_request"
    signed = {"host": parts.netloc} | {name.lower(): value.strip() for name, value in headers.items()}
    query |= {
        "X-Amz-Credential": f"{query['X-Amz-Credential'].partition('/')[0]}/{scope}",
        "X-Amz-Date": stamp,
        "X-Amz-Expires": str(seconds),
        "X-Amz-SignedHeaders": ";".join(sorted(signed)),
    }
    del query["X-Amz-Signature"]
    canonical_query = "&".join(
        f"{quote(name, safe=_UNRESERVED)}={quote(value, safe=_UNRESERVED)}" for name, value in sorted(query.items())
    )
    lines = [
        "PUT",
        parts.path,
        canonical_query,
        *(f"{name}:{signed[name]}" for name in sorted(signed)),
        "",
        query["X-Amz-SignedHeaders"],
        "UNSIGNED-PAYLOAD",
    ]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    signature = _hmac(_key(secret_key, scope), f"{_ALGORITHM}\n{stamp}\n{scope}\n{digest}").hex()
    return urlunsplit(parts._replace(query=f"{canonical_query}&X-Amz-Signature={signature}"))


def _key(secret_key: str, scope: str) -> bytes:
    key = b"AWS4" + secret_key.encode()
    for part in scope.split("/"):
        key = _hmac(key, part)
    return key


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")
