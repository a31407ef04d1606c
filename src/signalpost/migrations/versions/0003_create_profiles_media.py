"""Profiles, links between them, media."""

from signalpost.migrations import sql

revision = "0003"
down_revision = "0002"

SQL = """
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
    late_tolerance_minutes integer not null default 720,
    min_gap_seconds integer not null default 60,
    approval_required boolean not null default false,
    external_id text,
    metadata jsonb not null default '{}',
    is_default boolean not null default false,
    over_limit boolean not null default false,
    version integer not null default 1,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz
);
create unique index profile_name on profile (workspace_id, lower(name)) where deleted_at is null;
create unique index profile_slug on profile (workspace_id, slug) where deleted_at is null;
create index profile_listing on profile (workspace_id, created_at desc, id desc) where deleted_at is null;

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

create table profile_link_history (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    link_id uuid not null,
    action text not null check (action in
        ('linked', 'rules_updated', 'unlinked', 'reposted', 'repost_skipped', 'repost_failed')),
    parent_profile_id uuid not null,
    child_profile_id uuid not null,
    source_post_id uuid,
    created_post_id uuid,
    reason text,
    actor jsonb not null,
    created_at timestamptz not null default now()
);
create index profile_link_history_listing on profile_link_history (workspace_id, created_at desc, id desc);

create table media (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    profile_id uuid references profile,
    kind text not null check (kind in ('image', 'video', 'gif', 'document', 'audio')),
    file_name text not null,
    mime_type text not null,
    size_bytes bigint not null,
    sha256 bytea not null,
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
    deleted_at timestamptz
);
create unique index media_storage_path on media (storage_path);
create index media_due on media (expires_at) where expires_at is not null;
create index media_listing on media (workspace_id, created_at desc, id desc) where deleted_at is null;
"""


def upgrade() -> None:
    sql.execute(SQL)
