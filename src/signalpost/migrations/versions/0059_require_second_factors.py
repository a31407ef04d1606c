"""A second factor that a workspace requires, and members that a smaller plan does not cover."""

from signalpost.migrations import sql

revision = "0059"
down_revision = "0058"

SQL = """
alter table workspace
    -- whom the workspace requires a second factor of
    add column second_factor text not null default 'optional'
        check (second_factor in ('optional', 'admins', 'everyone'));
alter table session
    -- the OpenID provider asked for one, and the operator trusts it to
    add column second_factor boolean not null default false;
alter table member
    -- more than the plan covers: acts as a viewer; the role comes back with a larger plan
    add column over_limit boolean not null default false;
"""


def upgrade() -> None:
    sql.execute(SQL)
