"""What becomes of pages that came with an archive, which may come from anybody."""

from typing import Final
from uuid import UUID

from signalpost.kit.db import Db
from signalpost.link_pages.actions.manage import RESERVED
from signalpost.link_pages.schemas import SLUG_LENGTH_MAX, SLUG_PATTERN

_HIDE: Final = "update link_page set is_published = false where workspace_id = $1"
_KEEP_ORDINARY: Final = """
delete from link_page_slug
where workspace_id = $1 and (left_at is not null or length(slug) not between 3 and $2 or slug !~ $3 or slug = any($4))
"""
_REPLACE: Final = """
insert into link_page_slug (slug, workspace_id, profile_id)
select 'imported-' || translate(gen_random_uuid()::text, '-', ''), l.workspace_id, l.profile_id
from link_page l
where l.workspace_id = $1 and not exists (select from link_page_slug s where s.profile_id = l.profile_id)
"""


async def hold_imported(db: Db, workspace_id: UUID) -> None:
    """Publish none of the pages: whoever does has their links checked. One whose address is taken gets another one."""
    await db.execute(_HIDE, workspace_id)
    await db.execute(_KEEP_ORDINARY, workspace_id, SLUG_LENGTH_MAX, SLUG_PATTERN, sorted(RESERVED))
    await db.execute(_REPLACE, workspace_id)
