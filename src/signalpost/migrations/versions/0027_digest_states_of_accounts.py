"""A create that has read the state of an account is written only if the account still has it."""

from signalpost.migrations import sql

revision = "0027"
down_revision = "0026"

SQL = """
create or replace function account_digest(a account) returns bigint language sql immutable parallel safe as $$
    select hash_record_extended(row(a.id, a.platform, a.username, a.facts, a.over_limit, a.status), 0)
$$;
"""


def upgrade() -> None:
    sql.execute(SQL)
