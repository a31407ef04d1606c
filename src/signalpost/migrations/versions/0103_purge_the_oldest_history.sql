-- A purge looks at the oldest p_limit seals of a workspace: seals are written in the order of their numbers, so what
-- follows a young one is younger. Before, a workspace without old history had all of it read at each step. The rows are
-- deleted by lists of their keys, which the primary keys serve whatever is known of the tables: a join was planned by
-- statistics, and those of a workspace that grew lately compared each of its rows with each of the oldest.
create or replace function purge_audit(p_workspace uuid, p_before timestamptz, p_limit integer) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
    before timestamptz := least(p_before, now() - interval '30 days');
    numbers bigint[];
    entries uuid[];
    purged bigint;
begin
    select array_agg(seq), array_agg(audit_id) into numbers, entries
    from (
        select seq, audit_id, sealed_at from audit_seal where workspace_id = p_workspace order by seq limit p_limit
    ) oldest
    where sealed_at < before and time_of_id(audit_id) < before;
    perform set_config('signalpost.audit_purge', 'on', true);
    delete from audit_seal where workspace_id = p_workspace and seq = any(numbers);
    delete from audit where workspace_id = p_workspace and id = any(entries);
    get diagnostics purged = row_count;
    perform set_config('signalpost.audit_purge', 'off', true);
    return purged;
end $$;
