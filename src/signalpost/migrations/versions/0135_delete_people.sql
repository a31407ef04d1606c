-- A person deletes their account: the row stays, without what names them (decision 0459).
alter table app_user
    add column deleted_at timestamptz,     -- since then nobody signs in as them
    add column erased_at timestamptz;      -- since then no row of others names them any more
create index app_user_to_erase on app_user (deleted_at, id) where deleted_at is not null and erased_at is null;
