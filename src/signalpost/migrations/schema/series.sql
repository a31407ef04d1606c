-- Slots of a profile, and posts that repeat.

-- Times of the week at which a profile publishes what is put into the queue.
create table slot_queue (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    profile_id uuid not null references profile,
    name text not null,
    slots jsonb not null,                  -- [{time, days}]: wall times, 0 is Monday
    timezone text,                         -- null: the profile's
    active boolean not null default true,
    is_default boolean not null default false,
    version integer not null default 1,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);
create unique index slot_queue_name on slot_queue (profile_id, lower(name));
create unique index slot_queue_default on slot_queue (profile_id) where is_default;
create index slot_queue_listing on slot_queue (workspace_id, created_at desc, id desc);

-- The post that was given a slot last. Whether it still has it follows from the post: see `scheduling.queries`.
create table slot_reservation (
    queue_id uuid not null references slot_queue on delete cascade,
    at timestamptz not null,
    workspace_id uuid not null references workspace,
    post_id uuid not null unique references post on delete cascade,
    primary key (queue_id, at)
);

-- Posts that repeat: how far each series is.
create table recurrence_series (
    post_id uuid primary key references post on delete cascade,
    workspace_id uuid not null references workspace,
    last_local timestamp not null,         -- wall time of the last repetition that was created, or of the post itself
    look_at timestamptz not null           -- when the next one is created
);
create index recurrence_series_due on recurrence_series (look_at);
create index recurrence_series_workspace on recurrence_series (workspace_id, look_at);

-- Which post each repetition became.
create table recurrence_occurrence (
    parent_id uuid not null references post on delete cascade,
    local timestamp not null,              -- wall time in the zone of the rule
    workspace_id uuid not null references workspace,
    post_id uuid references post on delete set null,
    reason text,                           -- why there is no post
    primary key (parent_id, local)
);
create index recurrence_occurrence_post on recurrence_occurrence (post_id) where post_id is not null;
