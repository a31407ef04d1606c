-- Feeds whose new items become posts, and what was seen in them. A feed is its own job: it is read when it is due.
create table feed (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    profile_id uuid not null references profile,
    mode text not null check (mode in ('live', 'test')),
    url text not null,                     -- as it was entered: of a feed, or of a page that names one
    feed_url text,                         -- where it is read; null: it has not been found yet
    title text,
    account_ids uuid[],                    -- null: all of the profile
    template text not null,
    include text[] not null,               -- an item needs one of these words, if there are any
    exclude text[] not null,
    publish_mode text not null check (publish_mode in ('draft', 'slot', 'now')),
    queue_id uuid,
    daily_max integer not null,
    latest integer not null,               -- how many of the items that were there before become posts
    state text not null check (state in ('active', 'paused', 'held')),
    held_reason text,
    etag text,                             -- this and the next one: of the last response, for a conditional request
    last_modified text,
    failures integer not null default 0,   -- in a row
    last_error text,
    last_read_at timestamptz,
    document_at timestamptz,               -- when it last came whole, not as "unchanged"
    next_attempt_at timestamptz,           -- null: paused or held
    scopes text[] not null,                -- this and the next three: what whoever answers for it could do then
    profile_ids uuid[],
    user_id uuid not null,
    key_id uuid,
    created_by jsonb not null,             -- who answers for it: made it, or changed it last
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1
) with (fillfactor = 80);
create index feed_listing on feed (workspace_id, created_at desc, id desc);
create unique index feed_once on feed (profile_id, mode, url);
create index feed_due on feed (id, next_attempt_at) where next_attempt_at is not null;

-- An item is known by its id and by its link. Its row is what makes it become one post at most.
create table feed_item (
    id uuid primary key,                   -- in the order of the items
    workspace_id uuid not null,
    feed_id uuid not null references feed on delete cascade,
    key_hash bytea not null,               -- SHA-256 of its id, else of its link
    link_hash bytea,                       -- null: another item has this link too
    content jsonb not null,                -- {title, summary, link, author, categories}
    published_at timestamptz,
    seen_at timestamptz not null,          -- last, to within some days
    created_at timestamptz not null,
    state text not null check (state in ('waiting', 'posted', 'before', 'filtered', 'refused', 'skipped')),
    reason text,
    post_id uuid,
    posted_at timestamptz
) with (fillfactor = 90);
create unique index feed_item_key on feed_item (feed_id, key_hash);
create unique index feed_item_link on feed_item (feed_id, link_hash) where link_hash is not null;
create index feed_item_listing on feed_item (feed_id, created_at desc, id desc);
create index feed_item_waiting on feed_item (feed_id, id) where state = 'waiting';
create index feed_item_posted on feed_item (feed_id, posted_at) where posted_at is not null;
create index feed_item_seen on feed_item (seen_at);
