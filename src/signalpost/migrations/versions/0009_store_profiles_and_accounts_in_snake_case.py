"""JSON of profiles and accounts gets snake_case names, so that what is stored does not depend on the API's version."""

from signalpost.migrations import sql

revision = "0009"
down_revision = "0008"

SQL = """
update profile_link set rules = jsonb_build_object(
    'auto_repost', rules -> 'autoRepost',
    'caption_prefix', rules -> 'captionPrefix',
    'language_override', rules -> 'languageOverride',
    'platforms', rules -> 'platforms',
    'delay_minutes', rules -> 'delayMinutes',
    'as_draft', rules -> 'asDraft'
) where rules ? 'autoRepost';
update account set health = health - 'canPost' || jsonb_build_object('can_post', health -> 'canPost')
where health ? 'canPost';
update oauth_flow set started_by = started_by - 'userId' - 'keyId'
    || jsonb_build_object('user_id', started_by -> 'userId', 'key_id', started_by -> 'keyId')
where started_by ? 'userId';
comment on column oauth_flow.started_by is '{actor, user_id, key_id, mode, via}';
"""


def upgrade() -> None:
    sql.execute(SQL)
