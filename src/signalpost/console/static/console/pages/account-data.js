// A copy of what is known here about a person, as one file, and the way out.
import { html } from "../html.js";
import { all, get } from "../api.js";
import { Button, LinkButton } from "../components/button.js";
import { Card } from "../components/page.js";
import { toast } from "../components/toasts.js";
import { useAction } from "../hooks.js";
import { t } from "../i18n.js";
import { to } from "../router.js";
import { may } from "../store.js";

/** @param {string} name @param {unknown} content */
function save(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(
    new Blob([JSON.stringify(content, null, 2)], { type: "application/json" }),
  );
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

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
    save("my-data.json", await collect());
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
