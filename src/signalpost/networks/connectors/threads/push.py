"""Replies that Threads pushes: the field `replies` of the app, for every profile that allowed it to read replies.

Source: developers.facebook.com, "Webhooks for Threads" (updated 2026-06-30: `threads_basic` and `threads_read_replies`
with advanced access; public profiles; a call names the reply, what it replies to, and the post on top with its owner),
read 2026-11-30. No account is subscribed by a call. Not certain, and so both are taken: whether `target_id` or the
owner of the post names the profile. Which secret signs: decision 0455.
"""

from collections.abc import Mapping
from typing import Any

from signalpost.networks.contract import CommentPush, Hint
from signalpost.networks.meta.push import ENTRIES_MAX, calls, identifier


def read(payload: Any) -> list[Hint]:
    """Read under which posts replies were written."""
    hints = []
    for call in calls(payload):
        values = call.get("values")
        for change in values[:ENTRIES_MAX] if isinstance(values, list) else [values]:
            value = change.get("value") if isinstance(change, Mapping) and change.get("field") == "replies" else None
            root = value.get("root_post") if isinstance(value, Mapping) else None
            post_id = identifier(root.get("id")) if isinstance(root, Mapping) else None
            if isinstance(root, Mapping) and post_id is not None:
                profiles = dict.fromkeys(map(identifier, (root.get("owner_id"), call.get("target_id"))))
                hints += [Hint(profile_id, (post_id,)) for profile_id in profiles if profile_id is not None]
    return hints[:ENTRIES_MAX]


PUSH = CommentPush(read=read, scopes=(("threads_basic", "threads_read_replies"),))
