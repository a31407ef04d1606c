-- A comment that could not be hidden waits alone: decision 0433.
alter table comment_rule_use add column retry_at timestamptz; -- not before; null: it has not failed
create index comment_rule_use_due on comment_rule_use (account_id, coalesce(retry_at, created_at), id)
    where hiding = 'pending';
drop index comment_rule_use_pending;
