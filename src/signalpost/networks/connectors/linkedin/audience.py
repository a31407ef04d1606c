"""The part of an organization's followers that a post is shown to: `distribution.targetEntities` of the Posts API.

Sources: learn.microsoft.com, Share targeting, read on 2026-11-29: any value within a facet, all facets together, and
300 members at least. In production Zernio's SDK (late 0.0.1055, read on 2026-11-29: the facets, their kinds of URN,
300, no personal profiles), Hootsuite's `linkedInV2Company` (github.com/PipedreamHQ/pipedream/pull/17982, 2025-08-08:
URNs of places, industries and seniorities, codes of sizes, `{country, language}`) and SocialRobot, read on 2026-11-29
(300 followers of the page). None says how LinkedIn words its refusal; a post with ids of places and seniorities was
refused with 404, "Could not find entity" (people who advertise by /rest/posts, 2026-02-04). That the list of an
organization's posts has `targetEntities`: columns of people who store it, for version 202607, read on 2026-11-29.
LinkedIn documents no limit for the values of a facet: ours is 50.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal

import msgspec

from signalpost.kit import issue_text
from signalpost.networks.contract import Outgoing, PreflightIssue, Refused

_VALUES_MAX: Final = 50
"""Of each facet."""
_EMPTY: Final = "The audience is empty. Name at least one facet, such as geoLocations, or leave the audience out."
_MEMBER: Final = "Only posts of an organization have an audience. Choose one as the author, or leave the audience out."
ADVICE: Final = (
    "Check the audience. LinkedIn wants at least 300 followers who fit all of its facets: leave facets out, or give "
    "them more values. It also refuses ids that it does not know."
)


def _urn(kind: str) -> msgspec.Meta:
    return msgspec.Meta(
        pattern=rf"^(urn:li:{kind}:)?[0-9]{{1,20}}$",
        extra={issue_text.FORMAT: f"Must be the number of LinkedIn's id, or its URN: urn:li:{kind}:1234."},
    )


def _facet(title: str) -> msgspec.Meta:
    return msgspec.Meta(title=title, max_length=_VALUES_MAX)


Degree = Annotated[str, _urn("degree")]
FieldOfStudy = Annotated[str, _urn("fieldOfStudy")]
Geo = Annotated[str, _urn("geo")]
Industry = Annotated[str, _urn("industry")]
Function = Annotated[str, _urn("function")]
School = Annotated[str, _urn("organization")]
Seniority = Annotated[str, _urn("seniority")]
Locale = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[a-z]{2}[_-][A-Z]{2}$",
        extra={issue_text.FORMAT: "Must be a language and a country, such as de_DE."},
    ),
]
StaffCountRange = Literal[
    "SIZE_1", "SIZE_2_TO_10", "SIZE_11_TO_50", "SIZE_51_TO_200", "SIZE_201_TO_500", "SIZE_501_TO_1000",
    "SIZE_1001_TO_5000", "SIZE_5001_TO_10000", "SIZE_10001_OR_MORE",
]  # fmt: skip


class Audience(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """Who sees a post: followers who have one of the values of each facet that is not empty."""

    geo_locations: Annotated[list[Geo], _facet("Ids of places")] = []
    industries: Annotated[list[Industry], _facet("Ids of industries")] = []
    job_functions: Annotated[list[Function], _facet("Ids of job functions")] = []
    seniorities: Annotated[list[Seniority], _facet("Ids of seniorities")] = []
    staff_count_ranges: Annotated[list[StaffCountRange], msgspec.Meta(title="Sizes of the employer", max_length=9)] = []
    interface_locales: Annotated[list[Locale], _facet("Languages of LinkedIn, for example en_US")] = []
    degrees: Annotated[list[Degree], _facet("Ids of degrees")] = []
    fields_of_study: Annotated[list[FieldOfStudy], _facet("Ids of fields of study")] = []
    organizations: Annotated[list[School], _facet("Ids of schools")] = []


def target_entities(outgoing: Outgoing) -> list[dict[str, Any]]:
    """Return the audience as LinkedIn takes it; an empty list: everyone. Each value stands there once."""
    if outgoing.options.get("audience") is None:
        return []
    audience = msgspec.convert(outgoing.options["audience"], Audience)
    facets = {
        "geoLocations": _urns("geo", audience.geo_locations),
        "industries": _urns("industry", audience.industries),
        "jobFunctions": _urns("function", audience.job_functions),
        "seniorities": _urns("seniority", audience.seniorities),
        "staffCountRanges": list(dict.fromkeys(audience.staff_count_ranges)),
        "interfaceLocales": [
            {"language": language, "country": country}
            for language, country in dict.fromkeys((locale[:2], locale[3:]) for locale in audience.interface_locales)
        ],
        "degrees": _urns("degree", audience.degrees),
        "fieldsOfStudy": _urns("fieldOfStudy", audience.fields_of_study),
        "organizations": _urns("organization", audience.organizations),
    }
    entity = {facet: values for facet, values in facets.items() if values}
    return [entity] if entity else []


def _urns(kind: str, values: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(f"urn:li:{kind}:{value.rpartition(':')[2]}" for value in values))


def audience_issues(outgoing: Outgoing, author: Any) -> Iterator[PreflightIssue]:
    """Check that an audience is not empty, and that an organization posts. `author`: its URN; None if not known."""
    audience = outgoing.options.get("audience")
    if audience is None:
        return
    if isinstance(audience, Mapping) and not any(audience.values()):
        yield PreflightIssue("linkedin.audience.empty", "/options/audience", _EMPTY)
    is_members = outgoing.options.get("visibility") == "connections"  # as far as nothing says whose post it is
    if ":person:" in author if isinstance(author, str) else is_members:
        yield PreflightIssue("linkedin.audience.member", "/options/audience", _MEMBER)


def unshown(author: str, outgoing: Outgoing) -> Refused | None:
    """Return why a post cannot have its audience: nobody sees more than was meant, whatever preflight knew."""
    if outgoing.options.get("audience") is None:
        return None
    if ":organization:" not in author:
        return Refused(code="content_rejected", message=_MEMBER, rule="linkedin.audience.member")
    if not target_entities(outgoing):
        return Refused(code="content_rejected", message=_EMPTY, rule="linkedin.audience.empty")
    return None


def is_other(post: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
    """Return whether a post of LinkedIn's list names another audience than the body of the intended one."""
    distribution = post.get("distribution")
    listed = distribution.get("targetEntities") if isinstance(distribution, Mapping) else None
    return bool(listed) and _ordered(listed) != _ordered(body["distribution"]["targetEntities"])


def _ordered(value: Any) -> Any:
    """Return an audience in an order of its own: LinkedIn may list facets and values in another one."""
    if isinstance(value, list):
        return sorted(map(_ordered, value), key=repr)
    return sorted((key, _ordered(part)) for key, part in value.items()) if isinstance(value, Mapping) else value
