"""Notifications on a device, from a click in the console to what the browser shows.

Only the way from the push service to the browser is not the real one, since it leads over the internet: the browser
subscribes at the service of the test, and what that received is handed to the worker by the browser's own tools.
"""

import asyncio
import json
import secrets
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.async_api import BrowserContext, Page, expect
from tests.console.browser import OpenPage, sign_in, violations
from tests.console.pages import visit
from tests.counterparts import tools
from tests.helpers.limits import PAGE_SECONDS
from tests.helpers.push_service import Browser, PushService, push_service
from tests.helpers.service_process import Api, installed_with_owner

import signalpost.console

pytestmark = pytest.mark.xdist_group("browser-posts")
WORKER = Path(signalpost.console.__file__).parent / "static" / "worker.js"
SUBSCRIBES = """
  const given = SUBSCRIPTION;
  const made = (key) => ({
    options: { applicationServerKey: key }, toJSON: () => ({ ...given, expirationTime: null }),
    unsubscribe: async () => localStorage.removeItem("subscribed") ?? true,
  });
  const bytes = () => Uint8Array.from(JSON.parse(localStorage.getItem("subscribed"))).buffer;
  PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
    if (!userVisibleOnly) throw new DOMException("", "NotAllowedError");
    localStorage.setItem("subscribed", JSON.stringify([...applicationServerKey]));
    return made(bytes());
  };
  Object.defineProperty(Notification, "permission", { get: () => localStorage.getItem("allowed") ?? "default" });
  Notification.requestPermission = async () => (localStorage.setItem("allowed", "granted"), "granted");
  PushManager.prototype.getSubscription = async () => (localStorage.getItem("subscribed") ? made(bytes()) : null);
"""
SHOWS = """() => {
  self.shown = [];
  ServiceWorkerRegistration.prototype.showNotification = async (title, { body, tag, data, icon }) => {
    self.shown.push({ title, body, tag, data, icon: (await fetch(icon)).headers.get("content-type") });
  };
}"""


@pytest.fixture
async def reachable() -> AsyncIterator[Api]:
    """A service that may reach the push service of the test."""
    async with installed_with_owner() as found:
        await found.start(SIGNALPOST_TRUSTED_PROXIES="1", SIGNALPOST_ALLOWED_PRIVATE_HOSTS="127.0.0.1")
        yield await found.owner()


async def subscribing(context: BrowserContext, service: PushService) -> Browser:
    """Have the browser subscribe at this push service."""
    own = Browser(f"{service.url}send/{secrets.token_hex(6)}")
    await context.add_init_script(SUBSCRIBES.replace("SUBSCRIPTION", json.dumps(own.subscription)))
    return own


async def delivered(page: Page, data: str) -> list[dict[str, Any]]:
    """Hand the worker what came from its push service; return what it shows: a headless browser has no screen."""
    [worker] = page.context.service_workers  # of this address
    await worker.evaluate(SHOWS)
    tab = await page.context.new_cdp_session(page)
    registrations: list[dict[str, Any]] = []
    heard = asyncio.Event()

    def note(event: Any) -> None:
        registrations.extend(each for each in event["registrations"] if not each["isDeleted"])
        heard.set()

    tab.on("ServiceWorker.workerRegistrationUpdated", note)
    await tab.send("ServiceWorker.enable")
    await heard.wait()
    origin = page.url.partition("/console")[0]
    [own] = {each["registrationId"] for each in registrations if each["scopeURL"].startswith(origin)}
    message = {"origin": origin, "registrationId": own, "data": data}
    await tab.send("ServiceWorker.deliverPushMessage", message)
    async with asyncio.timeout(PAGE_SECONDS):
        while not (shown := await worker.evaluate("self.shown")):
            await page.evaluate("() => new Promise(requestAnimationFrame)")
    return cast("list[dict[str, Any]]", shown)


async def test_a_device_shows_what_the_service_sends(open_page: OpenPage, reachable: Api, axe: str) -> None:
    """Turned on, tried, chosen, listed for other devices, and ended by signing out."""
    state = await sign_in(reachable.service)
    public_key = (await reachable.get("/auth/push"))["publicKey"]
    async with (
        push_service(public_key) as service,
        open_page(at=reachable.service, storage_state=state, has_worker=True) as page,
    ):
        own = await subscribing(page.context, service)
        await visit(page, "/console/account")
        await reachable.service.until(lambda: page.evaluate("Boolean(navigator.serviceWorker.controller)"), "worker")
        await visit(page, "/console/account")
        card = page.get_by_role("region", name="Notifications on my devices")
        await card.get_by_role("button", name="Turn on on this device").click()
        await expect(card.get_by_text("This device shows notifications")).to_be_visible()
        assert await violations(page, axe) == []

        await card.get_by_role("button", name="Send a test").click()
        await service.wait(1)
        text = own.read(service.taken[0].body)
        assert service.refused == []
        assert await delivered(page, json.dumps(text)) == [
            {
                "title": "Notifications work here",
                "body": "So you will see what waits for you.",
                "tag": text["tag"],
                "data": {"path": "/console/account/notifications"},
                "icon": "image/png",
            }
        ]

        await card.get_by_role("checkbox", name="Usage of the plan").uncheck()
        await card.get_by_role("button", name="Save what my devices show").click()
        await expect(page.get_by_text("Saved.")).to_be_visible()
        choices = (await reachable.get("/auth/notifications"))["push"]
        assert [topic for topic, is_on in choices.items() if not is_on] == ["usage"]

        await page.get_by_role("button", name="Sign out", exact=True).first.click()
        await page.wait_for_url("**/login*", timeout=PAGE_SECONDS * 1000)
        assert await page.evaluate("localStorage.getItem('subscribed')") is None


async def test_what_comes_is_always_shown(open_page: OpenPage, reachable: Api) -> None:
    """Browsers end the subscription of a worker that shows nothing."""
    state = await sign_in(reachable.service)
    async with open_page(at=reachable.service, storage_state=state, has_worker=True) as page:
        await visit(page, "/console")
        await reachable.service.until(lambda: page.evaluate("Boolean(navigator.serviceWorker.controller)"), "worker")
        assert [each["title"] for each in await delivered(page, "<not json>")] == ["Signalpost"]


CLICK = """
const vm = require("node:vm"), fs = require("node:fs");
const [file, root, path, windows] = JSON.parse(process.argv[1]);
const heard = {}, done = [];
const focus = () => done.push("focus");
const client = (url) => ({ url, focus, postMessage: (data) => done.push({ told: data, at: url }) });
const self = {
  registration: { scope: "https://social.example.com/" },
  addEventListener: (type, listener) => (heard[type] = listener),
  clients: { matchAll: async () => windows.map(client), openWindow: async (url) => done.push({ opened: url }) },
};
const location = { pathname: `${root}/console-worker.js`, origin: "https://social.example.com" };
vm.runInNewContext(fs.readFileSync(file, "utf8"), { self, location, caches: {}, URL, URLSearchParams });
const waits = [];
heard.notificationclick({
  notification: { close: () => done.push("close"), data: { path } }, waitUntil: (promise) => waits.push(promise),
});
Promise.all(waits).then(() => console.log(JSON.stringify(done)));
"""
HOST = "https://social.example.com"


@pytest.mark.parametrize(
    ("root", "path", "windows", "done"),
    [
        ("", "/console/posts/pst_1?x=1", [], ["close", {"opened": "/console/posts/pst_1?x=1"}]),
        ("/app", "/console/approvals", [f"{HOST}/docs"], ["close", {"opened": "/app/console/approvals"}]),
        (
            "",
            "/console/approvals",
            [f"{HOST}/status", f"{HOST}/console/posts"],
            ["close", {"told": {"open": "/console/approvals"}, "at": f"{HOST}/console/posts"}, "focus"],
        ),
        ("", "//evil.example.com/console", [], ["close", {"opened": "/console"}]),
        ("", "@evil.example.com/console", [], ["close", {"opened": "/console"}]),
        ("", "/consoles/x", [], ["close", {"opened": "/console"}]),
        ("", "/console/../docs", [], ["close", {"opened": "/console"}]),
        ("", None, [], ["close", {"opened": "/console"}]),
    ],
)
def test_a_click_opens_a_page_of_this_console_only(
    root: str, path: str | None, windows: list[str], done: list[Any]
) -> None:
    """In the window that is open, if there is one. Nobody can click a notification of a headless browser: here it is
    the worker itself in a Node that stands for one.
    """
    arguments = json.dumps([str(WORKER), root, path, windows])
    run = subprocess.run([tools.node(), "-e", CLICK, arguments], capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) == done


RENEWED = """
const vm = require("node:vm"), fs = require("node:fs");
const [file, status] = JSON.parse(process.argv[1]);
const heard = {}, done = [], waits = [];
const subscription = {
  toJSON: () => ({ endpoint: "https://push.example.com/2", expirationTime: null, keys: { p256dh: "p", auth: "a" } }),
  unsubscribe: async () => done.push("unsubscribed"),
};
const self = {
  registration: {
    scope: "https://social.example.com/",
    pushManager: { subscribe: async (options) => (done.push(options), subscription) },
  },
  addEventListener: (type, listener) => (heard[type] = listener),
};
const fetch = async (url, { method, body, headers }) => {
  done.push([method, url, headers["X-Console"], JSON.parse(body)]);
  return { ok: status < 300 };
};
const location = { pathname: "/app/console-worker.js", origin: "https://social.example.com" };
vm.runInNewContext(fs.readFileSync(file, "utf8"), { self, location, fetch, URL, URLSearchParams });
const oldSubscription = { options: { userVisibleOnly: true } };
heard.pushsubscriptionchange({ oldSubscription, waitUntil: (promise) => waits.push(promise) });
Promise.all(waits).then(() => console.log(JSON.stringify(done)));
"""


@pytest.mark.parametrize(("status", "end"), [(201, []), (401, ["unsubscribed"])])
def test_another_address_at_the_push_service_is_said_to_the_service(status: int, end: list[str]) -> None:
    """As Firefox does it after a while. Where nobody is signed in any more, the browser has no subscription either."""
    run = subprocess.run(
        [tools.node(), "-e", RENEWED, json.dumps([str(WORKER), status])], capture_output=True, text=True, check=True
    )
    body = {"endpoint": "https://push.example.com/2", "keys": {"p256dh": "p", "auth": "a"}}
    said = ["POST", "/app/api/v1/auth/push", "1", body]
    assert json.loads(run.stdout) == [{"userVisibleOnly": True}, said, *end]
