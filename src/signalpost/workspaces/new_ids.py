"""Other ids for rows that are imported beside those they were exported from. Pure."""

import re
import secrets
from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import UUID

from signalpost.kit import ids

_RANDOM_BITS: Final = 62
"""The last bits of an id are random; its time and version stay as they are, and so does its place in lists."""
_OUTSIDE: Final = re.compile(r"(wsp|prof|med|acc|lnk|slq|whk|pst|tgt)_[0-9A-HJKMNP-TV-Z]{26}")
_IN_DOCUMENTS: Final = frozenset({"media_id", "thumbnail_media_id"})
"""Members of JSON columns that hold the id of a row."""
_DOCUMENTS: Final = frozenset({"post.media", "post.thread", "target.media", "link_page.links"})
"""The columns that have them. Other JSON belongs to users or networks, and only ids as the API shows them are ours."""
_PATHS: Final = frozenset({"storage_path", "thumbnail_path"})
_OF_PEOPLE: Final = frozenset({"created_by_user_id"})
"""Columns that name a user of the instance where the row was exported."""

Row = dict[str, Any]


class NewIds:
    """Changes every id in the same way, so that rows which belonged together still do; nothing has to be remembered."""

    def __init__(self, mask: int) -> None:
        self._mask = mask

    @classmethod
    def unchanged(cls) -> "NewIds":
        """Ids stay as they are."""
        return cls(0)

    @classmethod
    def fresh(cls) -> "NewIds":
        """Return other ids than anybody can foresee."""
        return cls(secrets.randbits(_RANDOM_BITS) or 1)

    @property
    def are_kept(self) -> bool:
        """Whether ids stay as they are."""
        return self._mask == 0

    def of(self, old: UUID) -> UUID:
        """Return the new id."""
        return UUID(int=old.int ^ self._mask)

    def in_text(self, text: str) -> str:
        """Return the text with new ids for those in it, as the API or a path shows them."""
        return _OUTSIDE.sub(self._of_match, text)

    def _of_match(self, match: re.Match[str]) -> str:
        old = ids.decode(match[1], match[0])
        return match[0] if old is None else ids.encode(match[1], self.of(old))

    def row(self, table: str, row: Row, types: Mapping[str, str]) -> Row:
        """Return a row with new ids; `types`: of its columns.

        Raises:
            ValueError: an id is none.
        """
        return {name: self._value(table, name, value, types[name]) for name, value in row.items()}

    def _value(self, table: str, name: str, value: Any, kind: str) -> Any:
        if name in _OF_PEOPLE or value is None:
            return None
        convert: Callable[[Any], Any] | None = {"uuid": self._id, "uuid[]": self._ids}.get(kind)
        if convert is not None:
            return convert(value)
        if kind == "jsonb":
            return self._document(value, has_ids=f"{table}.{name}" in _DOCUMENTS)
        return self.in_text(value) if name in _PATHS and isinstance(value, str) else value

    def _id(self, value: Any) -> str:
        return str(self.of(UUID(str(value))))

    def _ids(self, values: Any) -> list[str]:
        if not isinstance(values, list):
            raise ValueError(f"{str(values)[:100]!r} is no list of ids")  # noqa: TRY004 - as any other wrong value
        return [self._id(value) for value in values]

    def _document(self, value: Any, *, has_ids: bool) -> Any:
        match value:
            case dict():
                return {
                    key: self._id(entry)
                    if has_ids and key in _IN_DOCUMENTS and isinstance(entry, str)
                    else self._document(entry, has_ids=has_ids)
                    for key, entry in value.items()
                }
            case list():
                return [self._document(entry, has_ids=has_ids) for entry in value]
            case str() if _OUTSIDE.fullmatch(value):
                return self.in_text(value)
        return value
