// A copy of what is known here about a person, as one file, and the way out.
import { html } from "../html.js";
import { all, get, saveFile } from "../api.js";
import { Button, LinkButton } from "../components/button.js";
import { Card } from "../components/page.js";
import { toast } from "../components/toasts.js";
import { useAction } from "../hooks.js";
import { t } from "../i18n.js";
import { to } from "../router.js";
import { may } from "../store.js";

async function collect() {
  const [person, workspaces, sessions, apiKeys, messenger] = await Promise.all([
    get("/auth/me"),
    all("/workspaces"),
    all("/auth/sessions"),
    may("keys:write") ? all("/api-keys", { mine: true }) : [],
    get("/wa/status"),
  ]);
  return { savedAt: new Date().toISOString(), person, workspaces, sessions, apiKeys, messenger };
}

export default function MyData() {
  const [busy, download] = useAction(async () => {
    const text = JSON.stringify(await collect(), null, 2);
    saveFile("my-data.json", new Blob([text], { type: "application/json" }));
    toast(t("Your data is saved as my-data.json."));
  });
  return html`
    <${Card} title=${t("My data")}>
      <p class="soft">
        ${t(
          "Who you are here, your workspaces, where you are signed in, the keys that you made and your phone, as one file. What you wrote is in the export of the workspace.",
        )}
      </p>
      <p class="soft">${t("You leave a workspace, or delete one that is yours, on its page Team.")}</p>
      <div class="actions">
        <${Button} busy=${busy} onClick=${download}>
          ${t("Download my data")}
        <//>
        <${LinkButton} href=${to("team")} icon="team">
          ${t("Team")}
        <//>
      </div>
    <//>
  `;
}
