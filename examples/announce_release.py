"""Post a version's section of a changelog: python announce_release.py CHANGELOG.md 1.4.0 PROFILE mastodon bluesky.

Made for a release pipeline: it waits for what comes of the posts, and ends with 1 unless every network has them. The
file has a heading for each version, as keepachangelog.com describes.
"""

import argparse
import re
import sys
from pathlib import Path

from signalpost_client import Signalpost, SignalpostError, errors, models

PART_LENGTH_MAX = 270


def main() -> int:
    """Return 1 if the release was not announced everywhere."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("changelog", type=Path)
    parser.add_argument("version")
    parser.add_argument("profile", help="such as prof_01M8HZ8HKWE9QS4CZR6RD54Y4W")
    parser.add_argument("platforms", nargs="+", help="such as mastodon bluesky")
    parser.add_argument("--name", default="We have", help="of the product")
    options = parser.parse_args()

    changes = section(options.changelog.read_text(), options.version)
    if not changes:
        sys.stderr.write(f"{options.changelog} has no changes under a heading with {options.version}.\n")
        return 1
    first, *others = parts(f"{options.name} {options.version} is out.", changes)
    body: models.PostCreate = {
        "profileId": options.profile,
        "platforms": options.platforms,
        "text": first,
        "thread": [{"text": part} for part in others],
        "externalId": f"release {options.name} {options.version}",
    }
    try:
        with Signalpost() as client:
            return publish(client, body)
    except SignalpostError as error:
        sys.stderr.write(f"{error}\n")
        return 1


def section(changelog: str, version: str) -> list[str]:
    """The bullets under the heading of a version."""
    found = re.search(rf"^## \[?v?{re.escape(version)}(?![\w.]).*\n((?:(?!## ).*\n?)*)", changelog, re.MULTILINE)
    return re.findall(r"^[-*] (.+)", found[1], re.MULTILINE) if found else []


def parts(heading: str, changes: list[str]) -> list[str]:
    """As many changes in each part of the thread as a short post holds."""
    texts = [heading]
    for change in changes:
        line = f"• {change}"[:PART_LENGTH_MAX]
        if len(texts[-1]) + 1 + len(line) > PART_LENGTH_MAX:
            texts.append(line)
        else:
            texts[-1] += f"\n{line}"
    return texts


def publish(client: Signalpost, body: models.PostCreate) -> int:
    """Publish it once: after a run that was stopped, wait for the post of that run."""
    try:
        post_id = client.create_post(body)["id"]
    except errors.ExternalIdConflict as conflict:
        post_id = str(conflict.document["existingPostId"])
    for target in client.wait_until_published(post_id)["targets"]:
        sys.stdout.write(f"{target['platform']}: {target['url'] or target['status']}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
