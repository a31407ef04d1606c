"""The owner hears once when an account stops working; what is so already is no news."""

from signalpost.migrations import sql

revision = "0047"
down_revision = "0046"

SQL = """
alter table account add column noticed_status text;  -- of which the owner was mailed; null: it works
update account set noticed_status = status where status in ('needs_reauth', 'restricted', 'expiring');
create index account_notice on account (workspace_id)
    where status in ('needs_reauth', 'restricted', 'expiring') and noticed_status is distinct from status;
create index account_noticed on account (id)
    where noticed_status is not null and status not in ('needs_reauth', 'restricted', 'expiring');
"""


def upgrade() -> None:
    sql.execute(SQL)
