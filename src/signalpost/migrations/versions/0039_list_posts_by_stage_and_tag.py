"""A page of posts by status, by tag, or of a range of time is read from an index."""

from signalpost.migrations import sql

revision = "0039"
down_revision = "0038"

SQL = """
-- The status for indexes. A post that begins to be published stays active, and one that is published or has failed in
-- part leaves its indexes anyway, by `published_at`: so no change of the status writes indexes that were left alone.
alter table post add column stage text generated always as (
    case when status in ('queued', 'publishing') then 'active' else status end) stored;
create index post_stage on post (workspace_id, stage, created_at desc, id desc) where deleted_at is null;

-- Posts with a time of their own that wait for it. Those that are published at once are in it no longer.
drop index post_waiting;
create index post_waiting on post (workspace_id, scheduled_at)
    where stage in ('draft', 'scheduled') and deleted_at is null;

-- Few posts have a time before their creation: drafts, and those that were due within the last minute.
create index post_backdated on post (workspace_id, created_at desc, id desc)
    where coalesce(scheduled_at, published_at, created_at) < created_at and deleted_at is null;

-- Tags with their workspace: an entry holds posts of one workspace only.
create function tag_keys(p_workspace uuid, p_tags text[]) returns text[]
language plpgsql immutable strict parallel safe as $$
begin
    return array(select p_workspace || tag from unnest(p_tags) as tag);
end $$;
create index post_tags on post using gin (tag_keys(workspace_id, tags)) with (gin_pending_list_limit = 256)
    where tags <> '{}';

-- The posts of a workspace that have a tag. With the rights of the owner, since a policy would be evaluated before a
-- condition on arrays, which then finds no index.
create function posts_tagged(p_workspace uuid, p_tag text) returns setof uuid
language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
    if may_see(p_workspace) then
        return query
            select p.id from post p
            where tag_keys(p.workspace_id, p.tags) @> array[p_workspace || p_tag] and p.tags <> '{}'
                and p.workspace_id = p_workspace and p.deleted_at is null;
    end if;
end $$;
"""


def upgrade() -> None:
    sql.execute(SQL)
