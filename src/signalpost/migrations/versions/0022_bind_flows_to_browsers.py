"""An authorization flow belongs to the browser that started it on our own page."""

from signalpost.migrations import sql

revision = "0022"
down_revision = "0021"

SQL = """
alter table oauth_flow
    add authorize_url bytea,     -- sealed: it contains the state
    add browser_hash bytea;      -- SHA-256 of the flow's cookie; null: nobody has started it yet
"""


def upgrade() -> None:
    sql.execute(SQL)
