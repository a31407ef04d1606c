"""Mail the numbers of the last seven days of each client: python weekly_report.py anna@example.com.

Run it once a week, by cron for example. SMTP_URL names the mail server: smtp://USER:PASSWORD@mail.example.com:587.
"""

import argparse
import os
import smtplib
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from signalpost_client import Signalpost, SignalpostError, models

DAYS = 7


def main() -> int:
    """Return 1 if the report could not be made or sent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("to", nargs="+", help="addresses")
    parser.add_argument("--sender", default="report@example.com")
    options = parser.parse_args()

    message = EmailMessage()
    message["Subject"] = f"Social media: the week until {datetime.now(UTC):%d %B}"
    message["From"], message["To"] = options.sender, ", ".join(options.to)
    try:
        with Signalpost() as client:
            message.set_content("\n".join(report(client)))
        send(message)
    except (SignalpostError, OSError, smtplib.SMTPException) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def report(client: Signalpost) -> Iterator[str]:
    """The lines of the report."""
    end = datetime.now(UTC).date() - timedelta(days=1)
    start = end - timedelta(days=DAYS - 1)
    for profile in client.list_profiles():
        week = client.get_analytics_overview(
            profile_id=profile["id"], start_date=start.isoformat(), end_date=end.isoformat()
        )
        yield f"{profile['name']}\n{'=' * len(profile['name'])}"
        yield f"{week['totalPosts']} posts; numbers are known of {week['measuredPosts']}."
        yield from totals(week)
        for post in week["topPosts"][:3]:
            place = post["url"] or post["title"] or post["postId"]
            yield f"  {known(post['views'])} views, {known(post['likes'])} likes: {place}"
        yield ""


def totals(week: models.Overview) -> Iterator[str]:
    """Each total beside that of the week before, if there is one."""
    before = week["previous"]
    for name, now, earlier in (
        ("Views", week["totalViews"], before and before["totalViews"]),
        ("Likes", week["totalLikes"], before and before["totalLikes"]),
        ("Comments", week["totalComments"], before and before["totalComments"]),
        ("Shares", week["totalShares"], before and before["totalShares"]),
    ):
        yield f"{name:<10}{now:>9}   week before: {known(earlier)}"


def known(number: int | None) -> str:
    return "not known" if number is None else str(number)


def send(message: EmailMessage) -> None:
    """Send it, encrypted if the server can."""
    server = urlsplit(os.environ.get("SMTP_URL", "smtp://127.0.0.1:25"))
    with smtplib.SMTP(server.hostname or "", server.port or 25, timeout=30) as smtp:
        smtp.ehlo()
        if smtp.has_extn("starttls"):
            smtp.starttls()
        if server.username:
            smtp.login(unquote(server.username), unquote(server.password or ""))
        smtp.send_message(message)


if __name__ == "__main__":
    sys.exit(main())
