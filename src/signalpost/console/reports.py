"""The page of a report by link: a month as it is handed to a client, on the screen or on paper. It needs no scripts."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from signalpost import networks
from signalpost.analytics.schemas import Overview, TrendDay
from signalpost.console import branding
from signalpost.console.site import Site
from signalpost.console.texts import Texts, spoken
from signalpost.kit import problems
from signalpost.report_links import views
from signalpost.report_links.actions import read
from signalpost.report_links.errors import ReportLinkEnded
from signalpost.report_links.schemas import ReportQuery
from signalpost.web import validation
from signalpost.web.request import Request, query_values
from signalpost.web.response import Response
from signalpost.web.router import Route

PATH: Final = views.PATH
END_PATH: Final = views.END_PATH
_TOKEN_LENGTH_MAX: Final = 200
_decoder = validation.decoder_of(ReportQuery)
_ENDED: Final[dict[type[problems.Problem], tuple[str, str]]] = {
    problems.NotFound: ("This link does not exist", "Check that it was copied completely."),
    ReportLinkEnded: ("This link was withdrawn", "Ask whoever sent it for another one."),
    problems.RateLimited: ("Too many requests", "Wait a minute, then open the link again."),
}
_BAR, _GAP, _HEIGHT = 18, 4, 120
METRICS: Final = (("views", "Views"), ("likes", "Likes"), ("comments", "Comments"), ("shares", "Shares"))


class Figure(NamedTuple):
    """A number of the month. `change`: against as many days before, with its sign; empty: nothing to compare with."""

    label: str
    value: str
    change: str
    direction: str


class Bar(NamedTuple):
    """A day of the chart, in its units."""

    x: int
    y: int
    height: int
    text: str


class Chart(NamedTuple):
    """The days of the month as bars."""

    width: int
    height: int
    bar_width: int
    bars: Sequence[Bar]
    label: str


class ReportPages:
    """The report, and the end of its mails. The token stays in the address."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.context = site.web.context

    def routes(self) -> list[Route]:
        """Return the routes of these pages."""
        return [
            *self.site.routes([PATH], self.show, bucket="console"),
            *self.site.routes([END_PATH], self.ask),
            *self.site.routes([END_PATH], self.unsubscribe, method="POST"),
        ]

    async def show(self, request: Request) -> Response:
        """Show a month of a link: the one in the address, else the last one that is over."""
        values = {"month": value} if (value := query_values(request).get("month", "")[:20]) else {}
        try:
            query = validation.decode_body(_decoder, msgspec.json.encode(values))
            report = await read.read_report(self.context, _token(request), query.month)
        except problems.ValidationFailed:  # a month that cannot be chosen, or not any more: begin with one that can
            path = self.site.common["root"] + PATH.format(token=_token(request))
            return Response(303, b"", [(b"location", path.encode("ascii", "replace"))])
        except tuple(_ENDED) as problem:
            return self._ended(request, problem)
        t = Texts(report.language)
        rule = branding.rule_of(report.branding.color)
        overview = report.overview
        figures = _figures(t, overview)
        return self.site.page(
            "report",
            headers=branding.headers_of(rule, report.branding.logo_url),
            t=t,
            language=report.language,
            style=rule,
            report=report,
            overview=overview,
            figures=figures,
            is_compared=any(figure.change for figure in figures),
            chart=_chart(t, overview.daily_trend),
            platforms=sorted(overview.by_platform.items(), key=lambda item: -item[1].posts),
            metrics=METRICS,
            name_of=networks.name_of,
            signed=_signed,
        )

    async def ask(self, request: Request) -> Response:
        """Show a button that ends the mails: scanners of mail open each link, and press none."""
        words = spoken(request)
        t = words["t"]
        texts = {"title": t("No more reports by mail?"), "text": t("The link to the report goes on to work.")}
        return self.site.page("status_button", texts=texts | {"button": t("Unsubscribe")}, **words)

    async def unsubscribe(self, request: Request) -> Response:
        """End the mails: by the button, or by the mail program (RFC 8058)."""
        words = spoken(request)
        t = words["t"]
        try:
            profile = await read.unsubscribe(self.context, _token(request))
        except problems.NotFound as problem:
            return self._ended(request, problem)
        text = t("No more reports for {profile} will be mailed to you.", profile=profile)
        return self.site.notice(t("You are unsubscribed"), text, status=200, **words)

    def _ended(self, request: Request, problem: problems.Problem) -> Response:
        words = spoken(request)
        t = words["t"]
        title, text = _ENDED[type(problem)]
        return self.site.page("review_over", status=problem.status, title=t(title), text=t(text), **words)


def _token(request: Request) -> str:
    return request.path_params["token"][:_TOKEN_LENGTH_MAX]


def _figures(t: Texts, overview: Overview) -> list[Figure]:
    """Return the sums of the month. What no network gave is left out; so is a change of which one side is unknown."""
    before = overview.previous
    samples, earlier = overview.sample_sizes, before and before.sample_sizes
    figures = [_figure(t, "Posts", overview.total_posts, None if before is None else before.total_posts)]
    for name, label in METRICS:
        if getattr(samples, name):
            is_comparable = before is not None and getattr(earlier, name)
            figures.append(
                _figure(
                    t,
                    label,
                    getattr(overview, f"total_{name}"),
                    getattr(before, f"total_{name}") if is_comparable else None,
                )
            )
    if overview.avg_engagement_rate is not None:
        figures.append(Figure(t("Engagement"), t.percent(overview.avg_engagement_rate), "", ""))
    return figures


def _figure(t: Texts, label: str, value: int, before: int | None) -> Figure:
    if not before:
        return Figure(t(label), t.number(value), "", "")
    percent = round((value - before) * 100 / before)
    direction = "up" if percent > 0 else "down" if percent < 0 else ""
    return Figure(t(label), t.number(value), f"{_signed(t, percent)} %", direction)


def _signed(t: Texts, value: int) -> str:
    sign = "+" if value > 0 else "\N{MINUS SIGN}" if value < 0 else "±"
    return sign + t.number(abs(value))


def _chart(t: Texts, days: Sequence[TrendDay]) -> Chart:
    """Return views by the day on which posts went out; how many there were, where no network gives views."""
    is_seen = any(day.views for day in days)
    values = [(day.views or 0) if is_seen else day.posts for day in days]
    most = max(values)
    bars = []
    for index, (day, value) in enumerate(zip(days, values, strict=True)):
        height = round(value / (most or 1) * _HEIGHT)
        words = t("{n} views", n=t.number(value)) if is_seen else t("{n} posts", n=t.number(value))
        bars.append(Bar(index * (_BAR + _GAP), _HEIGHT - height, height, f"{t.day_of(day.date)}: {words}"))
    if is_seen:
        label = t("Views by the day on which posts went out, at most {n}.", n=t.number(most))
    else:
        label = t("Posts by day, at most {n}.", n=t.number(most))
    return Chart(len(bars) * (_BAR + _GAP), _HEIGHT, _BAR, bars, label)
