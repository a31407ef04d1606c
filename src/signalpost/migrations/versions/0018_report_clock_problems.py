"""A worker reports what is wrong with the clock, so that every process obeys and health shows it."""

from signalpost.migrations import sql

revision = "0018"
down_revision = "0017"

SQL = """
alter table worker
    add clock_problem text,                                 -- why it pauses publishing; null: nothing is wrong
    add clock_stepped boolean not null default false;       -- it saw the database clock jump: all workers pause
"""


def upgrade() -> None:
    sql.execute(SQL)
