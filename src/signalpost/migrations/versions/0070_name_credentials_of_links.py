"""Numbers and codes name the key or session that they came from, so that they end with it."""

from signalpost.migrations import sql

revision = "0070"
down_revision = "0069"

SQL = """
-- Neither: the row is of a process or a time that did not write it down, and does not work.
alter table messenger_link add key_id uuid references api_key on delete cascade, add session_id uuid;
alter table messenger_code add key_id uuid references api_key on delete cascade, add session_id uuid;
create index messenger_link_key on messenger_link (key_id) where key_id is not null;
create index messenger_code_key on messenger_code (key_id) where key_id is not null;
"""


def upgrade() -> None:
    sql.execute(SQL)
