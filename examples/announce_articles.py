"""After the deployment of a blog, post what is new: python announce_articles.py public/feed.json PROFILE mastodon.

The file is a JSON Feed, as Hugo, Eleventy and Jekyll write one. Only articles of the last days are posted, so the first
run does not announce the whole archive.
"""

import argparse
import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from signalpost_client import Signalpost, SignalpostError, errors


def main() -> int:
    """Return 1 if an article could not be posted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("feed", type=Path)
    parser.add_argument("profile", help="such as prof_01M8HZ8HKWE9QS4CZR6RD54Y4W")
    parser.add_argument("platforms", nargs="+", help="such as mastodon bluesky")
    parser.add_argument("--days", type=int, default=3, help="how old an article may be")
    options = parser.parse_args()

    oldest = datetime.now(UTC) - timedelta(days=options.days)
    failed = False
    with Signalpost() as client:
        for article in json.loads(options.feed.read_text())["items"]:
            if datetime.fromisoformat(article["date_published"]) < oldest:
                continue
            try:
                sys.stdout.write(f"{article['url']}: {announce(client, article, options)}\n")
            except SignalpostError as error:
                failed = True
                sys.stderr.write(f"{article['url']}: {error}\n")
    return int(failed)


def announce(client: Signalpost, article: dict[str, Any], options: argparse.Namespace) -> str:
    """Publish a post for an article, and say what came of it. Its `externalId` is why there is never a second one."""
    try:
        post = client.create_post(
            {
                "profileId": options.profile,
                "platforms": options.platforms,
                "text": f"{article['title']}\n\n{article.get('summary', '')}".strip(),
                "link": article["url"],
                "externalId": article["id"],
                "autoFit": True,
            }
        )
    except errors.ExternalIdConflict as conflict:
        return f"posted before, {conflict.document['existingPostId']}"
    return str(client.wait_until_published(post["id"])["status"])


if __name__ == "__main__":
    sys.exit(main())
