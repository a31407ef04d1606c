"""Say how the posts of today are doing, with several questions at a time: python report.py."""

import asyncio
import sys
from datetime import UTC, datetime

from signalpost_client import AsyncSignalpost


async def main() -> None:
    """Print a line for each post."""
    today = datetime.now(UTC).strftime("%Y-%m-%dT00:00:00Z")
    async with AsyncSignalpost() as client:
        posts = [post async for post in client.list_posts(from_=today, limit=100)]
        states = await asyncio.gather(*(client.get_post_status(post["id"]) for post in posts[:50]))
        for post, state in zip(posts, states, strict=False):
            text = (post["text"] or "")[:40]
            sys.stdout.write(f"{state['published']} of {state['total']} published  {state['status']:<10} {text}\n")


if __name__ == "__main__":
    asyncio.run(main())
