"""Posts as events of a calendar."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final, NamedTuple
from uuid import UUID

from signalpost import networks
from signalpost.calendar_links import icalendar
from signalpost.calendar_links.queries import CalendarLinkRow
from signalpost.calendar_links.schemas import Language
from signalpost.kit import ids
from signalpost.posts.find.agenda import AgendaPost

SUMMARY_MAX, DESCRIPTION_MAX = 100, 600
"""Characters of a post's text."""
LENGTH: Final = timedelta(minutes=15)
"""How tall an entry is: a post is a moment, which many programs do not draw."""
_HEAD: Final = "".join(
    (
        icalendar.line("BEGIN", "VCALENDAR"),
        icalendar.line("VERSION", "2.0"),
        icalendar.line("PRODID", "-//Signalpost//Calendar of posts//EN"),
        icalendar.line("CALSCALE", "GREGORIAN"),
        icalendar.line("METHOD", "PUBLISH"),
        icalendar.line("REFRESH-INTERVAL;VALUE=DURATION", "PT1H"),
        icalendar.line("X-PUBLISHED-TTL", "PT1H"),
    )
)


class Texts(NamedTuple):
    """What stands beside the posts. The first of each pair is before the text, where it is not as planned."""

    no_text: str
    states: Mapping[str, str]
    marks: Mapping[str, str]


TEXTS: Final[Mapping[Language, Texts]] = {
    "en": Texts(
        "Post without text",
        {
            "draft": "Draft",
            "pending": "Waits for approval",
            "changes_requested": "Changes requested",
            "rejected": "Rejected",
            "scheduled": "Scheduled",
            "queued": "Waits to be published",
            "publishing": "Being published",
            "published": "Published",
            "partial": "Published in part",
            "failed": "Failed",
            "cancelled": "In the trash",
        },
        {
            "draft": "Draft",
            "pending": "To approve",
            "changes_requested": "To change",
            "rejected": "Rejected",
            "partial": "Failed in part",
            "failed": "Failed",
        },
    ),
    "de": Texts(
        "Beitrag ohne Text",
        {
            "draft": "Entwurf",
            "pending": "Wartet auf Freigabe",
            "changes_requested": "Änderungen gewünscht",
            "rejected": "Abgelehnt",
            "scheduled": "Geplant",
            "queued": "Wartet auf Veröffentlichung",
            "publishing": "Wird veröffentlicht",
            "published": "Veröffentlicht",
            "partial": "Teilweise veröffentlicht",
            "failed": "Fehlgeschlagen",
            "cancelled": "Im Papierkorb",
        },
        {
            "draft": "Entwurf",
            "pending": "Freizugeben",
            "changes_requested": "Zu ändern",
            "rejected": "Abgelehnt",
            "partial": "Teilweise fehlgeschlagen",
            "failed": "Fehlgeschlagen",
        },
    ),
    "es": Texts(
        "Publicación sin texto",
        {
            "draft": "Borrador",
            "pending": "Pendiente de aprobación",
            "changes_requested": "Cambios solicitados",
            "rejected": "Rechazada",
            "scheduled": "Programada",
            "queued": "En espera de publicarse",
            "publishing": "Publicándose",
            "published": "Publicada",
            "partial": "Publicada en parte",
            "failed": "Fallida",
            "cancelled": "En la papelera",
        },
        {
            "draft": "Borrador",
            "pending": "Por aprobar",
            "changes_requested": "Por cambiar",
            "rejected": "Rechazada",
            "partial": "Fallida en parte",
            "failed": "Fallida",
        },
    ),
}


def write(link: CalendarLinkRow, posts: Sequence[AgendaPost], profiles: Mapping[UUID, str], base_url: str) -> bytes:
    """Return the file of a link. `profiles`: what they are called, where a calendar has those of several."""
    name = icalendar.text(link.name)
    pieces = [_HEAD, icalendar.line("NAME", name), icalendar.line("X-WR-CALNAME", name)]
    if link.profile_color is not None:
        pieces.append(icalendar.line("X-APPLE-CALENDAR-COLOR", icalendar.text(link.profile_color)))
    texts = TEXTS[link.language]
    pieces += [_event(post, texts, profiles.get(post.profile_id), base_url) for post in posts]
    return "".join([*pieces, icalendar.line("END", "VCALENDAR")]).encode()


def _event(post: AgendaPost, texts: Texts, profile: str | None, base_url: str) -> str:
    post_id, state = ids.encode("pst", post.id), state_of(post)
    url = f"{base_url}/console/posts/{post_id}"
    lines = [
        ("BEGIN", "VEVENT"),
        ("UID", f"{post_id}@signalpost"),
        ("DTSTAMP", icalendar.utc(post.updated_at)),
        ("LAST-MODIFIED", icalendar.utc(post.updated_at)),
        ("SEQUENCE", str(post.version)),
        ("DTSTART", icalendar.utc(post.at)),
        ("DTEND", icalendar.utc(post.at + LENGTH)),
        ("STATUS", _STATUSES.get(state, "CONFIRMED")),
        ("TRANSP", "TRANSPARENT"),
        ("SUMMARY", icalendar.text(_summary(post, texts, state, profile))),
        ("DESCRIPTION", icalendar.text(_description(post, texts, state, url))),
        ("URL", url),
    ]
    if post.tags:
        lines.append(("CATEGORIES", icalendar.texts(post.tags)))
    lines.append(("END", "VEVENT"))
    return "".join(icalendar.line(name, value) for name, value in lines)


_STATUSES: Final = {
    "draft": "TENTATIVE",
    "pending": "TENTATIVE",
    "changes_requested": "TENTATIVE",
    "rejected": "CANCELLED",
    "cancelled": "CANCELLED",
}
_OF_APPROVAL: Final = ("pending", "changes_requested", "rejected")


def state_of(post: AgendaPost) -> str:
    """Return the one word that says most about a post: that it was trashed, else its approval, else its status."""
    if post.deleted:
        return "cancelled"
    undecided = post.status in ("draft", "scheduled", "queued") and post.approval in _OF_APPROVAL
    return post.approval if undecided else post.status


def _summary(post: AgendaPost, texts: Texts, state: str, profile: str | None) -> str:
    text = " ".join((post.title or post.text).split())
    parts = (texts.marks.get(state), profile, _cut(text, SUMMARY_MAX) or texts.no_text)
    return ": ".join(part for part in parts if part)


def _description(post: AgendaPost, texts: Texts, state: str, url: str) -> str:
    accounts = [
        " ".join(part for part in (f"{networks.name_of(platform)}: {username}", public) if part)
        for platform, username, public in zip(post.platforms, post.usernames, post.urls, strict=True)
    ]
    parts = [texts.states[state], "\n".join(accounts), _cut(post.text.strip(), DESCRIPTION_MAX), url]
    return "\n\n".join(part for part in parts if part)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
