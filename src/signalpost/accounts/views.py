from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, Literal

import msgspec

from signalpost import networks
from signalpost.accounts.platform_schemas import (
    MediaRules,
    OptionPart,
    Platform,
    PlatformAppearance,
    PlatformOption,
    PlatformRules,
    PlatformView,
    TextRules,
)
from signalpost.accounts.platforms import needs_app, oauth_of, redirect_uri
from signalpost.accounts.queries import AccountRow, HealthCheck, RecentTargets
from signalpost.accounts.schemas import (
    AccountHealth,
    Capabilities,
    CommentCapabilities,
    CredentialField,
    DestinationPage,
    HealthIssue,
    LinkedInstagram,
    Permissions,
    PlatformAccount,
    Quota,
    Recent,
    TokenHealth,
)
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.network_packages import status as packages
from signalpost.networks import evidence, options
from signalpost.networks.contract import Connector, Destination, Facts, TextRule

CHOICES_PATH = "/api/v1/platforms/accounts/{accountId}/choices"
_NO_CAPABILITIES = Capabilities(
    text=False,
    image=False,
    video=False,
    carousel=False,
    story=False,
    thread=False,
    first_comment=False,
    delete=False,
    analytics=False,
    mentions=False,
    comments=CommentCapabilities(
        read=False, reply=False, hide=False, like=False, delete=False, pushed=False, reply_text=None, note=None
    ),
    max_text_length=0,
)


def account(row: AccountRow, *, posts_today: int) -> PlatformAccount:
    """Return the account as the API shows it."""
    return PlatformAccount(
        id=ids.encode("acc", row.id),
        profile_id=ids.encode("prof", row.profile_id),
        platform=row.platform,
        kind=row.kind,
        platform_account_id=row.remote_id,
        username=row.username,
        display_name=row.display_name,
        avatar_url=row.avatar_url,
        profile_url=row.profile_url,
        status=row.status,
        status_reason=row.status_reason,
        connected_via=row.connected_via,
        parent_account_id=ids.encode_or_none("acc", row.parent_account_id),
        scopes=row.scopes,
        capabilities=capabilities(networks.get(row.platform), row.facts, row.scopes, pushed=row.comments_pushed),
        token_expires_at=clock.wire_or_none(row.token_expires_at),
        refreshable=row.refreshable,
        last_published_at=clock.wire_or_none(row.last_published_at),
        last_checked_at=clock.wire_or_none(row.last_checked_at),
        followers=row.followers,
        daily_limit=row.daily_limit,
        posts_today=posts_today,
        over_limit=row.over_limit,
        language=row.language,
        created_at=clock.wire(row.created_at),
        updated_at=clock.wire(row.updated_at),
    )


def destination(entry: Destination, account: AccountRow | None) -> DestinationPage:
    """Return what a grant can post to as the API shows it; `account`: what it is already."""
    identity, linked = entry.identity, entry.linked_instagram
    return DestinationPage(
        page_id=identity.remote_id,
        name=identity.display_name,
        kind=identity.kind,
        username=identity.username,
        category=entry.category,
        picture_url=identity.avatar_url,
        can_post=entry.can_post,
        connected=account is not None,
        account_id=None if account is None else ids.encode("acc", account.id),
        tasks=list(entry.tasks),
        linked_instagram=LinkedInstagram(id=linked.id, username=linked.username) if linked else None,
    )


def capabilities(
    connector: Connector | None,
    account_facts: Mapping[str, Any] | None = None,
    scopes: Collection[str] = (),
    *,
    pushed: bool | None = None,
) -> Capabilities:
    """Return what an account on this network can do: nothing if the connector was removed."""
    if connector is None:
        return _NO_CAPABILITIES
    return msgspec.convert(networks.capabilities(connector, account_facts, scopes, pushed=pushed), Capabilities)


def account_health(
    row: AccountRow, check: HealthCheck, *, now: datetime, used_today: int, recent: RecentTargets, live: bool
) -> AccountHealth:
    """Return the health report of an account, from its row and its last live check."""
    expires_at = row.token_expires_at
    expired = expires_at is not None and expires_at <= now and not row.refreshable
    usable = row.status in {"active", "expiring", "paused"}
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    issues = _health_issues(row, check)
    return AccountHealth(
        account_id=ids.encode("acc", row.id),
        platform=row.platform,
        status=_health_status(issues),
        account_status=row.status,
        token=TokenHealth(
            valid=usable and check.valid and not expired,
            expires_at=clock.wire_or_none(expires_at),
            expires_in_seconds=None if expires_at is None else max(0, int((expires_at - now).total_seconds())),
            refreshable=row.refreshable,
            last_refreshed_at=clock.wire_or_none(row.last_refreshed_at),
            last_refresh_error=row.last_refresh_error,
        ),
        permissions=Permissions(
            granted=check.granted,
            missing=check.missing,
            can_post=usable and check.can_post,
            can_read_analytics=usable and check.valid and capabilities(networks.get(row.platform)).analytics,
        ),
        quota=Quota(
            used=used_today,
            limit=row.daily_limit,
            resets_at=clock.wire(midnight) if row.daily_limit is not None else None,
        ),
        recent=Recent(published=recent.published, failed=recent.failed, window="7d"),
        issues=issues,
        recommendations=[_RECOMMENDATIONS[issue.code] for issue in issues if issue.code in _RECOMMENDATIONS],
        checked_at=clock.wire(row.last_checked_at or now),
        live=live,
    )


_ERRORS = frozenset({"disconnected", "needs_reauth", "restricted", "cannot_post"})
_RECOMMENDATIONS = {
    "disconnected": "Connect the account again.",
    "needs_reauth": "Connect the account again. It keeps its id and its waiting posts.",
    "restricted": "Find out at the platform why the account is blocked, then check again with refresh=true.",
    "expiring": "Connect the account again before its token expires.",
    "paused": "Resume the account when it should publish again.",
    "cannot_post": "Connect the account again and grant the missing permissions.",
    "missing_permissions": "Connect the account again and grant the missing permissions.",
}


def _health_status(issues: list[HealthIssue]) -> Literal["healthy", "warning", "error"]:
    if not issues:
        return "healthy"
    return "error" if any(issue.code in _ERRORS for issue in issues) else "warning"


def _health_issues(row: AccountRow, check: HealthCheck) -> list[HealthIssue]:
    issues: list[HealthIssue] = []
    match row.status:
        case "disconnected":
            issues.append(HealthIssue("disconnected", "The account is disconnected."))
        case "needs_reauth" | "restricted":
            issues.append(HealthIssue(row.status, row.status_reason or "The platform refuses the account."))
        case "expiring":
            issues.append(HealthIssue("expiring", "The token expires within seven days and cannot be renewed."))
        case "paused":
            issues.append(HealthIssue("paused", "The account is paused."))
    if row.over_limit:
        issues.append(HealthIssue("over_limit", "The plan does not cover this account."))
    if not check.can_post and row.status in {"active", "expiring", "paused"}:
        issues.append(HealthIssue("cannot_post", check.message or "The platform does not let this account post."))
    if check.missing:
        issues.append(HealthIssue("missing_permissions", f"Not granted: {', '.join(check.missing)}."))
    if row.last_refresh_error:
        issues.append(HealthIssue("refresh_failed", f"The last renewal of the token failed: {row.last_refresh_error}."))
    if check.problem:
        issues.append(HealthIssue("check_failed", check.problem))
    return issues


def platform(context: AppContext, slug: str) -> Platform:
    """Return a platform with its rules; one without a connector is not available."""
    connector, package = networks.get(slug), packages.of(slug)
    if connector is None:
        return Platform(
            platform=slug,
            name=slug.replace("_", " ").title(),
            available=False,
            configured=False,
            package=package.package if package else None,
            problem=package.problem if package else None,
            modes=[],
            redirect_uri=None,
            credential_fields=[],
            capabilities=None,
            rules=None,
            appearance=None,
            options=[],
            upstream_version=None,
            sunset_date=None,
            source=None,
            verified_on=None,
        )
    facts = connector.facts
    modes: list[Literal["oauth", "credentials"]] = []
    if oauth_of(context, connector) is not None:
        modes.append("oauth")
    if connector.connect is not None:
        modes.append("credentials")
    return Platform(
        platform=slug,
        name=facts.name,
        available=package is None or package.problem is None,
        configured=not needs_app(context, connector),
        package=package.package if package else None,
        problem=package.problem if package else None,
        modes=modes,
        redirect_uri=redirect_uri(context.fixed_url, connector) if facts.app_credentials else None,
        credential_fields=credential_fields(connector),
        capabilities=capabilities(connector),
        rules=_rules(connector),
        appearance=_appearance(connector.facts),
        options=_options(connector.facts),
        upstream_version=facts.api_version,
        sunset_date=facts.api_sunset_on,
        source=facts.source,
        verified_on=facts.verified_on,
    )


def credential_fields(connector: Connector) -> list[CredentialField]:
    """Return the fields of a platform's credential form."""
    return [
        CredentialField(name=field.name, label=field.label, secret=field.secret, required=field.required)
        for field in connector.facts.credential_fields
    ]


def _rules(connector: Connector) -> PlatformRules:
    facts = connector.facts
    return PlatformRules(
        text=_text_rules(facts.text),
        title=_text_rules(facts.title) if facts.title else None,
        media={
            kind: MediaRules(
                per_post=rule.per_post,
                bytes_max=rule.bytes_max,
                mime_types=list(rule.mime_types),
                duration_ms_max=rule.duration_ms_max,
                pixels_max=rule.pixels_max,
                side_short_max=rule.side_short_max,
                side_long_max=rule.side_long_max,
                ratio_min=rule.ratio_min,
                ratio_max=rule.ratio_max,
                alt_text_max=rule.alt_text_max,
            )
            for kind, rule in facts.media.items()
        },
        media_total=facts.media_total,
        media_required=facts.media_required,
        thread_parts_max=facts.thread_parts_max,
        options={name: option.description for name, option in facts.options.items()},
    )


def _appearance(facts: Facts) -> PlatformAppearance:
    appearance = facts.appearance
    return PlatformAppearance(
        views=[
            PlatformView(
                kind=view.kind,
                types=[*view.types],
                option=view.option,
                media=view.media,
                text=view.text,
                files=view.files,
                ratio_min=view.ratio_min,
                ratio_max=view.ratio_max,
                fold_lines=view.fold_lines,
                fold_characters=view.fold_characters,
                covered_top=view.covered_top,
                covered_bottom=view.covered_bottom,
                covered_sides=view.covered_sides,
                title_characters=view.title_characters,
                approximate=evidence.is_approximate(facts, view),
            )
            for view in appearance.views
        ],
        marks=[*appearance.marks],
        card=appearance.card,
        card_ratio=appearance.card_ratio,
    )


def _options(facts: Facts) -> list[PlatformOption]:
    """The options as a form shows them, required ones first."""
    described = ((key, option, options.field(key, option)) for key, option in facts.options.items())
    return [
        PlatformOption(
            key=key,
            label=field.label,
            help=option.description,
            type=field.type,
            choices=field.choices,
            items_min=field.items_min,
            items_max=field.items_max,
            parts=[OptionPart(**part._asdict()) for part in field.parts],
            instead=[*field.instead],
            source=CHOICES_PATH if option.live else None,
            depends_on=option.depends_on,
            required=option.required,
            default=option.default,
        )
        for key, option, field in sorted(described, key=lambda entry: not entry[1].required)
    ]


def _text_rules(rule: TextRule) -> TextRules:
    return TextRules(max_length=rule.max_length, unit=rule.unit, bytes_max=rule.bytes_max, url_length=rule.url_length)
