-- Comments that come back to the inbox later, and lists that read a bounded part of an index.
alter table comment add column snoozed_until timestamptz; -- when it comes back; it is listed by this time
-- What stands in an inbox is ordered by when it came, or came back. `greatest` passes over null.
drop index comment_listing;
create index comment_listing on comment (workspace_id, greatest(created_at, snoozed_until) desc, id desc)
    where not is_own;
create index comment_open on comment (workspace_id, greatest(created_at, snoozed_until) desc, id desc)
    where not is_own and state = 'open';
create index comment_profile on comment (profile_id, greatest(created_at, snoozed_until) desc, id desc)
    where not is_own;
create index comment_account on comment (account_id, greatest(created_at, snoozed_until) desc, id desc)
    where not is_own;
create index comment_profile_open on comment (profile_id, greatest(created_at, snoozed_until) desc, id desc)
    where not is_own and state = 'open';
