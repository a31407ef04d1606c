-- The public status of the service: components, incidents with updates, minutes by day, and who wants to hear of it.

-- The public status of the service, by component.
create table status_component (
    id uuid primary key,
    key text not null unique,
    name text not null,
    description text,
    group_name text,
    position integer not null default 0,
    status text not null default 'operational' check (status in ('operational', 'under_maintenance',
        'degraded_performance', 'partial_outage', 'major_outage')),
    platform text,
    automatic boolean not null default false, -- its status follows what is published and delivered
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);

insert into status_component (id, key, name, description, position, automatic)
select gen_random_uuid(), * from (values
    ('api', 'API', 'Requests to the API.', 1, false),
    ('dashboard', 'Dashboard', 'The web pages.', 2, false),
    ('queue', 'Publishing queue', 'Posts go out at their time.', 3, true),
    ('webhooks', 'Webhooks', 'Events are delivered.', 4, true),
    ('media', 'Media', 'Uploads and files.', 5, false)) as seed;

-- Incidents and maintenance that were announced.
create table status_incident (
    id uuid primary key,
    title text not null,
    kind text not null check (kind in ('incident', 'maintenance')),
    status text not null,
    impact text not null check (impact in ('none', 'minor', 'major', 'critical')),
    component_ids uuid[] not null,
    component_status text,                 -- what its components have while it is active; null: it changes none
    started_at timestamptz not null,
    scheduled_for timestamptz,
    scheduled_until timestamptz,
    ended_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);
create index status_incident_open on status_incident (created_at desc, id desc) where ended_at is null;
create index status_incident_ended on status_incident (ended_at desc, id desc) where ended_at is not null;

-- What was said of an incident.
create table status_update (
    id uuid primary key,
    incident_id uuid not null references status_incident on delete cascade,
    status text not null,
    body text not null,
    author text not null,
    created_at timestamptz not null default now()
);
create index status_update_incident on status_update (incident_id, created_at desc, id desc);

-- Minutes of a day by status, in the order of the check of status_component. One sample a minute adds one.
create table status_day (
    component_id uuid not null references status_component on delete cascade,
    day date not null,
    sampled integer[] not null default '{0,0,0,0,0}',
    filled integer[] not null default '{0,0,0,0,0}', -- minutes without a sample, as a backfill found them
    sampled_at timestamptz,                -- the newest minute: none is counted twice
    primary key (component_id, day)
) with (fillfactor = 50);

-- Who wants to hear of incidents, by mail or webhook.
create table status_subscriber (
    id uuid primary key,
    email text,
    mailbox text,                          -- the address without case and tag: what mails are limited by
    url text,
    secret bytea,                          -- of a webhook, sealed
    component_ids uuid[],                  -- null: all
    language text,
    active boolean not null,
    mailed_at timestamptz[] not null default '{}', -- confirmations that were sent within the last hour
    failures integer not null default 0,   -- deliveries in a row that failed for good
    created_at timestamptz not null default now(),
    network text,                          -- of a webhook: its /24 or /48
    heard_at timestamptz,                  -- when a webhook last listened
    check ((email is null) <> (url is null))
);
create index status_subscriber_mailbox on status_subscriber (mailbox) where mailbox is not null;
create index status_subscriber_waiting on status_subscriber (created_at) where not active;
create index status_subscriber_listed on status_subscriber (created_at desc, id desc);
