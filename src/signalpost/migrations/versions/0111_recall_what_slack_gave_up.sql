-- What a messenger has given up while nobody was connected is looked for in the history of linked chats.
alter table messenger_bot
    add column missed_since timestamptz,   -- what was written from then on may be missing; null: nothing is
    add column missed_noted_at timestamptz, -- when that was noticed last
    add column missed_after uuid;          -- the link whose chat was looked at last; null: none yet
