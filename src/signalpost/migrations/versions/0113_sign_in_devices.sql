-- A program without a browser asks for an API key, and a person who is signed in grants it.
create table device_login (
    id uuid primary key,
    device_hash bytea not null unique,     -- keyed digests: a copy of this table asks for nothing
    user_hash bytea not null unique,
    device_name text not null,
    address text not null,                 -- from where it was asked for
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    interval_seconds smallint not null,
    polled_at timestamptz,
    state text not null default 'pending' check (state in ('pending', 'approved', 'refused')),
    key_id uuid references api_key on delete cascade,
    sealed_key bytea,                      -- until the program takes it; then the row is gone
    check ((state = 'approved') = (key_id is not null and sealed_key is not null))
);
create index device_login_expires on device_login (expires_at);
create index device_login_key on device_login (key_id) where key_id is not null;
