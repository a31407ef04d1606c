"""A second factor of users: time-based codes, and recovery codes for who lost the device."""

from signalpost.migrations import sql

revision = "0049"
down_revision = "0048"

SQL = """
alter table app_user
    add totp_secret bytea,                 -- sealed
    add totp_confirmed_at timestamptz,     -- null: codes are not asked for yet
    add totp_last_step bigint,             -- of the last code that was used: a code works once
    add recovery_hashes bytea[] not null default '{}';
"""


def upgrade() -> None:
    sql.execute(SQL)
