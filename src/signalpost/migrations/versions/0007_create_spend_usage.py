"""The ledger of a plan's monthly units as a function, so that a statement that writes a post can pay for it."""

from signalpost.migrations import sql

revision = "0007"
down_revision = "0006"

SQL = """
-- Spends units of a month, all of them or none; returns null if fewer are left, else a number.
-- A limited plan counts in one row (stripe 0), whose lock makes the check exact. An unlimited plan checks nothing, so
-- each connection counts in a row of its own: many writes of one workspace do not wait for each other's commit. All
-- stripes count towards a limit, so a change of plan within a month loses nothing.
create function spend_usage(
    p_workspace uuid, p_metric text, p_period date, p_units bigint, p_limit bigint
) returns bigint language plpgsql as $$
declare
    v_used bigint;
    v_unlimited bigint;
begin
    if p_limit is null then
        insert into usage (workspace_id, metric, period, stripe, used)
        values (p_workspace, p_metric, p_period, pg_backend_pid() % 32 + 1, p_units)
        on conflict (workspace_id, metric, period, stripe) do update set used = usage.used + excluded.used
        returning used into v_used;
        return v_used;
    end if;
    select coalesce(sum(used), 0) into v_unlimited from usage
    where workspace_id = p_workspace and metric = p_metric and period = p_period and stripe <> 0;
    insert into usage (workspace_id, metric, period, stripe, used)
    select p_workspace, p_metric, p_period, 0, p_units where p_units <= p_limit - v_unlimited
    on conflict (workspace_id, metric, period, stripe) do update set used = usage.used + excluded.used
    where usage.used + excluded.used <= p_limit - v_unlimited
    returning used into v_used;
    return v_used;
end $$;
"""


def upgrade() -> None:
    sql.execute(SQL)
