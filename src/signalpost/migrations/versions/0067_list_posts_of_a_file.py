"""The posts that use a file are read from the index of files."""

from signalpost.migrations import sql

revision = "0067"
down_revision = "0066"

SQL = """
-- With the rights of the owner, since a policy would be evaluated before a condition on arrays, which then finds no
-- index.
create function posts_using(p_workspace uuid, p_media uuid) returns setof uuid
language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
    if may_see(p_workspace) then
        return query
            select p.id from post p
            where p.media_ids @> array[p_media] and p.media_ids <> '{}' and p.workspace_id = p_workspace
                and p.deleted_at is null;
    end if;
end $$;
"""


def upgrade() -> None:
    sql.execute(SQL)
