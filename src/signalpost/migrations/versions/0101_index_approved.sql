-- outside a transaction
create index concurrently if not exists post_approved on post (workspace_id, created_at desc, id desc)
    where deleted_at is null and approval ->> 'state' = 'approved';
