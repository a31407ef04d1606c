"""Writes of accounts, and what asks their networks."""

from signalpost.accounts.actions.authorize import start_authorization
from signalpost.accounts.actions.callback import Return, finish_authorization
from signalpost.accounts.actions.choices import candidates, choose, read_choices
from signalpost.accounts.actions.connect import connect_account
from signalpost.accounts.actions.disconnect import disconnect_account, disconnect_profile
from signalpost.accounts.actions.form import connect_by_form
from signalpost.accounts.actions.health import Audience, check_audience, get_account_health
from signalpost.accounts.actions.pages import list_pages, switch_page
from signalpost.accounts.actions.publications import record_publications
from signalpost.accounts.actions.start import FlowDescription, describe_flow, start_flow
from signalpost.accounts.actions.update import update_account
from signalpost.accounts.moves import mark_needs_reauth, mark_restricted

__all__ = [
    "Audience",
    "FlowDescription",
    "Return",
    "candidates",
    "check_audience",
    "choose",
    "connect_account",
    "connect_by_form",
    "describe_flow",
    "disconnect_account",
    "disconnect_profile",
    "finish_authorization",
    "get_account_health",
    "list_pages",
    "mark_needs_reauth",
    "mark_restricted",
    "read_choices",
    "record_publications",
    "start_authorization",
    "start_flow",
    "switch_page",
    "update_account",
]
