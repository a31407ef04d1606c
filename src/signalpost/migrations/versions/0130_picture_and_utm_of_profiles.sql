-- A profile has a picture of the library, and campaign parameters for the links of its posts: decision 0358.
alter table profile
    add column avatar_media_id uuid,       -- goes before avatar_url
    add column default_utm jsonb;          -- of posts that are created without parameters; null: none

-- The picture of a profile is used as long as its watermark is.
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
                where f.workspace_id = p_workspace and m.id in (f.watermark_media_id, f.avatar_media_id)
                    and f.deleted_at is null
            ) w
            where u.posts + w.profiles > 0;
    end if;
end $$;
