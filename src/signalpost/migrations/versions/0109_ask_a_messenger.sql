-- Bots whose messages are asked for: what they are called, and how far they were read.
create table messenger_bot (
    bot_id text primary key,
    username text not null,
    position bigint,                       -- the number of the first message to ask for; null: whatever waits
    asked_at timestamptz not null default now(), -- what came before was read
    named_at timestamptz not null default now()
);
