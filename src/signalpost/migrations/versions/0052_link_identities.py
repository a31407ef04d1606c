"""Who signs in with an OpenID provider, and which of its answers were used."""

from signalpost.migrations import sql

revision = "0052"
down_revision = "0051"

SQL = """
create index member_invited_address on member (lower(email)) where status = 'invited';
create table user_identity (
    issuer text not null,
    subject text not null,                 -- the provider's name for the user: the e-mail address may change
    user_id uuid not null references app_user,
    email text not null,                   -- as the provider stated it when this was written
    created_at timestamptz not null default now(),
    last_used_at timestamptz not null default now(),
    primary key (issuer, subject),
    unique (user_id, issuer)
);
alter table one_time_token drop constraint one_time_token_purpose_check,
    add constraint one_time_token_purpose_check check (purpose in ('password_reset', 'first_run', 'oidc'));
"""


def upgrade() -> None:
    sql.execute(SQL)
