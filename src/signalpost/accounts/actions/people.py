"""People whom a post can mention, as the network of an account finds them while a person types."""

from typing import Final
from uuid import UUID

from signalpost import networks
from signalpost.accounts.actions.ask import ask
from signalpost.accounts.platform_schemas import MentionablePerson, PeopleQuery
from signalpost.accounts.queries import AccountRow
from signalpost.context import AppContext
from signalpost.kit import clock
from signalpost.kit.lru import LruDict
from signalpost.kit.problems import InvalidState
from signalpost.networks.contract.people import PEOPLE_MAX
from signalpost.web.limits import Limiter
from signalpost.web.shared_buckets import SharedBuckets

ASK_SECONDS_MAX: Final = 5.0
"""Who types on has forgotten the question."""
KEPT_SECONDS: Final = 60.0
PER_MINUTE: Final = 120
"""Questions of a workspace; answers that are kept do not count."""
_KEPT_MAX: Final = 2_000


class Answers:
    """What networks answered lately: letters are deleted and typed again."""

    def __init__(self) -> None:
        self._limiter: Limiter | None = None
        self._entries: LruDict[tuple[UUID, str], tuple[float, list[MentionablePerson]]] = LruDict(_KEPT_MAX)

    def get(self, account_id: UUID, text: str) -> list[MentionablePerson] | None:
        """Return an answer that is not too old."""
        entry = self._entries.get((account_id, text))
        return entry[1] if entry is not None and clock.monotonic() - entry[0] < KEPT_SECONDS else None

    async def admit(self, context: AppContext, workspace_id: UUID) -> None:
        """Count a question of the workspace, in all processes together.

        Raises:
            RateLimited: it has asked too often.
        """
        if self._limiter is None:
            self._limiter = Limiter(SharedBuckets(context.database))
        await self._limiter.admit(f"people:{workspace_id}", "people", PER_MINUTE)

    def keep(self, account_id: UUID, text: str, people: list[MentionablePerson]) -> None:
        """Keep an answer for a moment."""
        self._entries[account_id, text] = (clock.monotonic(), people)


async def find_people(context: AppContext, account: AccountRow, query: PeopleQuery) -> list[MentionablePerson]:
    """Ask the network, with no transaction open; none where it has no such search.

    Raises:
        InvalidState: the account has to be connected again, or the network refuses to tell.
        PlatformError, PlatformTimeout: the network gave no usable response.
        RateLimited: the workspace has asked too often.
    """
    connector = networks.get(account.platform)
    if connector is None:
        raise InvalidState("This installation does not have the network of this account.")
    if account.status == "disconnected":
        raise InvalidState("The account is disconnected. Connect the account again.")
    text = query.q.strip().removeprefix("@")
    if connector.people is None or not text:
        return []
    answers, search = context.state(Answers), connector.people
    answer = answers.get(account.id, text)
    if answer is None:
        await answers.admit(context, account.workspace_id)
        persons = await ask(context, account, connector, lambda session: search(session, text), ASK_SECONDS_MAX)
        answer = [MentionablePerson(handle=person.handle, name=person.name) for person in [*persons][:PEOPLE_MAX]]
        answers.keep(account.id, text, answer)
    return answer
