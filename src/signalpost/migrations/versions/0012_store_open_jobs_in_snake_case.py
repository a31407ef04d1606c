"""Open jobs keep running: their payloads get the names that the handlers read from now on."""

from signalpost.migrations import sql

revision = "0012"
down_revision = "0011"

SQL = """
update job set payload = jsonb_build_object(
    'target_id', payload -> 'targetId', 'account_id', payload -> 'accountId', 'platform', payload -> 'platform',
    'remote_id', payload -> 'remoteId', 'thread_ids', payload -> 'threadIds', 'actor', payload -> 'actor')
where kind = 'publishing.remove' and payload ? 'targetId';
update job set payload = payload - 'letter' || jsonb_build_object('message_id', payload -> 'letter')
where kind = 'identity.password_reset' and payload ? 'letter';
"""


def upgrade() -> None:
    sql.execute(SQL)
