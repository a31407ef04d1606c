-- A seal covers up to 32 entries of a workspace: a row and two index entries for each entry of history were a tenth of
-- what a post makes the database write. The chain stays the same, of every entry; a seal has its state after the last.
-- `audit_id` is the newest of them, `seq` its number in the chain. Null: the seal covers that entry alone.
alter table audit_seal
    add column entries uuid[],             -- in the order of the chain
    add column checks bytea;               -- the first four bytes of each digest, by which one that was changed is found

-- As before, of seals that cover several entries: of the last one the rest goes with it.
create or replace function purge_audit(p_workspace uuid, p_before timestamptz, p_limit integer) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
    before timestamptz := least(p_before, now() - interval '30 days');
    numbers bigint[];
    purged bigint;
begin
    select array_agg(seq) into numbers
    from (
        select seq, audit_id, sealed_at, sum(coalesce(cardinality(entries), 1)) over (order by seq)
            - coalesce(cardinality(entries), 1) as preceding
        from (select * from audit_seal where workspace_id = p_workspace order by seq limit p_limit) oldest
    ) counted
    where preceding < p_limit and sealed_at < before and time_of_id(audit_id) < before;
    perform set_config('signalpost.audit_purge', 'on', true);
    with gone as (
        delete from audit_seal where workspace_id = p_workspace and seq = any(numbers) returning audit_id, entries
    )
    delete from audit where workspace_id = p_workspace and id = any(array(
        select unnest(coalesce(entries, array[audit_id])) from gone));
    get diagnostics purged = row_count;
    perform set_config('signalpost.audit_purge', 'off', true);
    return purged;
end $$;
