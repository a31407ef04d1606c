"""The API calls of workspaces, in a partition for each day, which are dropped after a week."""

from signalpost.migrations import sql

revision = "0063"
down_revision = "0062"

SQL = """
create table request_log (
    workspace_id uuid not null,
    at timestamptz not null,                   -- when the response was ready
    id uuid not null,
    operation text not null,
    method text not null,
    path text not null,
    status smallint not null,
    code text,                                 -- of the problem
    duration_ms real not null,
    request_id text not null,
    mode text not null,
    user_id uuid not null,                     -- of a key: who created it
    key_id uuid,
    address text not null,
    omitted integer not null,                  -- calls before this one that were too many to keep
    primary key (workspace_id, at, id)
) partition by range (at);

-- Nobody may use a partition itself, so the policies of the table hold for all of them.
create function rotate_request_log() returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
    today date := (now() at time zone 'UTC')::date;
    old text;
begin
    perform pg_advisory_xact_lock(hashtext('rotate_request_log'));
    for n in -1..2 loop
        if to_regclass('request_log_' || to_char(today + n, 'YYYYMMDD')) is null then
            execute format('create table %I partition of request_log for values from (%L) to (%L)',
                'request_log_' || to_char(today + n, 'YYYYMMDD'),
                (today + n)::text || ' 00:00+00', (today + n + 1)::text || ' 00:00+00');
        end if;
    end loop;
    for old in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'request_log'::regclass and c.relname < 'request_log_' || to_char(today - 7, 'YYYYMMDD')
    loop
        execute format('drop table %I', old);
    end loop;
end $$;
"""


def upgrade() -> None:
    sql.execute(SQL)
