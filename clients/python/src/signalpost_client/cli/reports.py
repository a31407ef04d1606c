"""What is planned, what came of it, and what was called."""

import sys
import time
from datetime import date, timedelta
from typing import Any

import click

from signalpost_client.cli import _screen
from signalpost_client.cli._shell import Shell, reads
from signalpost_client.cli.posts import COLUMNS as POSTS

POLL_SECONDS = 2.0
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
OVERVIEW: list[_screen.Column] = [
    ("Posts", "totalPosts"), ("Measured", "measuredPosts"), ("Views", "totalViews"), ("Likes", "totalLikes"),
    ("Comments", "totalComments"), ("Shares", "totalShares"), ("Rate", "avgEngagementRate"), ("Zone", "timezone"),
    ("Collected", _screen.when("syncedAt")),
]  # fmt: skip
ACCOUNTS: list[_screen.Column] = [
    ("Account", "username"), ("Network", "platform"), ("Followers", "followers"), ("30 days", "followersChange30d"),
    ("Views", lambda row: row["totals"]["views"]), ("Likes", lambda row: row["totals"]["likes"]),
]  # fmt: skip
REQUESTS: list[_screen.Column] = [
    ("When", "at"), ("Method", "method"), ("Path", "path"), ("Status", "status"), ("Code", "code"),
    ("ms", "durationMs"), ("Request", "requestId"),
]  # fmt: skip


@click.command()
@click.option("--from", "start", metavar="DAY", help="The first day (default: today).")
@click.option("--days", default=14, show_default=True, help="How many days.")
@click.option("--timezone", metavar="ZONE", help="In which days are meant.")
@click.option("--profile", metavar="PROF", help="Only posts of a profile.")
@reads
def calendar(shell: Shell, start: str | None, days: int, timezone: str | None, profile: str | None) -> None:
    """Show posts by day."""
    try:
        first = date.fromisoformat(start) if start else date.today()  # noqa: DTZ011 - today where people are
    except ValueError:
        raise click.UsageError(f"--from is a day such as {date.today()}, not {start!r}.") from None  # noqa: DTZ011
    last = first + timedelta(days=max(days, 1) - 1)
    planned = shell.client.get_post_calendar(
        start_date=str(first), end_date=str(last), timezone=timezone, profile_id=profile
    )
    if shell.as_json:
        _screen.as_json(planned)
        return
    rows = [{**post, "day": day["date"]} for day in planned["days"] for post in day["posts"]]
    _screen.table(rows, [("Day", "day"), *POSTS], empty="Nothing is planned.")


@click.group()
def analytics() -> None:
    """Show how posts and accounts do."""


@analytics.command()
@click.option("--from", "start", metavar="DAY", help="The first day.")
@click.option("--until", metavar="DAY", help="The last day.")
@click.option("--profile", metavar="PROF", help="Only posts of a profile.")
@reads
def overview(shell: Shell, start: str | None, until: str | None, profile: str | None) -> None:
    """Show the sums of a period."""
    shell.result(shell.client.get_analytics_overview(start_date=start, end_date=until, profile_id=profile), OVERVIEW)


@analytics.command("accounts")
@reads
def analytics_accounts(shell: Shell) -> None:
    """Show followers and sums of each account."""
    shell.rows(shell.client.list_account_analytics(), ACCOUNTS, empty="No accounts.")


@analytics.command()
@click.argument("post_id", metavar="POST")
@reads
def post(shell: Shell, post_id: str) -> None:
    """Show the numbers of a post."""
    numbers = shell.client.get_post_analytics(post_id)
    if shell.as_json:
        _screen.as_json(numbers)
        return
    names = sorted(
        {name for row in numbers["metrics"] for name, value in row.items() if isinstance(value, int | float)}
    )
    columns: list[_screen.Column] = [("Network", "platform"), *((name, name) for name in names)]
    _screen.table([dict(row) for row in numbers["metrics"]], columns, empty="No numbers yet.")


@analytics.command("best-times")
@click.option("--platform", metavar="NETWORK", help="Only posts of a network.")
@click.option("--profile", metavar="PROF", help="Only posts of a profile.")
@reads
def best_times(shell: Shell, platform: str | None, profile: str | None) -> None:
    """Show the hours of the week in which posts do best."""
    times = shell.client.get_best_times(platform=platform, profile_id=profile)
    if shell.as_json:
        _screen.as_json(times)
        return
    columns: list[_screen.Column] = [
        ("Day", lambda row: DAYS[row["dayOfWeek"]]), ("Hour", lambda row: f"{row['hour']:02}:00"),
        ("Posts", "postCount"), ("Confidence", "confidence"),
    ]  # fmt: skip
    _screen.table(times["recommended"], columns, empty="No times.")
    _screen.remark(f"Of {times['sampleSize']} posts, in {times['timezone']}; confidence {times['confidence']}.")


@click.command()
@click.option("--follow", "-f", is_flag=True, help="Go on with new calls, until Ctrl-C.")
@click.option("--status", help="Such as 404, or 4xx.")
@click.option("--method", help="Such as POST.")
@click.option("--path", help="The beginning of the path.")
@click.option("--limit", default=30, show_default=True, help="How many of the past.")
@reads
def logs(shell: Shell, limit: int, *, follow: bool, **filters: Any) -> None:
    """Show the API calls of the last days, oldest first."""
    from itertools import islice

    rows = list(islice(shell.client.list_requests(limit=min(max(limit, 1), 100), **filters), limit))[::-1]
    if not follow:
        shell.rows(rows, REQUESTS, empty="No calls.")
        return
    printed: dict[str, None] = {}
    while True:
        for row in rows:
            if row["id"] not in printed and row["path"] != "/logs/requests":  # which following makes itself
                printed[row["id"]] = None
                _line(shell, row)
        for old in list(printed)[:-1000]:
            del printed[old]
        time.sleep(POLL_SECONDS)
        rows = list(islice(shell.client.list_requests(limit=100, **filters), 200))[::-1]


def _line(shell: Shell, row: Any) -> None:
    if shell.as_json:
        import json

        sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("  ".join(_screen.cell(row, column) for column in REQUESTS) + "\n")
    sys.stdout.flush()
