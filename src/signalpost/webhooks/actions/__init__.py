from signalpost.webhooks.actions.deliveries import record_event, resend, send_test
from signalpost.webhooks.actions.results import SettledAttempt, postpone, settle
from signalpost.webhooks.actions.webhooks import create_webhook, delete_webhook, rotate_secret, update_webhook

__all__ = [
    "SettledAttempt",
    "create_webhook",
    "delete_webhook",
    "postpone",
    "record_event",
    "resend",
    "rotate_secret",
    "send_test",
    "settle",
    "update_webhook",
]
