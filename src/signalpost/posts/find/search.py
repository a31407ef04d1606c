"""Searching the texts of posts: which posts may contain a string, by an index of trigrams (decision 0351).

The index is behind the posts by minutes. What it does not know yet is added: the newest posts, and those whose text was
changed. So whoever reads what is returned here compares the texts themselves, with `condition`.
"""

from typing import Any, Final, NamedTuple
from uuid import UUID

from signalpost.kit.db import Db

Condition = tuple[str, tuple[Any, ...]]
"""A condition in SQL, with a "$" for each of its values."""

_INDEXED: Final = "select posts_containing($1, $2, $3)"
FOUND_MAX: Final = 5_000
"""A string that more posts contain is frequent: looking at the newest posts fills a page sooner."""
_PENDING_MAX: Final = 2_000
_TAIL_MAX: Final = 5_000
# Trigrams are made of letters and digits: a string must have three in a row. `pg_trgm` asks the C library what a letter
# is, and that knows only ASCII in the locale C.
_STATE: Final = """
select coalesce((select indisvalid from pg_index where indexrelid = to_regclass('public.post_text_search')), false)
        and lower($2) ~ case when d.datctype in ('C', 'POSIX') then '[a-z0-9]{3}' else '[[:alnum:]]{3}' end,
    g.through_at, g.through_id, array(select pending_searches($1, $3))
from pg_database d left join search_progress g on g.workspace_id = $1
where d.datname = current_database()
"""
_TAIL: Final = """
select count(*), array_agg(id) filter (where strpos(lower(concat_ws(' ', title, text)), lower($4)) > 0)
from (
    select id, title, text from post
    where workspace_id = $1 and deleted_at is null and (created_at, id) > ($2, $3)
    order by created_at, id limit $5) p
"""


class TextQuery(NamedTuple):
    """The search for a text in the posts of a workspace."""

    workspace_id: UUID
    text: str

    @property
    def condition(self) -> Condition:
        """That title or text contain it, in any case."""
        return "strpos(lower(concat_ws(' ', p.title, p.text)), lower($)) > 0", (self.text,)

    async def candidates(self, db: Db) -> list[UUID] | None:
        """Return posts of which every one that contains the text is one; None: they are not found by the index.

        That is so for what too many contain, for what has no three letters or digits in a row, where texts are not
        indexed yet, and on a server without the extension.
        """
        ((is_indexable, at, post_id, pending),) = await db.fetch(_STATE, self.workspace_id, self.text, _PENDING_MAX)
        if not is_indexable or at is None or len(pending) == _PENDING_MAX:
            return None
        ((newer, containing),) = await db.fetch(_TAIL, self.workspace_id, at, post_id, self.text, _TAIL_MAX)
        if newer == _TAIL_MAX:
            return None
        indexed = [row[0] for row in await db.fetch(_INDEXED, self.workspace_id, self.text, FOUND_MAX)]
        if indexed and indexed[-1] is None:
            return None
        return [*indexed, *pending, *(containing or ())]
