"""The accounts that a feed posts to, as they are at this moment."""

from collections.abc import Sequence
from uuid import UUID

from signalpost import networks
from signalpost.kit.db import Db
from signalpost.networks import preflight
from signalpost.networks.contract import Facts
from signalpost.posts import queries as posts
from signalpost.posts.queries import ConnectedAccount
from signalpost.web.caller import Caller


async def usable(
    db: Db, caller: Caller, profile_id: UUID, account_ids: Sequence[UUID] | None
) -> list[ConnectedAccount] | None:
    """Return those of the accounts that can be posted to, all of the profile for None; None: there is no profile."""
    if account_ids is None:
        profiles = await posts.profiles_with_accounts(db, caller, [profile_id], account_ids=[], platforms=None)
        profile = profiles.get(profile_id)
    else:
        profile = await posts.profile_with_accounts(db, caller, profile_id, account_ids=account_ids)
    if profile is None:
        return None
    live = caller.mode == "live"
    return [
        account for account in profile.accounts if not account.over_limit and (live or account.platform == "sandbox")
    ]


def facts_of(accounts: Sequence[ConnectedAccount]) -> list[Facts]:
    """Return what the networks of these accounts allow, each as the account's own server does."""
    connectors = [(networks.get(account.platform), account.facts) for account in accounts]
    return [preflight.for_account(connector.facts, facts) for connector, facts in connectors if connector is not None]
