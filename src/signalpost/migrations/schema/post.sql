-- Posts, the accounts they go to, and each attempt to publish them.

-- Tags with their workspace: an entry holds posts of one workspace only.
create function tag_keys(p_workspace uuid, p_tags text[]) returns text[]
language plpgsql immutable strict parallel safe as $$
begin
    return array(select p_workspace || tag from unnest(p_tags) as tag);
end $$;

-- What somebody wants to be published, and when. To which accounts, and what became of it there, is in `target`. There
-- are no foreign keys and no checks of words here, in target and in attempt: workspaces, profiles and accounts are
-- never deleted, and PostgreSQL takes each key and parses each check again for every post, which was a third of
-- writing one (decision 0064). The words are Literal types of the program; tests check them in the database, too.
create table post (
    id uuid primary key,
    workspace_id uuid not null,
    profile_id uuid not null,
    title text,
    text text not null default '',
    -- [{media_id, alt_text?, thumbnail_media_id?, thumbnail_time_ms?, user_tags?}]
    media jsonb not null default '[]',
    media_ids uuid[] not null default '{}', -- every file of it, those of the thread and of targets included
    link text,
    thread jsonb not null default '[]',    -- [{text, media[]}]
    first_comment text,
    status text not null,                  -- draft | scheduled | queued | publishing | published | partial | failed
    -- {state, ...}: not_required | pending | approved | changes_requested | rejected
    approval jsonb not null default '{"state": "not_required"}',
    publish_mode text not null,            -- what was asked for: now | schedule | draft | slot
    scheduled_at timestamptz,              -- null: a draft without a time, or published at once
    -- the wall time that was asked for, kept with its zone: rules of zones change
    scheduled_local timestamp,
    timezone text not null,
    tzdata_version text,                   -- with which rules of zones scheduled_at was computed
    recurrence jsonb,                      -- the rule; of a post that repeats
    recurrence_parent_id uuid,             -- the post whose repetition it is
    source_post_id uuid,                   -- the post it was made from
    fanout_id uuid,                        -- posts of one fan-out have the same
    external_id text,                      -- the caller's own id, unique in its mode
    tags text[] not null default '{}',
    campaign text,
    utm jsonb,
    shorten_links boolean not null default false,
    notes text,
    options jsonb not null default '{}',
    auto_fit boolean not null default true,
    allow_duplicate boolean not null default false,
    warnings jsonb not null default '[]',
    created_by jsonb not null,             -- {type, id, name}
    created_by_user_id uuid,
    source text not null,                  -- api | dashboard | messaging | bulk | fanout | link | recurrence
    mode text not null,                    -- live | test
    counted boolean not null default false, -- one unit of the plan's posts is spent on it
    version integer not null default 1,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    queued_at timestamptz,                 -- when it was accepted to be published
    published_at timestamptz,              -- null again while it is published anew
    deleted_at timestamptz,                -- set: in the trash, until purge_at
    purge_at timestamptz,
    former_status text,                    -- what it was when it was trashed
    -- The status for indexes. A post that begins to be published stays active, and one that is published or has failed
    -- in part leaves its indexes anyway, by published_at: so no change of the status writes an index for its own sake.
    stage text generated always as (
        case when status in ('queued', 'publishing') then 'active' else status end) stored
) with (fillfactor = 80);
create index post_listing on post (workspace_id, created_at desc, id desc) where deleted_at is null;
create index post_profile_listing on post (profile_id, created_at desc, id desc) where deleted_at is null;
create index post_trash on post (workspace_id, deleted_at desc, id desc) where deleted_at is not null;
create index post_media on post using gin (media_ids) where media_ids <> '{}';
create index post_purge on post (purge_at) where purge_at is not null;
create index post_recurring on post (recurrence_parent_id) where recurrence_parent_id is not null;
create index post_source on post (source_post_id) where source_post_id is not null;
create unique index post_external on post (workspace_id, external_id, mode)
    where external_id is not null and deleted_at is null;
create index post_fanout on post (workspace_id, fanout_id) where fanout_id is not null;
create index post_stage on post (workspace_id, stage, created_at desc, id desc) where deleted_at is null;
-- Posts with a time of their own that wait for it. Those that are published at once are in it no longer.
create index post_waiting on post (workspace_id, scheduled_at)
    where stage in ('draft', 'scheduled') and deleted_at is null;
create index post_tags on post using gin (tag_keys(workspace_id, tags)) with (gin_pending_list_limit = 256)
    where tags <> '{}';
-- The order of `sort=scheduledAt`. A `case`: where a policy is on the table, PostgreSQL takes `coalesce` for something
-- that could tell of hidden rows, and reads all posts of the workspace. Setting published_at writes indexes anyway,
-- because of post_waiting.
create index post_moment on post (
    workspace_id,
    (case when scheduled_at is not null then scheduled_at
        when published_at is not null then published_at else created_at end) desc,
    id desc) where deleted_at is null;
-- Few posts have a moment before their creation: drafts, and those that were due within the last minute.
create index post_backdated on post (workspace_id, created_at desc, id desc)
    where case when scheduled_at is not null then scheduled_at
        when published_at is not null then published_at else created_at end < created_at and deleted_at is null;

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

-- A post on one account: a row is its own job. If next_attempt_at is set, work is waiting, and the lane of the account
-- wakes for it. intent and steps are the journal by which nothing is published twice.
create table target (
    id uuid primary key,
    post_id uuid not null,
    workspace_id uuid not null,
    account_id uuid not null,
    position smallint not null,            -- its place among the targets of the post
    platform text not null,
    -- pending | publishing | processing | published | retrying | unknown | failed | cancelled | removed
    status text not null,
    text text, media jsonb, title text, options jsonb, -- overrides; null: the post's
    scheduled_at timestamptz,              -- override of the post's time
    content_hash bytea not null,           -- account, normalised text, media hashes: duplicate guard
    due_at timestamptz,                    -- when it was to go out; null while the post is a draft
    next_attempt_at timestamptz,           -- set = work waits; null = nothing to do
    held_reason text,                      -- approval | account | plan: due, but not to be taken
    attempts integer not null default 0,
    tries integer not null default 0,      -- attempts since it was last accepted: pending starts anew
    crashes integer not null default 0,    -- attempts and looks in a row that never came to an end
    reconciles integer not null default 0, -- looks for an unknown outcome that could not tell
    -- the same at every attempt; another one when somebody publishes it again on purpose
    dedupe_key text not null,
    steps jsonb not null default '{}',     -- the journal: what was done, step by step
    intent jsonb,                          -- {step, value, at}: open = a create call may have been sent
    pending_state jsonb,                   -- {state, polls, since, intent}: while the network still works
    -- live | inbox | private: the last two are a draft at the network, no public post
    delivery text,
    remote_id text,                        -- of the first part, as the network calls it
    url text,
    thread_ids text[] not null default '{}', -- remote ids of the parts after the first
    first_comment jsonb not null default '{}', -- {status, ...}; {}: there is none
    error jsonb,
    started_at timestamptz,
    published_at timestamptz,
    removed_at timestamptz,
    updated_at timestamptz not null default now(),
    unique (post_id, account_id)
) with (fillfactor = 70);
create index target_due on target (account_id, next_attempt_at) where next_attempt_at is not null;
create index target_duplicates on target (content_hash);
-- Of all targets of an account, for lists of its posts; the published ones stand together.
create index target_account on target (account_id, published_at desc);

-- A part of a post as the journal has it, if it is public: its step has the remote id.
create function public_part(p_steps jsonb, p_index integer) returns jsonb language sql immutable parallel safe as $$
    select case when p_steps -> ('part:' || p_index) ? 'id' then p_steps -> ('part:' || p_index) end
$$;

-- The remote ids of the public parts after the first one, in their order.
create function public_thread_ids(p_steps jsonb) returns text[] language sql immutable parallel safe as $$
    select case when not p_steps ? 'part:1' then '{}' else array(
        select s.value ->> 'id' from jsonb_each(p_steps) as s(key, value)
        where s.key like 'part:%' and s.key <> 'part:0' and s.value ? 'id'
        order by substr(s.key, 6)::integer) end
$$;

-- The steps that stay when the content changes: those of public parts.
create function public_steps(p_steps jsonb) returns jsonb language sql immutable parallel safe as $$
    select coalesce(jsonb_object_agg(s.key, s.value), '{}') from jsonb_each(p_steps) as s(key, value)
    where s.key like 'part:%' and jsonb_typeof(s.value) = 'object' and s.value ? 'id'
$$;

-- Each try to publish a target, or to look what became of one, as its history shows it.
create table attempt (
    id uuid primary key,
    workspace_id uuid not null,
    post_id uuid not null,
    target_id uuid not null,               -- deleted with it, by a trigger
    number integer not null,
    kind text not null default 'publish' check (kind in ('publish', 'reconcile', 'poll')),
    owner uuid not null,                   -- the worker: fence
    content_hash bytea not null,
    started_at timestamptz not null default now(),
    intent_at timestamptz,                 -- just before the one call that publishes; null: nothing can be public
    finished_at timestamptz,
    duration_ms integer,
    outcome text,
    http_status integer,
    request jsonb,                         -- {method, host, path}
    response text,                         -- redacted, at most 4 KB
    error jsonb
) with (fillfactor = 80);
create index attempt_target on attempt (target_id, started_at);

-- What goes with posts that are deleted for good, for all posts of a statement at once: foreign keys would cost two
-- triggers for each post that is written. The audit log stays.
create function delete_rows_of_posts() returns trigger language plpgsql as $$
begin
    delete from attempt using target, deleted where attempt.target_id = target.id and target.post_id = deleted.id;
    delete from target using deleted where target.post_id = deleted.id;
    update post set recurrence_parent_id = null from deleted where post.recurrence_parent_id = deleted.id;
    update post set source_post_id = null from deleted where post.source_post_id = deleted.id;
    return null;
end $$;

create trigger delete_rows_of_posts after delete on post referencing old table as deleted
    for each statement execute function delete_rows_of_posts();
