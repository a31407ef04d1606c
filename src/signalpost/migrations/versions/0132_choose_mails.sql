-- A person chooses what they are mailed, and when no mail comes: decision 0359.
alter table app_user
    add column mail_off text[] not null default '{}',  -- topics of mails that they do not want
    add column quiet_hours jsonb;          -- start, end, timezone: mails of topics wait; null: none
