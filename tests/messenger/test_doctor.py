"""`signalpost doctor` says which messengers there are, and whether they take the credentials."""

import dataclasses
from typing import Any

import pytest
from tests.helpers.messenger import BOT, SLACK_BOT, Messenger

from signalpost.main import messenger_checks
from signalpost.settings import SLACK_SETTINGS, WHATSAPP_SETTINGS

NONE: dict[str, Any] = dict.fromkeys((*WHATSAPP_SETTINGS, *SLACK_SETTINGS, "telegram_bot_token"))


async def test_each_messenger_is_asked_and_says_whose_the_token_is(messenger: Messenger) -> None:
    slack = messenger.slack
    before = len(slack.lines), len(messenger.simulator.world.ledger.entries)

    checks = await messenger_checks.examine(messenger.context.settings)

    assert [(check.check, check.ok, check.detail, check.fix) for check in checks] == [
        ("messenger whatsapp", True, messenger.network.phone_number, None),
        ("messenger telegram", True, f"@{BOT}", None),
        ("messenger slack", True, f"@{SLACK_BOT} at Corner Bakery", None),
    ]
    assert (len(slack.lines), len(messenger.simulator.world.ledger.entries)) == before, "nothing is changed"


@pytest.mark.parametrize(
    ("change", "name", "detail", "fix"),
    [
        ({"whatsapp_access_token": "EAAwrong"}, "whatsapp", "", "SIGNALPOST_WHATSAPP_ACCESS_TOKEN"),
        ({"whatsapp_phone_number_id": "404404"}, "whatsapp", "", "SIGNALPOST_WHATSAPP_PHONE_NUMBER_ID"),
        ({"telegram_bot_token": "7999999999:" + "A" * 35}, "telegram", "", "SIGNALPOST_TELEGRAM_BOT_TOKEN"),
        ({"slack_bot_token": "xoxb-of-nobody-at-all"}, "slack", "invalid_auth", "SIGNALPOST_SLACK_BOT_TOKEN"),
        ({"slack_app_token": "xapp-1-A1-of-nobody"}, "slack", "invalid_auth", "SIGNALPOST_SLACK_APP_TOKEN"),
    ],
)
async def test_a_wrong_credential_is_named(
    messenger: Messenger, change: dict[str, Any], name: str, detail: str, fix: str
) -> None:
    settings = dataclasses.replace(messenger.context.settings, **change)

    (wrong,) = [check for check in await messenger_checks.examine(settings) if not check.ok]

    assert wrong.check == f"messenger {name}"
    assert wrong.detail
    assert detail in wrong.detail
    assert fix in (wrong.fix or "")
    assert not [value for setting, value in change.items() if "token" in setting and value in wrong.detail]


async def test_a_messenger_that_does_not_answer_is_not_a_wrong_token(messenger: Messenger) -> None:
    for name in ("whatsapp", "telegram", "slack"):
        messenger.simulator.world.add_fault(name, "dropped", times=2)

    checks = await messenger_checks.examine(messenger.context.settings)

    assert {check.ok for check in checks} == {False}
    assert not [check for check in checks if "SIGNALPOST" in (check.fix or "")]


async def test_an_installation_without_messengers_is_well(messenger: Messenger) -> None:
    settings = dataclasses.replace(messenger.context.settings, **NONE)

    (check,) = await messenger_checks.examine(settings)

    assert (check.check, check.ok, check.detail) == ("messenger", True, "none is set up")
