-- outside a transaction
create index concurrently if not exists post_undecided on post (workspace_id, created_at desc, id desc)
    where deleted_at is null and approval ->> 'state' in ('pending', 'changes_requested', 'rejected');
