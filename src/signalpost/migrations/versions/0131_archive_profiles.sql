-- A profile is archived when its work has ended for now: decision 0381.
alter table profile add column archived_at timestamptz; -- null: it is in use
