"""Open jobs that remove a post from its network store their payload in snake_case."""

from signalpost.migrations import sql

revision = "0012"
down_revision = "0011"

SQL = """
update job set payload = jsonb_build_object(
    'target_id', payload -> 'targetId', 'account_id', payload -> 'accountId', 'platform', payload -> 'platform',
    'remote_id', payload -> 'remoteId', 'thread_ids', payload -> 'threadIds', 'actor', payload -> 'actor')
where kind = 'publishing.remove' and payload ? 'targetId';
"""


def upgrade() -> None:
    sql.execute(SQL)
