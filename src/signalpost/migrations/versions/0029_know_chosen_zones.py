"""Whether someone chose the time zone of a workspace or profile: UTC that nobody chose is warned of."""

from signalpost.migrations import sql

revision = "0029"
down_revision = "0028"

SQL = """
alter table workspace add column zone_chosen boolean not null default false;
alter table profile add column zone_chosen boolean not null default false;
"""


def upgrade() -> None:
    sql.execute(SQL)
