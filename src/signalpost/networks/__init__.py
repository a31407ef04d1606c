"""The social networks: what each allows, and how to publish there. It knows no database, web framework or settings."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from signalpost.networks.connectors import (
    bluesky,
    devto,
    discord,
    facebook,
    ghost,
    google_business,
    instagram,
    lemmy,
    linkedin,
    mastodon,
    matrix,
    nostr,
    pinterest,
    reddit,
    sandbox,
    slack,
    telegram,
    threads,
    tiktok,
    tumblr,
    wordpress,
    x,
    youtube,
)
from signalpost.networks.contract import Connector, Facts
from signalpost.networks.preflight import for_account

CONNECTORS: Mapping[str, Connector] = {
    connector.facts.key: connector
    for connector in (
        sandbox.CONNECTOR,
        bluesky.CONNECTOR,
        mastodon.CONNECTOR,
        facebook.CONNECTOR,
        instagram.CONNECTOR,
        threads.CONNECTOR,
        linkedin.CONNECTOR,
        x.CONNECTOR,
        pinterest.CONNECTOR,
        youtube.CONNECTOR,
        tiktok.CONNECTOR,
        discord.CONNECTOR,
        telegram.CONNECTOR,
        slack.CONNECTOR,
        wordpress.CONNECTOR,
        matrix.CONNECTOR,
        reddit.CONNECTOR,
        ghost.CONNECTOR,
        devto.CONNECTOR,
        lemmy.CONNECTOR,
        google_business.CONNECTOR,
        tumblr.CONNECTOR,
        nostr.CONNECTOR,
    )
}
"""The connectors by platform slug, in the order of the reference page."""

PLATFORMS: tuple[str, ...] = (
    "facebook",
    "instagram",
    "tiktok",
    "youtube",
    "x",
    "linkedin",
    "threads",
    "pinterest",
    "bluesky",
    "mastodon",
    "reddit",
    "telegram",
    "discord",
    "slack",
    "google_business",
    "tumblr",
    "wordpress",
    "ghost",
    "devto",
    "lemmy",
    "nostr",
    "matrix",
    "sandbox",
)
"""Every platform of the API, including those that have no connector yet; `add` appends those of packages."""

ALIASES: Mapping[str, str] = {"twitter": "x", "googlebusiness": "google_business"}

_NOT_ALLOWED: Final = "This connection lacks a permission for comments: {}. Connect the account again and allow it."


def add(slug: str, connector: Connector | None) -> None:
    """Add the network of a package that the operator named; None: it was refused, so that nothing can be connected."""
    global CONNECTORS, PLATFORMS  # noqa: PLW0603 - one list for the process, complete before it serves
    if slug not in PLATFORMS:
        PLATFORMS = (*PLATFORMS, slug)
    if connector is not None:
        CONNECTORS = {**CONNECTORS, slug: connector}


def get(key: str) -> Connector | None:
    """Return the connector of a platform slug, or None if it has none yet."""
    return CONNECTORS.get(key)


def name_of(key: str) -> str:
    """Return what people call a platform."""
    connector = get(key)
    return connector.facts.name if connector else key.replace("_", " ").title()


def canonical(slug: str) -> str | None:
    """Return the platform slug that `slug` means, aliases included, or None if there is no such platform."""
    slug = ALIASES.get(slug, slug)
    return slug if slug in PLATFORMS else None


def capabilities(
    connector: Connector,
    account_facts: Mapping[str, Any] | None = None,
    scopes: Collection[str] = (),
    *,
    pushed: bool | None = None,
) -> dict[str, Any]:
    """Return what an account on this network can do, as in the API; without account facts, what the network allows.

    `scopes`: what the account's connection was granted, if that is known. `pushed`: whether its comments are pushed;
    None: what the network can do.
    """
    facts: Facts = for_account(connector.facts, account_facts or {})
    image = facts.media.get("image")
    return {
        "text": not facts.media_required,
        "image": image is not None,
        "video": "video" in facts.media,
        "carousel": image is not None and image.per_post > 1,
        "story": facts.stories,
        "thread": facts.thread_parts_max > 1,
        "firstComment": facts.first_comment,
        "delete": connector.delete is not None,
        "analytics": connector.metrics is not None,
        "mentions": connector.people is not None,
        "comments": _of_comments(
            connector, facts, scopes, pushed=connector.push is not None if pushed is None else pushed
        ),
        "maxTextLength": facts.text.max_length,
    }


def _of_comments(connector: Connector, facts: Facts, scopes: Collection[str], *, pushed: bool) -> dict[str, Any]:
    functions = {
        "read": connector.comments,
        "reply": connector.reply,
        "hide": connector.hide_comment,
        "like": connector.like_comment,
        "delete": connector.delete_comment,
    }
    missing = missing_for_comments(connector, scopes)
    can = {name: function is not None and not missing for name, function in functions.items()}
    note = _NOT_ALLOWED.format(", ".join(missing)) if missing else no_comments(connector)
    return {
        **can,
        "pushed": pushed and can["read"],
        "replyText": _of_replies(facts) if can["reply"] else None,
        "note": note,
    }


def _of_replies(facts: Facts) -> dict[str, Any]:
    rule = facts.reply_text or facts.text
    return {
        "maxLength": rule.max_length,
        "unit": rule.unit,
        "bytesMax": rule.bytes_max,
        "urlLength": rule.url_length,
        "mentionsCountLocalPartOnly": rule.mentions_count_local_part_only,
        "mentionsAuthor": facts.replies_mention,
    }


def missing_for_comments(connector: Connector, scopes: Collection[str]) -> Sequence[str]:
    """Return which permissions the connection of an account lacks for comments; none where nobody knows its scopes."""
    return _lacking(connector.facts.comments_scopes, scopes)


def missing_for_push(connector: Connector, scopes: Collection[str]) -> Sequence[str]:
    """Return which permissions the connection of an account lacks to have its comments pushed, as far as is known."""
    needed = connector.push.scopes if connector.push is not None else ()
    return _lacking(needed, scopes)


def _lacking(needed: Sequence[Sequence[str]], scopes: Collection[str]) -> Sequence[str]:
    lacking = [[scope for scope in of_login if scope not in scopes] for of_login in needed]
    return min(lacking, key=len) if lacking and scopes else ()


def no_comments(connector: Connector) -> str | None:
    """Return what cannot be done with comments on a network, and why; None: everything can."""
    if connector.comments is None:
        return connector.facts.comments_note or "This version does not read comments there."
    return connector.facts.comments_note
