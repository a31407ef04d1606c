"""The index of the texts of posts. It is not a revision, because it needs extensions that a server may not have yet.

Both are trusted: whoever may create objects in the database may create them, if the server has their files.
"""

from typing import Final

import asyncpg

from signalpost.kit import log
from signalpost.kit.db import Db

EXTENSIONS: Final = ("pg_trgm", "btree_gin")
IS_READY: Final = """
select coalesce((select indisvalid from pg_index where indexrelid = to_regclass('public.post_text_search')), false)
"""
KNOWS_LETTERS: Final = """
select datctype not in ('C', 'POSIX') from pg_database where datname = current_database()
"""
"""Otherwise letters beyond ASCII are none for `pg_trgm`."""
_SCHEMA: Final = """
select quote_ident(n.nspname) from pg_opclass o join pg_namespace n on n.oid = o.opcnamespace
where o.opcname = 'gin_trgm_ops'
"""
# The workspace comes first, so nobody reads the words of others; a number of texts after it (see `posts_containing`).
# New texts wait in a list that searches read too, so it is kept short.
_INDEX: Final = """
create index post_text_search on public.post_text
using gin ((workspace_id::text || '/' || shard::text), folded {schema}.gin_trgm_ops)
with (gin_pending_list_limit = 512)
"""
_IMPOSSIBLE: Final = (
    asyncpg.InsufficientPrivilegeError,
    asyncpg.FeatureNotSupportedError,  # the server has no such extension
    asyncpg.UndefinedFileError,  # the same, before PostgreSQL 16
    asyncpg.LockNotAvailableError,  # a transaction has been open for minutes
)
_logger = log.get("migrations")


async def ensure(connection: Db) -> bool:
    """Make the index if it is missing and can be made; return whether it is there.

    Meanwhile no text can be written or deleted: seconds for 100,000 of them, if the extensions came later.
    """
    if await connection.fetchval(IS_READY):
        return True
    try:
        for name in EXTENSIONS:
            await connection.execute(f"create extension if not exists {name}")
        await connection.execute(_INDEX.format(schema=await connection.fetchval(_SCHEMA)))
    except _IMPOSSIBLE as error:
        _logger.warning("search.not_indexed", reason=str(error), advice="signalpost doctor")
        return False
    return True
