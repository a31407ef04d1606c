from msgspec import structs

from signalpost.kit import clock, ids
from signalpost.profiles.queries import LinkHistoryRow, LinkRow, ProfileRow
from signalpost.profiles.schemas import Child, LatePolicy, LinkHistory, LinkRules, Profile, ProfileLink, Utm


def profile(row: ProfileRow) -> Profile:
    """Return the profile as the API shows it."""
    return Profile(
        id=ids.encode("prof", row.id),
        workspace_id=ids.encode("wsp", row.workspace_id),
        name=row.name,
        slug=row.slug,
        avatar_url=row.avatar_url,
        avatar_media_id=ids.encode_or_none("med", row.avatar_media_id),
        description=row.description,
        color=row.color,
        timezone=row.timezone,
        language=row.language,
        default_hashtags=row.default_hashtags,
        default_utm=None if row.default_utm is None else Utm(**structs.asdict(row.default_utm)),
        watermark_media_id=ids.encode_or_none("med", row.watermark_media_id),
        late_policy=LatePolicy(tolerance_minutes=row.late_tolerance_minutes, min_gap_seconds=row.min_gap_seconds),
        approval_required=row.approval_required,
        parent_id=ids.encode_or_none("prof", row.parent_id),
        child_count=row.child_count,
        account_count=row.account_count,
        external_id=row.external_id,
        metadata=row.metadata,
        is_default=row.is_default,
        over_limit=row.over_limit,
        archived_at=clock.wire_or_none(row.archived_at),
        version=row.version,
        created_at=clock.wire(row.created_at),
        updated_at=clock.wire(row.updated_at),
    )


def link(row: LinkRow) -> ProfileLink:
    """Return the link as the API shows it."""
    return ProfileLink(
        id=ids.encode("lnk", row.id),
        parent_profile_id=ids.encode("prof", row.parent_profile_id),
        child_profile_id=ids.encode("prof", row.child_profile_id),
        rules=LinkRules(
            auto_repost=row.rules.auto_repost,
            caption_prefix=row.rules.caption_prefix,
            language_override=row.rules.language_override,
            platforms=row.rules.platforms,
            delay_minutes=row.rules.delay_minutes,
            as_draft=row.rules.as_draft,
        ),
        active=row.active,
        created_by=row.created_by,
        created_at=clock.wire(row.created_at),
        updated_at=clock.wire(row.updated_at),
    )


def child(row: tuple[LinkRow, ProfileRow]) -> Child:
    """Return a child profile, with the link to it, as the API shows it."""
    return Child(profile=profile(row[1]), link=link(row[0]))


def link_history(row: LinkHistoryRow) -> LinkHistory:
    """Return an entry of the history of links as the API shows it."""
    return LinkHistory(
        id=ids.encode("lnh", row.id),
        link_id=ids.encode("lnk", row.link_id),
        action=row.action,
        parent_profile_id=ids.encode("prof", row.parent_profile_id),
        child_profile_id=ids.encode("prof", row.child_profile_id),
        source_post_id=ids.encode_or_none("pst", row.source_post_id),
        created_post_id=ids.encode_or_none("pst", row.created_post_id),
        reason=row.reason,
        actor=row.actor,
        created_at=clock.wire(row.created_at),
    )
