"""What a connector claims by its facts and functions, examined without any network: each claim must be possible."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from types import UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec

from signalpost.networks.contract import (
    VERSION,
    CommentPush,
    Connector,
    CredentialField,
    Facts,
    Kind,
    MediaRule,
    Option,
    RateLimit,
    TextRule,
    is_supported,
)

SLUG: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
FIELDS_MAX, OPTIONS_MAX, TEXT_LENGTH_MAX, DESCRIPTION_MAX = 20, 50, 1_000_000, 500
THREAD_PARTS_MAX, FILES_MAX = 50, 100
_PLAIN: Final = ("explain", "preflight")
_WANTED: Final = ("publish", "explain", "reconcile")
"""A connector without `reconcile` could not say what became of a lost response, so a post could appear twice."""
_DATE: Final = re.compile(r"20\d\d-[01]\d-[0-3]\d")


def contract_problem(connector: Connector) -> str | None:
    """Return why a package's connector does not fit this version of the contract; None if it does."""
    written_for: Any = connector.contract
    if not isinstance(written_for, str) or not written_for:
        return f'It names no version of the contract. Add contract="{VERSION}" to its Connector.'
    if not is_supported(written_for):
        return f"It was written for version {written_for[:20]!r} of the contract; this is {VERSION}."
    return None


def problems(connector: Connector) -> list[str]:
    """Return what is wrong with the claims of a connector, each as a sentence; empty if all are possible."""
    facts = connector.facts
    wrong = [*_wrong_types("facts", facts)]
    if wrong:  # the rest reads them
        return wrong
    return [
        *_functions(connector),
        *_names(facts),
        *_account(connector),
        *_live(connector),
        *_push(connector),
        *_numbers(facts),
        *_media(facts),
    ]


_CHECKED: Final[Mapping[str, Any]] = {
    "text": TextRule, "title": TextRule, "thumbnail": MediaRule, "rate_limit": RateLimit,
}  # fmt: skip


def _wrong_types(where: str, value: Any) -> Iterator[str]:
    """Compare the members of a dataclass with their types, as far as these are plain."""
    hints = get_type_hints(type(value))
    for field in fields(value):
        member, kind = getattr(value, field.name), hints[field.name]
        options = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
        plain = tuple(option for option in options if option in (str, int, bool, type(None)))
        if plain and len(plain) == len(options) and type(member) not in plain:
            names = " or ".join(item.__name__ for item in plain)
            yield f"{where}.{field.name} is {type(member).__name__}, not {names}."
        if field.name in _CHECKED and isinstance(value, Facts):
            if isinstance(member, _CHECKED[field.name]):
                yield from _wrong_types(f"{where}.{field.name}", member)
            elif member is not None or field.name == "text":
                yield f"{where}.{field.name} is not a {_CHECKED[field.name].__name__}."
    if isinstance(value, Facts):
        yield from _wrong_items(where, value)


def _wrong_items(where: str, facts: Facts) -> Iterator[str]:
    kinds = {"media": MediaRule, "options": Option}
    for name, kind in kinds.items():
        for key, item in getattr(facts, name).items():
            if isinstance(item, kind):
                yield from _wrong_types(f"{where}.{name}[{key!r}]", item)
            else:
                yield f"{where}.{name}[{key!r}] is not a {kind.__name__}."
    form: Any = facts.credential_fields
    for index, item in enumerate(form):
        if isinstance(item, CredentialField):
            yield from _wrong_types(f"{where}.credential_fields[{index}]", item)
        else:
            yield f"{where}.credential_fields[{index}] is not a CredentialField."


def _functions(connector: Connector) -> Iterator[str]:
    for field in fields(connector):
        function = getattr(connector, field.name)
        if field.name in ("facts", "contract", "oauth", "push"):
            continue
        if function is None:
            if field.name in _WANTED:
                yield f"It has no function {field.name}."
        elif not callable(function):
            yield f"{field.name} is not a function."
        elif field.name not in _PLAIN and not _is_async(function):
            yield f"{field.name} is not an async function, so it would hold up everything else."


def _is_async(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(inspect.unwrap(function))


def _names(facts: Facts) -> Iterator[str]:
    if not SLUG.fullmatch(facts.key):
        yield "facts.key must be 1 to 40 lower-case letters, digits and _, a letter first."
    if not 0 < len(facts.name) <= 40:
        yield "facts.name must have 1 to 40 characters."
    if not facts.source or not _DATE.fullmatch(facts.verified_on):
        yield "facts.source and facts.verified_on must say where and on which day (2026-11-27) the numbers were read."
    for name, url in (("base_url", facts.base_url), ("directory_url", facts.directory_url), *facts.hosts.items()):
        if url is not None and (not url.startswith("https://") or url.endswith("/")):
            yield f"The address {name} must begin with https:// and have no slash at its end."


def _account(connector: Connector) -> Iterator[str]:
    facts, names = connector.facts, [field.name for field in connector.facts.credential_fields]
    if connector.connect is None and connector.oauth is None:
        yield "No account can be connected: it has neither connect nor oauth."
    if bool(names) != (connector.connect is not None):
        yield "facts.credential_fields and connect need each other."
    if len(names) > FIELDS_MAX or len(set(names)) < len(names):
        yield f"There can be {FIELDS_MAX} credential fields, each with a name of its own."
    if any(not re.fullmatch(r"[a-z][A-Za-z0-9]{0,39}", name) for name in names):
        yield "Names of credential fields must be camelCase, at most 40 letters and digits."
    if facts.app_credentials and connector.oauth is None:
        yield "facts.app_credentials needs oauth."
    if connector.destinations is not None and connector.oauth is None:
        yield "destinations needs oauth."


def _push(connector: Connector) -> Iterator[str]:
    push: Any = connector.push
    if push is None:
        return
    if not isinstance(push, CommentPush):
        yield "push is not a CommentPush."
        return
    if connector.comments is None or not connector.facts.app_credentials:
        yield "push needs comments, and facts.app_credentials: what is pushed is signed with the app's secret."
    read: Any = push.read
    if not callable(read) or _is_async(read):
        yield "push.read is not a plain function."
    for name, function in (("subscribe", push.subscribe), ("unsubscribe", push.unsubscribe)):
        if function is not None and not _is_async(function):
            yield f"push.{name} is not an async function, so it would hold up everything else."


def _live(connector: Connector) -> Iterator[str]:
    options = connector.facts.options
    if any(option.live for option in options.values()) != (connector.choices is not None):
        yield "Options that are live and choices need each other."
    for key, option in options.items():
        if option.depends_on is not None and (option.depends_on not in options or not option.live):
            yield f"facts.options[{key!r}].depends_on must name another option, and the option must be live."


def _numbers(facts: Facts) -> Iterator[str]:
    numbers = (
        ("text.max_length", facts.text.max_length, 1, TEXT_LENGTH_MAX),
        ("thread_parts_max", facts.thread_parts_max, 0, THREAD_PARTS_MAX),
        ("metrics_per_call", facts.metrics_per_call, 1, 100),
        ("media_total", facts.media_total if facts.media_total is not None else 1, 1, FILES_MAX),
    )
    for name, value, minimum, maximum in numbers:
        if not minimum <= value <= maximum:
            yield f"facts.{name} must be from {minimum} to {maximum}."
    limit = facts.rate_limit
    if limit is not None and (limit.count < 1 or limit.seconds < 1):
        yield "facts.rate_limit must have a count and seconds of 1 or more."
    if len(facts.options) > OPTIONS_MAX:
        yield f"There can be at most {OPTIONS_MAX} options."
    for name, option in facts.options.items():
        if not 0 < len(option.description) <= DESCRIPTION_MAX:
            yield f"The option {name!r} needs a description of at most {DESCRIPTION_MAX} characters."
        try:
            msgspec.json.schema(option.type)
        except (TypeError, ValueError, NotImplementedError, NameError):
            yield f"The type of the option {name!r} is not one that msgspec can convert to."
    if facts.stories and "type" not in facts.options:
        yield "facts.stories needs the option type, by which a user chooses a story."


def _media(facts: Facts) -> Iterator[str]:
    kinds = get_args(Kind)
    if facts.media_required and not facts.media:
        yield "facts.media_required needs facts.media."
    video = facts.media.get("video")
    if facts.gif_as_video and ("gif" in facts.media or video is None or "video/mp4" not in video.mime_types):
        yield "facts.gif_as_video needs a rule of videos with the type video/mp4, and none of GIFs."
    for kind, rule in facts.media.items():
        if kind not in kinds:
            yield f"There is no kind of media {kind!r}; these are: {', '.join(kinds)}."
        if not (0 < rule.per_post <= FILES_MAX and rule.bytes_max > 0 and rule.mime_types):
            yield f"The rule of {kind} needs per_post from 1 to {FILES_MAX}, bytes_max and mime_types."
        if any(other not in facts.media or kind not in facts.media[other].mixes_with for other in rule.mixes_with):
            yield f"What {kind} mixes with must accept {kind} as well."
