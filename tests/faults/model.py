"""What should be, in as few lines as possible: posts, targets and accounts, and the rules that no history may break.

It hears of each call at the network while it happens (`Watcher`) and of each request that was answered, and says
afterwards what the API has to show. A broken rule is noted in `broken`, since an exception inside a network call would
only be one more outcome for the service.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from tests.faults.model_world import LIMITED_SECONDS, SLOW_SECONDS, Watcher, World

from signalpost.networks.contract import (
    Absent,
    NeedsReconnect,
    Outcome,
    OutcomeUnknown,
    Pending,
    Published,
    Reconciled,
    Refused,
    TryLater,
)

WAITING: Final = ("pending", "retrying")
UNDER_WAY: Final = ("publishing", "processing", "unknown")
OVER: Final = ("published", "failed")
MARGIN: Final = timedelta(seconds=3)
"""Real time passes too while a history runs: closer than this, it may be either side of a limit."""
WINDOW: Final = timedelta(minutes=720)
RETRY_SECONDS: Final = (60, 300, 900, 3600)
RECONCILE_SECONDS: Final = (30, 90, 480, 3000)
POLL_SECONDS: Final = (SLOW_SECONDS, 5, 10, 20, 40, 80, 160, 300)
PROCESSING_MAX: Final = timedelta(hours=2)
TRIES_MAX: Final = 5


@dataclass
class Account:
    """`status`: active, paused, needs_reauth or disconnected."""

    name: str
    id: str
    status: str = "active"
    paused_until: datetime | None = None


@dataclass
class Target:
    """A post at one account. `due` None: it waits for nothing, as in a draft."""

    account: Account
    status: str = "pending"
    due: datetime | None = None
    next_at: datetime | None = None
    """When the API says that it is looked at again."""
    soonest: datetime | None = None
    latest: datetime | None = None
    """Between these, the next look has to be, if it waits since the last change."""
    started: bool = False
    tries: int = 0
    looks: int = 0
    polls: int = 0
    processing_since: datetime | None = None
    """Since when the network has prepared it; None: it does not, and an answer is one to an attempt."""
    public: set[str] = field(default_factory=set)
    """The parts that the service knows to be public."""
    intent: bool = False
    code: str | None = None

    def end(self, status: str, code: str | None = None) -> None:
        self.status, self.code, self.due, self.soonest, self.latest = status, code, None, None, None

    def wait(self, status: str, now: datetime, least: float, most: float) -> None:
        self.status = status
        self.soonest, self.latest = now + timedelta(seconds=least), now + timedelta(seconds=most)
        self.next_at = self.soonest

    @property
    def is_live(self) -> bool:
        """Whether the service has yet to do something about it."""
        return self.status in UNDER_WAY or (self.status in WAITING and self.due is not None)


@dataclass
class Post:
    """`scheduled`: the time that was asked for. `former`: its status when it was moved to the trash."""

    id: str
    parts: list[str]
    targets: list[Target]
    approval: str = "not_required"
    scheduled: datetime | None = None
    trashed: bool = False
    former: str | None = None

    @property
    def held(self) -> bool:
        return self.approval in ("pending", "rejected")

    @property
    def is_under_way(self) -> bool:
        return any(target.status in UNDER_WAY for target in self.targets)

    @property
    def is_editable(self) -> bool:
        """Whether all of it can be changed."""
        untouched = not any(t.status in (*UNDER_WAY, "published") or t.public for t in self.targets)
        return untouched and self.status() in ("draft", "waiting", "failed")

    def status(self) -> str:
        """`waiting` is scheduled or queued, which only the clock tells apart."""
        live = [target for target in self.targets if target.status != "cancelled"]
        if not live:
            return "draft"
        if all(target.status in OVER for target in live):
            failed = sum(target.status == "failed" for target in live)
            return "failed" if failed == len(live) else "partial" if failed else "published"
        started = any(target.started for target in self.targets)
        if all(t.status == "pending" or (t.status == "failed" and not started) for t in live):
            return "waiting" if any(t.due for t in live if t.status == "pending") else "draft"
        return "publishing"


class Model(Watcher):
    """All posts and accounts of one history."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.posts: dict[str, Post] = {}
        self.accounts: dict[str, Account] = {}
        self.broken: list[str] = []
        self.again: Counter[tuple[str, str]] = Counter()
        """Texts that somebody chose to post again although it was unknown whether they are there."""
        self.events: Counter[tuple[str, str, str]] = Counter()
        """(type, scope, post) of what had to be told."""
        self.by_text: dict[str, Post] = {}
        """Whose text it is now; texts that were edited away are in nobody's name any more."""
        self.race: Any = None
        """Does what happens meanwhile; the history sets it."""

    # What is seen at the network

    def _find(self, who: str, text: str, what: str) -> tuple[Post, Target] | None:
        post = self.by_text.get(text)
        target = next((t for t in post.targets if t.account.name == who), None) if post else None
        if post is None or target is None:
            self.broken.append(f"{what} for a text that is nobody's now: {who} {text}")
            return None
        return post, target

    def on_attempt(self, who: str, text: str) -> None:
        if (found := self._find(who, text, "attempt")) is None:
            return
        _, target = found
        if target.account.status == "disconnected":
            return  # begun before that; whether it goes on is seen by its calls
        # What the network prepares from then on is published as soon as it is ready, however long that takes.
        if target.due is not None and self.world.now() > target.due + WINDOW + MARGIN:
            self.broken.append(f"begun too late: {who} {text}")
        target.tries = 1 if target.status == "pending" else target.tries + 1
        target.status, target.started, target.processing_since = "publishing", True, None

    def on_call(self, who: str, text: str) -> None:
        """Everything that makes a call wrong: doubled, early, or against what somebody was told."""
        if (found := self._find(who, text, "call")) is None:
            return
        post, target = found
        target.intent = True
        now, name = self.world.now(), f"{who} {text}"
        if self.world.ledger.made[who, text] > self.again[who, text]:
            self.broken.append(f"double: {name}")
        if target.due is None:
            self.broken.append(f"sent although nothing was queued: {name}")
        elif now < target.due:
            self.broken.append(f"early by {target.due - now}: {name}")
        if post.trashed or post.held:
            self.broken.append(f"sent although trashed ({post.trashed}) or not approved: {name}")
        if target.account.status == "disconnected":
            self.broken.append(f"sent after the account was disconnected: {name}")

    async def meanwhile(self, what: str, who: str, text: str) -> None:
        if (found := self._find(who, text, what)) is not None and self.race is not None:
            await self.race(what, *found)

    def on_found(self, who: str, text: str, *, found: bool) -> None:
        if found and (known := self._find(who, text, "found")) is not None:
            known[1].public.add(text)

    def on_outcome(self, who: str, text: str, outcome: Outcome) -> None:
        if (found := self._find(who, text, "outcome")) is None:
            return
        post, target = found
        now = self.world.now()
        sent = [part for part in post.parts if self.world.ledger.made[who, part]]
        match outcome:
            case Published():
                target.public, target.intent = set(post.parts), False
                self._end(post, target, "published")
            case Refused():
                target.intent = False
                self._end(post, target, "failed", outcome.code)
            case TryLater():
                target.intent = False
                self._try_later(post, target, outcome, now)
            case NeedsReconnect():
                target.intent = False
                if target.account.status != "disconnected":
                    target.account.status = "needs_reauth"
                self._reconnect_first(post, target, now)
            case Pending():
                self._poll_later(post, target, now, SLOW_SECONDS)
            case OutcomeUnknown():
                target.looks = 0
                target.wait("unknown", now, RECONCILE_SECONDS[0], RECONCILE_SECONDS[0] * 1.2)
        if not isinstance(outcome, (Published, OutcomeUnknown)):
            target.public |= set(sent)  # what was made in this attempt before the refusal, and answered

    def _try_later(self, post: Post, target: Target, outcome: TryLater, now: datetime) -> None:
        if outcome.code == "rate_limited":
            target.account.paused_until = now + timedelta(seconds=LIMITED_SECONDS)
        if target.processing_since is not None:  # it is prepared all the same; what failed is a look
            self._poll_later(post, target, now, outcome.after_seconds or 0, sent=True)
            return
        if target.tries >= TRIES_MAX:
            self._end(post, target, "failed", outcome.code)
            return
        seconds = RETRY_SECONDS[max(target.tries, 1) - 1]
        least = max(seconds, outcome.after_seconds or 0)
        target.wait("retrying", now, least, max(seconds * 1.2, least))

    def _poll_later(self, post: Post, target: Target, now: datetime, least: float, *, sent: bool = False) -> None:
        """`sent`: this look sent something, so that whether it is there is asked before the target fails."""
        if target.processing_since is None:
            target.processing_since, target.polls = now, 0
        elif now - target.processing_since < PROCESSING_MAX:
            target.polls += 1
        elif sent:
            target.intent, target.looks = True, 0
            target.wait("unknown", now, RECONCILE_SECONDS[0], RECONCILE_SECONDS[0] * 1.2)
            return
        else:
            self._end(post, target, "failed", "media_processing_failed")
            return
        seconds = max(POLL_SECONDS[min(target.polls, len(POLL_SECONDS) - 1)], least)
        target.wait("processing", now, seconds, seconds)

    def _reconnect_first(self, post: Post, target: Target, now: datetime) -> None:
        if target.due is not None and now >= target.due + WINDOW:
            self._end(post, target, "failed", "auth_expired")
            return
        if target.processing_since is None:
            target.tries -= 1
        target.wait("retrying" if target.processing_since is None else "processing", now, 600, 600)
        target.soonest = None  # sooner if the account is connected again, or its window ends

    def on_reconciled(self, who: str, text: str, found: Reconciled) -> None:
        if (known := self._find(who, text, "reconcile")) is None:
            return
        post, target = known
        now = self.world.now()
        match found:
            case Published():
                target.public, target.intent = set(post.parts), False
                self._end(post, target, "published")
            case Absent():
                target.intent = False
                target.wait("retrying", now, 0, 0)
            case OutcomeUnknown():
                target.looks += 1
                if target.looks >= len(RECONCILE_SECONDS):
                    self._end(post, target, "failed", "outcome_unknown")
                else:
                    seconds = RECONCILE_SECONDS[target.looks]
                    target.wait("unknown", now, seconds, seconds * 1.2)

    # What is told

    def _end(
        self, post: Post, target: Target, status: str, code: str | None = None, *, tells_post: bool = True
    ) -> None:
        target.end(status, code)
        self.events[f"post.{status}", "target", post.id] += 1
        if tells_post:
            self.tell(post)

    def tell(self, post: Post) -> None:
        """Expect the event of the post as a whole, if that has ended."""
        if (status := post.status()) in ("published", "partial", "failed"):
            self.events[f"post.{status}", "post", post.id] += 1

    # What somebody did, and was told so

    def queue(self, target: Target, due: datetime) -> None:
        target.status, target.due, target.next_at, target.code = "pending", due, due, None
        target.soonest = target.latest = None

    def unqueue(self, post: Post, *, trash: bool = False) -> int:
        """Take what waits off the queue; return how many targets that were."""
        stopped = taken = 0
        for target in post.targets:
            if target.status in WAITING and target.due is not None:
                taken += 1
                if target.public:
                    stopped += 1
                    self._end(post, target, "failed", "cancelled", tells_post=False)
                else:
                    target.end("cancelled")
        if stopped or (taken and not trash):
            self.tell(post)
        return taken

    def cancelled_meanwhile(self, post: Post, shown: list[str]) -> None:
        """Take over which targets were cancelled beside one that is at the network: others may have begun as well."""
        for target, status in zip(post.targets, shown, strict=True):
            if target.status in WAITING and status == "cancelled":
                target.end("cancelled")
            elif target.status in WAITING and status == "failed":
                self._end(post, target, "failed", "cancelled", tells_post=False)

    def disconnect(self, account: Account) -> None:
        """Whatever waits for the account fails; what is under way may end, but begins nothing."""
        account.status = "disconnected"
        for post in self.posts.values():
            ended = False
            for target in post.targets:
                if target.account is account and target.status in WAITING and target.due is not None:
                    self._end(post, target, "failed", "account_disconnected", tells_post=False)
                    ended = True
            if ended:
                self.tell(post)

    def retry(self, post: Post, *, unknown: bool, due: datetime) -> int:
        """Queue again what failed; return how many targets that were."""
        retried = 0
        for target in post.targets:
            if target.status != "failed" or (target.code == "outcome_unknown" and not unknown):
                continue
            if target.code == "outcome_unknown":
                for part in post.parts:
                    if part not in target.public:
                        self.again[target.account.name, part] = self.world.ledger.made[target.account.name, part]
            retried += 1
            target.intent = False
            self.queue(target, due)
        return retried

    def time_over(self, shown: dict[str, list[str]], began: datetime) -> None:
        """End what the service ends without asking a network, once it looks: too late, or the account is gone.

        `shown`: the status of the targets by post, which decides where it is a matter of seconds. `began`: when the
        service began to look.
        """
        now = self.world.now()
        for post in self.posts.values():
            for target, status in zip(post.targets, shown.get(post.id, ()), strict=False):
                code, certain = self._over(target, now, began)
                if target.is_live and code is not None and (certain or status == "failed"):
                    if target.status == "publishing":  # what was made before is public, and known to be
                        made = self.world.ledger.made
                        target.public |= {part for part in post.parts if made[target.account.name, part]}
                    self._end(post, target, "failed", code)

    def _over(  # noqa: PLR0911 - a list of reasons
        self, target: Target, now: datetime, began: datetime
    ) -> tuple[str | None, bool]:
        """Return the code with which it ends, and whether that is certain."""
        account = target.account
        if target.status == "publishing" and account.status == "disconnected":
            return "account_disconnected", True  # found out in the middle of an attempt
        if target.due is None or target.next_at is None or target.next_at > now + MARGIN:
            return None, False
        certain = target.next_at < began - MARGIN
        if account.paused_until is not None and account.paused_until > now - MARGIN:
            if account.paused_until < began + timedelta(seconds=LIMITED_SECONDS):
                return None, False
            certain = False  # the pause began while the service looked
        if account.status == "disconnected":
            return "outcome_unknown" if target.intent else "account_disconnected", certain
        late_at = target.due + WINDOW
        if now < late_at - MARGIN:
            return None, False
        certain = certain and began > late_at + MARGIN
        if account.status != "active" and target.intent:
            return "outcome_unknown", certain
        return ("late", certain) if target.status in WAITING or account.status != "active" else (None, False)
