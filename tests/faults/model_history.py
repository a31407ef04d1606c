"""A history: what people do by the API, each with the answer that the model expects."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from tests.faults.model import MARGIN, WAITING, Account, Model, Post, Target
from tests.faults.model_world import World

from signalpost.kit import ids

ACCOUNTS: Final = ("ann", "bob")
TOLD: Final = ("post.published", "post.partial", "post.failed", "account.connected", "account.disconnected")


class History:
    """One workspace: two accounts at the network, an owner, an editor whose posts need approval, a webhook."""

    def __init__(self, world: World) -> None:
        self.world, self.model = world, Model(world)
        world.begin(self.model)
        self.model.race = self._race
        self.told: Counter[str] = Counter()
        """How often accounts were connected and disconnected."""
        self.shown: dict[str, Any] = {}
        """What the API showed of each post last."""
        self.purged = self._texts = 0
        self.members, self.worked = 2, False

    async def begin(self) -> None:
        make = self.world.make
        self.owner = await make.owner()
        self.editor = await make.member(self.owner, role="editor")
        await self.call("PATCH", f"/profiles/{self.owner.profile}", 200, json={
            "latePolicy": {"minGapSeconds": 0}, "approvalRequired": True,
        })  # fmt: skip
        await self.call("POST", "/webhooks", 201, json={"url": "http://127.0.0.1:9/", "events": list(TOLD)})
        for name in ACCOUNTS:
            self.model.accounts[name] = Account(name, "")
            await self.connect(name)

    async def call(self, method: str, path: str, *wants: int, key: str | None = None, **options: Any) -> Any:
        """Call the API; returns the body and the status. `wants`: which it must be."""
        answer = await self.world.api.call(method, path, key=key or self.owner.key, **options)
        assert answer.status_code in wants, (method, path, wants, answer.status_code, answer.text)
        return answer.json() if answer.content else {}

    # Posts

    async def create(
        self, names: Sequence[str], when: float | None, parts: int, fates: Sequence[str], *,
        draft: bool = False, editor: bool = False, twice: bool = False,
    ) -> None:  # fmt: skip
        """`when`: seconds from now. `fates`: what its calls meet. `twice`: the same request again, as if unanswered."""
        texts, scheduled = self._new_texts(parts, names, fates), self._later(when)
        body = self._body(names, texts, scheduled) | {"draft": draft}
        key = self.editor.key if editor else self.owner.key
        options: dict[str, Any] = {"key": key, "json": body, "headers": {"Idempotency-Key": texts[0]}}
        wants = 422 if any(self.model.accounts[name].status == "disconnected" for name in names) else 201
        shown = await self.call("POST", "/posts", wants, **options)
        if twice:
            assert await self.call("POST", "/posts", wants, **options) == shown or wants == 422
        if wants == 201:
            self._add(shown, texts, names, None if draft else scheduled or self.world.now(), scheduled, draft=draft)

    async def bulk(self, names: Sequence[str], count: int, when: float | None, fates: Sequence[str]) -> None:
        """Several posts in one request; all of them or none."""
        texts = [self._new_texts(1, names, fates) for _ in range(count)]
        scheduled = self._later(when)
        bodies = [self._body(names, text, scheduled) for text in texts]
        fails = any(self.model.accounts[name].status == "disconnected" for name in names)
        body = {"posts": bodies, "draft": False, "atomic": True}
        shown = await self.call("POST", "/posts/bulk", 422 if fails else 201, json=body)
        for text, post in zip(texts, [] if fails else shown["created"], strict=False):
            shown = await self.call("GET", f"/posts/{post['id']}", 200)
            self._add(shown, text, names, scheduled or self.world.now(), scheduled, draft=False)

    def _add(
        self, shown: Any, texts: list[str], names: Sequence[str], due: datetime | None, scheduled: datetime | None, *,
        draft: bool,
    ) -> None:  # fmt: skip
        targets = [Target(self.model.accounts[name], due=due) for name in names]
        post = Post(shown["id"], texts, targets, approval=shown["approval"]["state"], scheduled=scheduled)
        assert not draft or shown["status"] == "draft"
        self.model.posts[post.id] = post
        self.model.by_text |= dict.fromkeys(texts, post)

    def _new_texts(self, parts: int, names: Sequence[str], fates: Sequence[str]) -> list[str]:
        self._texts += 1
        texts = [f"text-{self._texts}.{part}" for part in range(parts)]
        for number, fate in enumerate(fates):
            for name in names:
                self.world.ledger.fates[name, texts[number % parts]].append(fate)
        return texts

    def _later(self, seconds: float | None) -> datetime | None:
        """So many seconds from now, to the millisecond, as it is stored."""
        if seconds is None:
            return None
        at = self.world.now() + timedelta(seconds=seconds)
        return at - timedelta(microseconds=at.microsecond % 1000)

    def _body(self, names: Sequence[str], texts: Sequence[str], scheduled: datetime | None) -> dict[str, Any]:
        return {
            "profileId": self.owner.profile, "text": texts[0], "thread": [{"text": text} for text in texts[1:]],
            "targets": [{"accountId": self.model.accounts[name].id} for name in names],
        } | ({"scheduledAt": self.world.real(scheduled)} if scheduled else {})  # fmt: skip

    async def edit_text(self, post: Post, fates: Sequence[str] = (), *, want: int | None = None) -> None:
        """Other texts for all parts; nobody may send the old ones any more."""
        names = [target.account.name for target in post.targets]
        texts = self._new_texts(len(post.parts), names, fates)
        body = {"text": texts[0], "thread": [{"text": text} for text in texts[1:]]}
        wants = want or (404 if post.trashed else 200 if post.is_editable else 409)
        shown = await self._change("PATCH", f"/posts/{post.id}", post, wants, json=body)
        if shown is None or wants != 200:
            return
        for text in post.parts:
            del self.model.by_text[text]
        self._requeue(post, shown)
        post.parts = texts
        self.model.by_text |= dict.fromkeys(texts, post)

    async def edit_time(self, post: Post, seconds: float | None) -> None:
        """Another time; None: no time, so it is a draft."""
        scheduled = self._later(seconds)
        is_open = post.is_editable and post.status() != "failed"
        wants = 404 if post.trashed else 200 if is_open else 409
        body = {"scheduledAt": self.world.real(scheduled) if scheduled else None}
        shown = await self._change("PATCH", f"/posts/{post.id}", post, wants, json=body)
        if shown is not None and wants == 200:
            post.scheduled = scheduled
            self._requeue(post, shown)

    async def _change(self, method: str, path: str, post: Post, wants: int, **options: Any) -> Any:
        """Call; a post whose account is disconnected may be refused instead, and is as it was. None: it was refused."""
        gone = any(target.account.status == "disconnected" for target in post.targets)
        past = post.scheduled is not None and post.scheduled < self.world.now() + MARGIN
        refusals = (422, 409) if gone else (422,) if past and wants < 300 else ()
        shown = await self.call(method, path, wants, *refusals, **options)
        return None if shown.get("status") in (422, 409) else shown

    def _requeue(self, post: Post, shown: Any) -> None:
        """A change that was accepted: what waits, waits anew; a draft waits for nothing; what failed stays so."""
        post.approval = shown["approval"]["state"]
        if shown["status"] == "failed":
            return
        now = self.world.now()
        for target in post.targets:
            if shown["status"] == "draft":
                target.status, target.due, target.code = "pending", None, None
            else:
                due = post.scheduled if post.scheduled and post.scheduled > now else now
                self.model.queue(target, due)

    async def submit(self, post: Post) -> None:
        status = post.status()
        retried = [t for t in post.targets if t.status == "failed" and t.code != "outcome_unknown"]
        is_open = status == "draft" or (status == "waiting" and self.shown[post.id]["status"] == "scheduled")
        is_open = (is_open and post.is_editable) or (status == "failed" and bool(retried))
        wants = 404 if post.trashed else 201 if is_open else 409
        if await self._change("POST", f"/queue/submit/{post.id}", post, wants) is None or wants != 201:
            return
        shown = await self.call("GET", f"/posts/{post.id}", 200)
        if status == "failed":
            now = self.world.now()
            due = post.scheduled if post.scheduled and post.scheduled > now else now
            self.model.retry(post, unknown=False, due=due)
        else:
            if post.scheduled is not None and post.scheduled <= self.world.now():
                post.scheduled = None
            self._requeue(post, shown)

    async def retry(self, post: Post, *, unknown: bool) -> None:
        failed = [t for t in post.targets if t.status == "failed" and (unknown or t.code != "outcome_unknown")]
        wants = 404 if post.trashed else 201 if failed else 409
        await self.call("POST", f"/posts/{post.id}/retry", wants, json={"includeUnknown": unknown})
        if wants == 201:
            self.model.retry(post, unknown=unknown, due=self.world.now())

    async def cancel(self, post: Post) -> None:
        waits = any(target.status in WAITING and target.due is not None for target in post.targets)
        await self.call("DELETE", f"/queue/cancel/{post.id}", 404 if post.trashed else 200 if waits else 409)
        if waits and not post.trashed:
            self.model.unqueue(post)

    async def trash(self, post: Post, *, permanent: bool = False) -> None:
        wants = 409 if post.is_under_way and not post.trashed else 200
        former, was_trashed = post.status(), post.trashed
        counted = (await self.world.query("select counted from post where id = $1", ids.decode("pst", post.id)))[0][0]
        await self.call("DELETE", f"/posts/{post.id}?permanent={str(permanent).lower()}", wants)
        if wants != 200:
            return
        if not post.trashed:
            self.model.unqueue(post, trash=True)
            post.trashed, post.former = True, former
        if permanent:
            self.purged += bool(counted and (was_trashed or any(target.started for target in post.targets)))
            del self.model.posts[post.id]
            for text in post.parts:
                del self.model.by_text[text]

    async def restore(self, post: Post) -> None:
        shown = await self.call("POST", f"/posts/{post.id}/restore", 201 if post.trashed else 409)
        if not post.trashed:
            return
        post.trashed = False
        now, waited = self.world.now(), post.former == "waiting"
        usable = all(target.account.status == "active" for target in post.targets)
        resumes = waited and usable and post.scheduled is not None and post.scheduled > now
        if post.scheduled is not None and abs(post.scheduled - now) < MARGIN:
            resumes = waited and shown["status"] != "draft"
        for target in post.targets:
            if waited and target.status == "cancelled":
                target.status = "pending"
                if resumes and post.scheduled is not None:
                    self.model.queue(target, post.scheduled)

    async def decide(self, post: Post, *, approve: bool) -> None:
        """Approve or reject."""
        is_open = post.approval == "pending" and (not approve or post.is_editable)
        wants = 404 if post.trashed else (200 if is_open else 409)
        word = "approve" if approve else "reject"
        shown = await self._change("POST", f"/posts/{post.id}/{word}", post, wants, json={})
        if shown is None or wants != 200:
            return
        if approve:
            self._requeue(post, shown)
        post.approval = shown["approval"]["state"]

    # Accounts, people, time

    async def connect(self, name: str) -> None:
        """Connect an account, or connect it again."""
        account = self.model.accounts[name]
        body = {"profileId": self.owner.profile, "fields": {"username": name}}
        shown = await self.call("POST", "/platforms/stage/connect", 201, json=body)
        assert account.id in ("", shown["id"])
        account.id, account.status, account.paused_until = shown["id"], shown["status"], None
        assert account.status == "active", shown
        self.told["account.connected"] += 1
        self._anytime(account)

    def _anytime(self, account: Account) -> None:
        """What waits for an account may be looked at sooner, now that it works again."""
        for post in self.model.posts.values():
            for target in post.targets:
                if target.account is account:
                    target.soonest = target.latest = None

    async def pause(self, name: str) -> None:
        """Pause an account, or resume it."""
        account = self.model.accounts[name]
        to = {"active": "paused", "paused": "active"}.get(account.status)
        path = f"/platforms/accounts/{account.id}"
        await self.call("PATCH", path, 200 if to else 409, json={"status": to or "paused"})
        account.status = to or account.status
        self._anytime(account)

    async def disconnect(self, name: str) -> None:
        account = self.model.accounts[name]
        await self.call("DELETE", f"/platforms/accounts/{account.id}", 200)
        if account.status != "disconnected":
            self.told["account.disconnected"] += 1
            self.model.disconnect(account)

    async def invite(self) -> None:
        self.members += 1
        body = {"email": f"m{self.members}@example.test", "role": "editor"}
        await self.call("POST", "/team/invite", 201, json=body)

    async def pass_time(self, seconds: float) -> None:
        await self.world.pass_time(self.owner.workspace_id, seconds)

    async def work(self) -> None:
        began = self.world.now()
        await self.world.work(self.owner.workspace_id)
        shown = (await self.call("GET", "/posts?limit=100", 200))["data"]
        self.model.time_over({post["id"]: [one["status"] for one in post["targets"]] for post in shown}, began)
        self.worked = True

    async def _race(self, what: str, post: Post, target: Target) -> None:
        """Somebody interferes while the network has the post."""
        match what:
            case "edit":
                await self.edit_text(post, want=409)
            case "trash":
                await self.call("DELETE", f"/posts/{post.id}", 409)
            case "disconnect":
                await self.disconnect(target.account.name)
            case "cancel":
                await self.call("DELETE", f"/queue/cancel/{post.id}", 200, 409)
                shown = await self.call("GET", f"/posts/{post.id}", 200)
                self.model.cancelled_meanwhile(post, [one["status"] for one in shown["targets"]])
