"""Slugs: names reduced to what stands well in an address."""

import re
import unicodedata


def slugify(name: str, *, length_max: int, default: str) -> str:
    """Return `name` in lower-case ASCII letters, digits and single hyphens; `default` if nothing is left of it."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:length_max].strip("-") or default
