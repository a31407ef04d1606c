"""Other forms of a file, made for networks that would refuse it as it is."""

from signalpost.migrations import sql

revision = "0034"
down_revision = "0033"

SQL = """
alter table media add column variants jsonb not null default '[]';

-- As before, and the watermark of a profile waits for its use like a post that is not published yet.
create or replace function media_uses(p_workspace uuid, p_media uuid[])
returns table (media_id uuid, posts bigint, waiting bigint, live bigint)
language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
    if may_see(p_workspace) then
        return query
            select m.id, u.posts, u.waiting + w.profiles, u.live
            from unnest(p_media) as m(id)
            cross join lateral (
                select count(*) as posts,
                    count(*) filter (where p.status not in ('published', 'partial', 'failed')) as waiting,
                    count(*) filter (where p.mode = 'live') as live
                from post p
                where p.media_ids @> array[m.id] and p.media_ids <> '{}' and p.workspace_id = p_workspace
                    and p.deleted_at is null
            ) u
            cross join lateral (
                select count(*) as profiles from profile f
                where f.workspace_id = p_workspace and f.watermark_media_id = m.id and f.deleted_at is null
            ) w
            where u.posts + w.profiles > 0;
    end if;
end $$;
"""


def upgrade() -> None:
    sql.execute(SQL)
