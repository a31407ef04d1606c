"""What only the owner of a workspace does, in a real browser: take it along, and delete it."""

import re
import secrets
import tarfile
from pathlib import Path

import pytest
from playwright.async_api import Route
from tests.console.browser import OpenPage, sign_in
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser")


async def test_a_workspace_is_exported_and_deleted(open_page: OpenPage, owned: Api, tmp_path: Path) -> None:
    """Only after the password, if the sign-in was long ago; and only by its name. A workspace of its own."""
    login = {"email": "owner@example.test", "password": "correct horse battery"}
    session = Api(
        owned.service, {"profileId": "", "apiKey": (await owned.post("/auth/login", json=login))["accessToken"]}
    )
    name = f"Doomed {secrets.token_hex(4)}"
    made = await session.post("/workspaces", json={"name": name})
    state = await sign_in(owned.service)
    chosen = [{"name": "workspace", "value": made["id"]}]
    state["origins"] = [{"origin": owned.service.base_url, "localStorage": chosen}]
    refused: list[Route] = []

    async def long_ago(route: Route) -> None:
        refused.append(route)
        document = {"code": "forbidden", "title": "Forbidden", "detail": "You signed in more than 15 minutes ago."}
        await (route.fulfill(status=403, json=document) if len(refused) == 1 else route.continue_())

    async with open_page(at=owned.service, storage_state=state, accept_downloads=True, expected={403, 422}) as page:
        await page.route(re.compile(r"/export$"), long_ago)
        await page.goto("/console/team/workspace")
        await page.get_by_role("button", name="Export the workspace").click()
        dialog = page.get_by_role("dialog", name="Sign in again")
        await dialog.get_by_label("Password").fill("correct horse battery")
        await page.keyboard.press("Enter")
        await page.get_by_text("Ready:").wait_for()
        async with page.expect_download() as started:
            await page.get_by_role("link", name="Download").click()
        file = tmp_path / "export.tar"
        await (await started.value).save_as(file)
        with tarfile.open(file) as archive:
            assert archive.getnames()[-1] == "manifest.json"

        await page.get_by_role("button", name="Delete the workspace").click()
        dialog = page.get_by_role("dialog", name=f"Delete {name}?")
        await dialog.get_by_label("Type the name").fill("Something else")
        await page.keyboard.press("Enter")
        await dialog.get_by_role("alert").wait_for()
        await dialog.get_by_label("Type the name").fill(name)
        await page.keyboard.press("Enter")
        await page.get_by_role("heading", name="Home").wait_for()
        assert await page.evaluate("localStorage.getItem('workspace')") != made["id"]
    names = [each["name"] for each in (await session.get("/workspaces"))["data"]]
    assert name not in names
