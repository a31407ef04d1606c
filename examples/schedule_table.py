"""Check a table of posts with pictures, then schedule all of it: python schedule_table.py autumn.csv.

The columns are client, date, time, platforms (with spaces between them), text, picture (a file beside the table, or
nothing) and alt (what the picture shows). Times are those of the client's time zone. If rows are refused, each is named
with its reason, and nothing is scheduled. Rows that an earlier run has scheduled are left as they are.
"""

import argparse
import csv
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from signalpost_client import Signalpost, SignalpostError, errors

POSTS_MAX = 50  # in one request
KNOWN = "external_id_conflict"


class Refused(Exception):
    """Rows that cannot be scheduled; the message names each."""


def main() -> int:
    """Return 1 if a row was refused."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path)
    table = parser.parse_args().table
    try:
        with Signalpost() as client:
            schedule(client, table)
    except (SignalpostError, Refused, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def schedule(client: Signalpost, table: Path) -> None:
    """Schedule the rows that no earlier run has scheduled, all of them or none."""
    with table.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    profiles = {profile["name"].casefold(): profile["id"] for profile in client.list_profiles()}
    if missing := {row["client"] for row in rows if row["client"].casefold() not in profiles}:
        raise Refused(f"There is no client with this name: {', '.join(sorted(missing))}")
    posts = [post_of(row, profiles[row["client"].casefold()]) for row in rows]

    known = {index for index, code, _ in send(client, posts, dry_run=True) if code == KNOWN}
    new = [index for index in range(len(rows)) if index not in known]
    uploaded: list[str] = []
    for index in new:
        if picture := rows[index]["picture"]:
            media = client.upload(table.parent / picture, alt_text=rows[index]["alt"])
            posts[index]["media"] = [{"mediaId": media["id"]}]
            uploaded.append(media["id"])
    if refused := send(client, [posts[index] for index in new], dry_run=True):
        for media_id in uploaded:
            client.delete_media(media_id)
        raise Refused("\n".join(f"line {new[index] + 2}: {reason}" for index, _, reason in refused))
    if refused := send(client, [posts[index] for index in new], dry_run=False):
        raise Refused("\n".join(f"line {new[index] + 2}, just now: {reason}" for index, _, reason in refused))
    sys.stdout.write(f"{len(new)} scheduled, {len(known)} were before\n")


def post_of(row: dict[str, str], profile_id: str) -> dict[str, Any]:
    """A row as a post; its `externalId` says in a later run that it is scheduled."""
    return {
        "profileId": profile_id,
        "platforms": row["platforms"].split(),
        "text": row["text"],
        "scheduledAt": f"{row['date']}T{row['time']}",
        "externalId": hashlib.sha256("|".join(row.values()).encode()).hexdigest()[:32],
    }


def send(client: Signalpost, posts: Sequence[dict[str, Any]], *, dry_run: bool) -> list[tuple[int, str, str]]:
    """Return what is refused: which post, the code of the problem, and the reason."""
    refused: list[tuple[int, str, str]] = []
    for start in range(0, len(posts), POSTS_MAX):
        some = list(posts[start : start + POSTS_MAX])
        try:
            result = client.create_posts({"posts": some, "draft": False}, dry_run=dry_run)
            refused += [
                (start + error["index"], error["problem"]["code"], error["problem"]["detail"])
                for error in result["errors"]
            ]
        except errors.ValidationFailed as all_refused:
            for issue in all_refused.issues:
                index = int(issue.path.split("/")[2])
                refused.append((start + index, issue.code, issue.message))
    return refused


if __name__ == "__main__":
    sys.exit(main())
