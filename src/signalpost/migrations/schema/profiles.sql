-- Profiles and the links between them.

-- A brand or client of a workspace: its accounts, zone and rules.
create table profile (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    name text not null,
    slug text not null,
    avatar_url text,
    description text,
    color text,
    timezone text not null,
    language text,
    default_hashtags text[] not null default '{}',
    watermark_media_id uuid,
    late_tolerance_minutes integer not null default 720, -- what is later than that is not published
    min_gap_seconds integer not null default 60,
    approval_required boolean not null default false,
    external_id text,
    metadata jsonb not null default '{}',
    is_default boolean not null default false,
    over_limit boolean not null default false, -- more than the plan covers
    version integer not null default 1,    -- compare-and-set of changes
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz,
    zone_chosen boolean not null default false, -- as in workspace
    -- someone set the gap; a default is for a backlog only. A gap other than 60 was set, whatever this says
    gap_chosen boolean not null default false
);
create unique index profile_name on profile (workspace_id, lower(name)) where deleted_at is null;
create unique index profile_slug on profile (workspace_id, slug) where deleted_at is null;
create index profile_listing on profile (workspace_id, created_at desc, id desc) where deleted_at is null;

-- What a post is built from, as a number: what a create has read still holds if it is the same (decision 0064). A
-- column that the read of a create gets is one of these too.
create function profile_digest(p profile) returns bigint language sql immutable parallel safe as $$
    select hash_record_extended(row(p.id, p.timezone, p.approval_required, p.over_limit, p.version), 0)
$$;

-- The advisory lock of a profile: shared by transactions that write posts of it, taken alone by whoever deletes it or
-- disconnects one of its accounts, and then has to find all posts. In a form that PostgreSQL can inline.
create function profile_lock(p_profile uuid) returns bigint language sql immutable parallel safe as $$
    select hashtextextended('profile:' || p_profile::text, 0)
$$;

-- What is published by the parent is posted again by the child.
create table profile_link (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    parent_profile_id uuid not null references profile,
    child_profile_id uuid not null references profile,
    rules jsonb not null,
    active boolean not null default true,
    created_by jsonb not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz
);
create unique index profile_link_child on profile_link (child_profile_id) where deleted_at is null;
create index profile_link_parent on profile_link (parent_profile_id) where deleted_at is null;
create index profile_link_listing on profile_link (workspace_id, created_at desc, id desc) where deleted_at is null;

-- What became of each post that a link dealt with.
create table profile_link_history (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    link_id uuid not null,
    action text not null check (action in ('linked', 'rules_updated', 'unlinked', 'reposted', 'repost_skipped',
        'repost_failed')),
    parent_profile_id uuid not null,
    child_profile_id uuid not null,
    source_post_id uuid,
    created_post_id uuid,
    reason text,
    actor jsonb not null,
    created_at timestamptz not null default now()
);
create index profile_link_history_listing on profile_link_history (workspace_id, created_at desc, id desc);
-- A link deals with a post once, however often it is asked to.
create unique index profile_link_history_repost on profile_link_history (link_id, source_post_id)
    where source_post_id is not null;
