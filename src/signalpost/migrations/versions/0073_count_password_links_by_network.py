"""Links to choose a password remember the network that asked, so that strangers use up their own share only."""

from signalpost.migrations import sql

revision = "0073"
down_revision = "0072"

SQL = """
alter table one_time_token add asked_from text; -- a /24 or /64; null: unknown, or not counted
create index one_time_token_user on one_time_token (user_id, purpose, created_at) where user_id is not null;
"""


def upgrade() -> None:
    sql.execute(SQL)
