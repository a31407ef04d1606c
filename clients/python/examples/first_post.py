"""Upload a picture, publish a post with it, and wait for what came of it: python first_post.py PROFILE PICTURE."""

import sys

from signalpost_client import NotPublished, Signalpost, errors, models


def main(profile_id: str, picture: str) -> int:
    """Return 1 if the post was not published everywhere."""
    with Signalpost() as client:
        media = client.upload(picture, alt_text="A cat asleep on a keyboard")
        body: models.PostCreate = {
            "profileId": profile_id,
            "platforms": ["sandbox"],
            "text": "Hello from #signalpost",
            "media": [{"mediaId": media["id"]}],
        }
        try:
            post = client.create_post(body)
            status = client.wait_until_published(post["id"])
        except errors.PlanLimitReached as problem:
            sys.stderr.write(f"The plan is used up: {problem.remediation}\n")
            return 1
        except errors.DuplicateContent as problem:
            sys.stderr.write(f"That is published already: {problem.document['existingPostId']}\n")
            return 1
        except NotPublished as failure:
            sys.stderr.write(f"{failure}\n")
            return 1
        for target in status["targets"]:
            sys.stdout.write(f"{target['platform']} {target['status']} {target['url']}\n")
        return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
