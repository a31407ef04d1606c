"""The end of a flow: the account that a person connected is stored, if whoever asked for it still may."""

from signalpost.accounts import queries, views
from signalpost.accounts.actions.connect_request import ConnectRequest
from signalpost.accounts.actions.oauth_flows import OAuthFlow, use_form_flow
from signalpost.accounts.actions.start import require_starter
from signalpost.accounts.actions.upsert import upsert_account
from signalpost.accounts.errors import OVER, OauthStateInvalid
from signalpost.accounts.schemas import PlatformAccount
from signalpost.audit.actions import record as audit
from signalpost.context import AppContext, InvitedAccount
from signalpost.kit import ids
from signalpost.networks.contract import Identity


async def store_account(
    context: AppContext,
    flow: OAuthFlow,
    identity: Identity,
    *,
    grant: Identity | None = None,
    use_state: str | None = None,
) -> PlatformAccount:
    """Store the account in a transaction of its own, and note it at the invitation if a guest connected it.

    Args:
        context: of the process.
        flow: which has been used, unless `use_state` is its state: then it is used up here.
        identity: what was connected.
        grant: of the person, where it was chosen from a grant.
        use_state: see `flow`.

    Raises:
        OauthStateInvalid: the flow was used meanwhile.
        Problem: as `require_starter` and `upsert_account`.
    """
    by = flow.started_by
    async with context.database.transaction() as db:
        starter = await require_starter(context, db, flow)
        if use_state is not None and await use_form_flow(db, use_state) is None:
            raise OauthStateInvalid(OVER)
        request = ConnectRequest(
            workspace_id=flow.workspace_id,
            profile_id=flow.profile_id,
            platform=flow.platform,
            via=by.via,
            mode=by.mode,
            role="editor" if by.invite_id else starter.role,  # a guest has no rights of their own
            account_id=flow.account_id,
        )
        row = await upsert_account(context, db, request, identity, grant=grant)
        posts_today = await queries.posts_today(db, [row.id])
        if by.invite_id is not None:
            account = InvitedAccount(row.workspace_id, by.invite_id, row.id, row.platform, row.username)
            await context.hooks.record_invited_account(db, account)
        await audit.record(
            db,
            audit.Entry(
                workspace_id=flow.workspace_id,
                action="finish_authorization",
                actor=by.actor,
                subject=ids.encode("acc", row.id),
            ),
        )
    return views.account(row, posts_today=posts_today.get(row.id, 0))
