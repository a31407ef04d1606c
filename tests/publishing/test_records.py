"""What is written down of a call: never a secret, also not one that is younger than the attempt."""

from typing import Any

import pytest
from tests.helpers.publishing import StagedNetwork

from signalpost.kit.http import NotSent
from signalpost.networks.contract import NeedsReconnect, OutcomeUnknown, Refused, TryLater

OLD, NEW = "top-secret-token", "renewed-secret-token"


@pytest.mark.parametrize(
    "outcome",
    [
        Refused(code="content_rejected", message=f"{NEW} {OLD}", response=NEW),
        TryLater(message=f"{NEW} {OLD}", response=NEW),
        OutcomeUnknown(message=f"{NEW} {OLD}", response=NEW),
        NeedsReconnect(message=f"{NEW} {OLD}", response=NEW),
    ],
    ids=lambda outcome: type(outcome).__name__,
)
async def test_a_token_that_was_renewed_meanwhile_is_not_written_down(stage: StagedNetwork, outcome: Any) -> None:
    """The network's answer shows both; so do the address and its message."""

    async def renew(session: Any, outgoing: Any, journal: Any) -> Any:
        await session.save_tokens({"token": NEW}, None)
        with pytest.raises(NotSent):
            await session.server.http.request("GET", f"http://127.0.0.1:1/bot/{NEW}/send")
        return outcome

    stage.publish = renew
    post = await stage.post()
    await stage.work()

    for path in (f"/posts/{post}", f"/posts/{post}/audit", f"/posts/{post}/status", "/platforms/accounts"):
        response = await stage.make.api.get(path, key=stage.owner.key)
        assert response.status_code == 200
        assert NEW not in response.text, path
        assert OLD not in response.text, path
        assert ("/bot/[redacted]/send" in response.text) == path.endswith("/audit")
