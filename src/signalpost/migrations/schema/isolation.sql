-- Who sees which workspace. Roles, grants and policies of the tables are in `migrations/rights.py` and made by
-- `migrations/policies.py`: they can only be made where roles may be made, perhaps long after the tables.

-- Whether a connection that sees one workspace may name this one to a function that sees all of them. No workspace is
-- one that a request may not name.
create function may_see(p_workspace uuid) returns boolean language sql stable parallel safe as $$
    select current_setting('role') <> 'signalpost_service'
        or coalesce(p_workspace = nullif(current_setting('signalpost.tenant', true), '')::uuid, false)
$$;
