-- Files, and which posts use them.

-- Files. Their bytes are in the storage, under storage_path.
create table media (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    profile_id uuid references profile,
    kind text not null check (kind in ('image', 'video', 'gif', 'document', 'audio')),
    file_name text not null,
    mime_type text not null,
    size_bytes bigint not null,            -- as stored; while it is pending, what is reserved
    sha256 bytea not null,                 -- of the bytes as stored
    width integer,
    height integer,
    duration_ms integer,
    fps double precision,
    video_codec text,
    audio_codec text,
    storage_path text not null,
    thumbnail_path text,
    alt_text text,
    status text not null check (status in ('pending', 'uploaded', 'processing', 'ready', 'failed', 'deleted')),
    error jsonb,
    source_url text,
    created_by jsonb not null,
    created_by_user_id uuid,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    expires_at timestamptz,                -- when the engine looks at it; of a deleted one null: its bytes are gone
    deleted_at timestamptz,
    mode text not null default 'live' check (mode in ('live', 'test')),
    upload_method text check (upload_method in ('put', 'object', 'resumable')), -- null: it came with the request
    upload_bytes bigint,                   -- the announced size; size_bytes is what is reserved until then
    variants jsonb not null default '[]'   -- other forms of it, for networks that would refuse this one
);
create unique index media_storage_path on media (storage_path);
create index media_due on media (expires_at) where expires_at is not null;
create index media_listing on media (workspace_id, created_at desc, id desc) where deleted_at is null;

-- How many posts use each of these files: in all, not published yet, live. The watermark of a profile waits for its
-- use like a post that is not published yet. With the rights of the owner: a policy has to be evaluated before a
-- condition that could tell of foreign rows, and so the index on arrays would not be used.
create function media_uses(p_workspace uuid, p_media uuid[])
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
