"""Sessions know from which address they were opened: guesses of others never lock it out."""

from signalpost.migrations import sql

revision = "0019"
down_revision = "0018"

SQL = """
alter table session add column address text; -- of IPv6 the /64; null: unknown, opened before this
"""


def upgrade() -> None:
    sql.execute(SQL)
