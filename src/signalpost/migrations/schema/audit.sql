-- History: append-only, of every writing operation, sealed in a chain of hashes.

-- Who did what, append-only. Entries outlive their post.
create table audit (
    id uuid not null,
    workspace_id uuid not null,
    -- kept when the post is deleted for good: history outlives what it tells of
    post_id uuid,
    target_id uuid,
    at timestamptz not null default now(),
    action text not null,
    actor jsonb not null,
    changes jsonb,
    attempt jsonb,
    request_id text,
    subject text,                          -- public id of what was changed; null: the post
    address text,                          -- of the client
    primary key (workspace_id, id)
);
create index audit_post on audit (post_id, at, id) where post_id is not null;

-- One seal per row of the audit log, written in the background: nothing that writes history waits for the end of a
-- chain.
create table audit_seal (
    workspace_id uuid not null,
    seq bigint not null,
    audit_id uuid not null,
    previous bytea not null,               -- hash of the seal before; empty for the first one
    hash bytea not null,                   -- SHA-256 of previous and of the digest of the row
    sealed_at timestamptz not null default now(),
    primary key (workspace_id, seq),
    unique (workspace_id, audit_id)
);

-- What a hash covers: the text of these values in this order. A column that is added later belongs behind them, and
-- only where it is not null, so that the hashes of older rows stay. A JSON object costs three times as much.
create function audit_digest(a audit) returns bytea language sql immutable parallel safe as $$
    select sha256(convert_to(row(
        a.id, a.workspace_id, a.post_id, a.target_id, (date_part('epoch', a.at) * 1000000)::int8, a.action, a.actor,
        a.changes, a.attempt, a.request_id, a.subject, a.address)::text, 'UTF8'))
$$;

create function audit_link(state bytea, previous bytea, digest bytea) returns bytea
language sql immutable parallel safe as $$ select sha256(coalesce(state, previous) || digest) $$;

create aggregate audit_chain(previous bytea, digest bytea) (sfunc = audit_link, stype = bytea);

-- When a row was written: its id is a UUIDv7. `at` may be the time of a test.
create function time_of_id(p_id uuid) returns timestamptz language sql immutable parallel safe as $$
    select to_timestamp(('x' || substr(replace(p_id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0)
$$;

-- The smallest id of a row that was written this long before another.
create function id_before(p_id uuid, p_age interval) returns uuid language sql immutable parallel safe as $$
    select rpad(lpad(to_hex((extract(epoch from time_of_id(p_id) - p_age) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;

-- Rows are never changed, and deleted only by purge_audit, which the shortest retention of a plan bounds.
create function keep_audit() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' and current_setting('signalpost.audit_purge', true) = 'on' then
        if tg_table_name = 'audit' then        -- nested: the other table has no such column
            if time_of_id(old.id) < now() - interval '30 days' then
                return old;
            end if;
        elsif old.sealed_at < now() - interval '30 days' then
            return old;
        end if;
    end if;
    raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;

create trigger keep_audit before update or delete on audit for each row execute function keep_audit();
create trigger keep_audit_whole before truncate on audit for each statement execute function keep_audit();

create trigger keep_audit before update or delete on audit_seal for each row execute function keep_audit();
create trigger keep_audit_whole before truncate on audit_seal for each statement execute function keep_audit();

-- Deletes the oldest rows of a workspace with their seals, at most p_limit; returns how many rows there were. Nobody
-- but the owner may delete history; the function itself bounds what it deletes.
create function purge_audit(p_workspace uuid, p_before timestamptz, p_limit integer) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
    before timestamptz := least(p_before, now() - interval '30 days');
    purged bigint;
begin
    perform set_config('signalpost.audit_purge', 'on', true);
    with old as (
        select audit_id from audit_seal
        where workspace_id = p_workspace and sealed_at < before and time_of_id(audit_id) < before
        order by seq limit p_limit
    ), seals as (
        delete from audit_seal s using old where s.workspace_id = p_workspace and s.audit_id = old.audit_id
    ), entries as (
        delete from audit a using old where a.workspace_id = p_workspace and a.id = old.audit_id returning 1
    )
    select count(*) into purged from entries;
    perform set_config('signalpost.audit_purge', 'off', true);
    return purged;
end $$;
