"""Make a client of each row of a table, with a link to connect their accounts: python onboard_clients.py clients.csv.

The table has the columns name, email, timezone and platforms (with spaces between them). What is printed is a table
too, with the links to send; a link is shown once. Clients and invitations that exist are left as they are, so a second
run goes on where the first one was stopped.
"""

import argparse
import csv
import sys
from pathlib import Path
from typing import Any

from signalpost_client import Signalpost, SignalpostError, models


def main() -> int:
    """Return 1 if a row was refused."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path)
    parser.add_argument("--message", default="Please connect your accounts, so that we can publish for you.")
    options = parser.parse_args()
    with options.table.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))

    failed = False
    written = csv.writer(sys.stdout)
    written.writerow(["name", "profileId", "email", "link"])
    with Signalpost() as client:
        profiles = {profile["name"].casefold(): profile["id"] for profile in client.list_profiles()}
        for row in rows:
            try:
                profile_id = profiles.get(row["name"].casefold()) or create(client, row)
                written.writerow(
                    [row["name"], profile_id, row["email"], invite(client, profile_id, row, options.message)]
                )
            except SignalpostError as error:
                failed = True
                sys.stderr.write(f"{row['name']}: {error}\n")
    return int(failed)


def create(client: Signalpost, row: dict[str, str]) -> str:
    profile = client.create_profile({"name": row["name"], "timezone": row["timezone"]})
    return profile["id"]


def invite(client: Signalpost, profile_id: str, row: dict[str, str], message: str) -> str:
    """The link of a new invitation, or what became of the one that was sent."""
    for sent in client.list_platform_invites(profile_id=profile_id):
        if sent["email"] == row["email"] and sent["status"] not in ("expired", "revoked"):
            return f"sent before: {sent['status']}"
    platforms: Any = row["platforms"].split()
    body: models.PlatformInviteCreate = {
        "profileId": profile_id, "platforms": platforms, "email": row["email"], "message": message,
    }  # fmt: skip
    return client.create_platform_invite(body)["url"]


if __name__ == "__main__":
    sys.exit(main())
