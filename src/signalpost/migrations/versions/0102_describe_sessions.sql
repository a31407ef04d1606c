-- What a person needs to recognise a session of theirs.
alter table session
    add column user_agent text,            -- of the client that opened it; null: unknown
    add column last_used_at timestamptz;   -- noted once a minute; null: not since it was opened
