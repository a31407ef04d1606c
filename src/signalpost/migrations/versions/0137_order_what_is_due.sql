-- outside a transaction
-- Posts of an account that are due at the same moment had one place in `target_due`, a list that PostgreSQL neither reads
-- in order nor rids of those that are published: each post read all of them (decision 0468).
create index concurrently if not exists target_queue on target (account_id, next_attempt_at, id)
    where next_attempt_at is not null;
