"""Captions over HTTP."""

import asyncio
import importlib

from signalpost.captions.schemas import Captions, CaptionsOptimize
from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached
from signalpost.web.caller import Caller
from signalpost.web.routing import Routes

routes = Routes("Posts")


@routes.post(
    "/posts/optimize-captions",
    history="nothing",
    scope="posts:write",
    raises=(PlanLimitReached,),
    examples={
        "Fit a text to two networks": {"text": "Our spring menu is here. #food", "platforms": ["bluesky", "mastodon"]},
        "Three variants by a model": {
            "text": "Our spring menu is here: https://example.com/menu",
            "platforms": ["bluesky"],
            "tone": "friendly and short",
            "count": 3,
            "engine": "model",
        },
    },
)
async def optimize_captions(context: AppContext, caller: Caller, data: CaptionsOptimize) -> Captions:
    """Rewrite a text for networks; nothing is saved.

    The rules engine counts as each network counts, cuts at the end of a sentence, splits into a thread where there are
    threads, moves and limits hashtags, and removes markup. It never cuts a character, link, mention or hashtag. If the
    operator has set up a language model, that writes the captions, and the rules make them fit; only these count
    towards `aiCaptions` of the plan. If the model fails, the rules write them, and `warnings` say so.
    """
    # 10 ms of patterns for every script, and most never need them.
    actions = await asyncio.to_thread(importlib.import_module, "signalpost.captions.actions")
    captions: Captions = await actions.optimize(context, caller, data)
    return captions
