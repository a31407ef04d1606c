"""The journal of one target, committed step by step under the lease, and a record of the last HTTP call."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from signalpost.engine.contract import Lease
from signalpost.kit.failpoint import failpoint
from signalpost.networks.contract import Http, Response
from signalpost.publishing.attempt import Attempt
from signalpost.publishing.policy import Intent

PATH_LENGTH_MAX = 500

_RECORD = "update target set steps = steps || jsonb_build_object($2::text, $3::jsonb), updated_at = now() where id = $1"
_INTEND = """
with intent_noted as (update attempt set intent_at = now() where id = $4)
update target set steps = steps || jsonb_build_object($2::text, $3::jsonb),
    intent = jsonb_build_object('step', $2::text, 'value', $3::jsonb, 'at', now()), updated_at = now()
where id = $1 returning intent
"""
_DONE = """
update target set steps = steps || jsonb_build_object($2::text, $3::jsonb),
    intent = case when intent ->> 'step' = $2 then null else intent end, updated_at = now()
where id = $1
"""


class TargetJournal:
    """What was done for a target; implements `networks.contract.Journal`."""

    def __init__(self, lease: Lease, attempt: Attempt) -> None:
        self._lease = lease
        self._target_id = attempt.target_id
        self._attempt_id = attempt.id
        self._steps = attempt.due.target.steps
        self.intent = attempt.snapshot.intent
        """The open intent, as in the row."""

    @property
    def steps(self) -> Mapping[str, Any]:
        """See `networks.contract.Journal`."""
        return self._steps

    async def record(self, step: str, value: Any) -> None:
        """See `networks.contract.Journal`."""
        failpoint("before-record")
        async with self._lease.transaction() as db:
            await db.execute(_RECORD, self._target_id, step, value)
        failpoint("after-record")
        self._steps[step] = value

    async def intend(self, step: str, value: Any) -> None:
        """See `networks.contract.Journal`; on return the call may be made at once."""
        failpoint("before-intent")
        async with self._lease.transaction() as db:
            intent = await db.fetchval(_INTEND, self._target_id, step, value, self._attempt_id)
            self.intent = msgspec.convert(intent, Intent)
        self._steps[step] = value
        failpoint("after-intent")
        self._lease.ensure_fresh()

    async def done(self, step: str, value: Any) -> None:
        """See `networks.contract.Journal`."""
        failpoint("before-done")
        async with self._lease.transaction() as db:
            await db.execute(_DONE, self._target_id, step, value)
        failpoint("after-done")
        self._steps[step] = value
        if self.intent is not None and self.intent.step == step:
            self.intent = None


class RecordingHttp:
    """The outgoing client, which keeps the last call for the attempt's record."""

    def __init__(self, http: Http, secrets: Mapping[str, str]) -> None:
        self._http = http
        self._secrets = [value for value in secrets.values() if len(value) > 7]
        self.request_made: dict[str, str] | None = None
        self.status: int | None = None

    async def request(self, method: str, url: str, **options: Any) -> Response:
        """Send the request; see `networks.contract.Http`."""
        parts = urlsplit(url)
        path = self.redacted(parts.path)[:PATH_LENGTH_MAX]
        self.request_made = {"method": method, "host": parts.hostname or "", "path": path}
        self.status = None
        failpoint("before-call")
        response = await self._http.request(method, url, **options)
        failpoint("after-call")
        self.status = response.status
        return response

    def redacted(self, text: str) -> str:
        """Return `text` without the account's secrets."""
        for secret in self._secrets:
            text = text.replace(secret, "[redacted]")
        return text
