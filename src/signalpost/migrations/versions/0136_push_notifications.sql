-- Notifications that reach a person's devices while the console is closed (web push): decision 0466.
create table push_device (
    id uuid primary key,
    user_id uuid not null references app_user,
    session_id uuid not null unique references session on delete cascade,
    endpoint_hash bytea not null unique,   -- SHA-256: a browser has one subscription, whoever is signed in there
    service text not null,                 -- host of the push service
    subscription bytea not null,           -- sealed: its address at the push service, and the keys of the browser
    created_at timestamptz not null default now(),
    hour_began_at timestamptz not null default now(),
    hour_count integer not null default 0, -- notifications of that hour
    sent_at timestamptz,                   -- when the push service took the last one
    failing_since timestamptz,
    error text                             -- of the last one
);
create index push_device_user on push_device (user_id);

-- What a person does not want on their devices, as `mail_off` says it of mails.
alter table app_user add column push_off text[] not null default '{}';
