"""Receivers of the service status confirm that they want it; where they are, and when they last listened, is noted."""

from signalpost.migrations import sql

revision = "0082"
down_revision = "0081"

SQL = """
alter table status_subscriber add network text, add heard_at timestamptz; -- of a webhook: its /24 or /48
create index status_subscriber_listed on status_subscriber (created_at desc, id desc);
"""


def upgrade() -> None:
    sql.execute(SQL)
