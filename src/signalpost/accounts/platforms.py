"""What this installation can connect, told from the facts of each network. No I/O."""

import typing

import msgspec

from signalpost import networks
from signalpost.accounts.schemas import Capabilities, FormField, MediaRules, Platform, Rules, TextRules
from signalpost.networks.contract import Connector, TextRule
from signalpost.settings import Settings


def redirect_uri(base_url: str, platform: str) -> str:
    """Return the one address a platform sends people back to: each has its own, so answers cannot be mixed up."""
    return f"{base_url}/api/v1/platforms/{platform}/callback"


def every(settings: Settings, base_url: str) -> list[Platform]:
    """Return every platform the API speaks of, also those without a connector."""
    return [_platform(settings, base_url, slug) for slug in networks.PLATFORMS]


def form_of(connector: Connector) -> list[FormField]:
    """Return the fields of a credential form."""
    return [FormField(f.name, f.label, f.secret, f.required) for f in connector.facts.credential_fields]


def _platform(settings: Settings, base_url: str, slug: str) -> Platform:
    connector = networks.get(slug)
    if connector is None:
        return Platform(
            platform=slug,
            name=slug.replace("_", " ").title(),
            available=False,
            configured=False,
            modes=[],
            redirect_uri=None,
            credential_fields=[],
            capabilities=None,
            rules=None,
            upstream_version=None,
            sunset_date=None,
            source=None,
            verified_on=None,
        )
    facts = connector.facts
    modes: list[typing.Literal["oauth", "credentials"]] = []
    if connector.oauth is not None:
        modes.append("oauth")
    if connector.connect is not None:
        modes.append("credentials")
    has_app = bool(settings.network(slug, "client_id") and settings.network(slug, "client_secret"))
    return Platform(
        platform=slug,
        name=facts.name,
        available=True,
        configured=has_app or not facts.app_credentials,
        modes=modes,
        redirect_uri=redirect_uri(base_url, slug) if connector.oauth is not None else None,
        credential_fields=form_of(connector),
        capabilities=msgspec.convert(networks.capabilities(connector), Capabilities),
        rules=_rules(connector),
        upstream_version=None,
        sunset_date=None,
        source=facts.source,
        verified_on=facts.verified_on,
    )


def _rules(connector: Connector) -> Rules:
    facts = connector.facts
    return Rules(
        text=_text(facts.text),
        title=_text(facts.title) if facts.title else None,
        media={
            kind: MediaRules(
                per_post=rule.per_post,
                bytes_max=rule.bytes_max,
                mime_types=list(rule.mime_types),
                duration_ms_max=rule.duration_ms_max,
                pixels_max=rule.pixels_max,
                alt_text_max=rule.alt_text_max,
            )
            for kind, rule in facts.media.items()
        },
        media_total=facts.media_total,
        media_required=facts.media_required,
        thread_parts_max=facts.thread_parts_max,
        options={name: option.description for name, option in facts.options.items()},
    )


def _text(rule: TextRule) -> TextRules:
    return TextRules(rule.max_length, rule.unit, rule.bytes_max, rule.url_length)
