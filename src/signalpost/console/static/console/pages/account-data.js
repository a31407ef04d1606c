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

/** More of one kind than this are not read; the file and the page say so. */
const MOST = 10_000;

/** All that is known; `cut`: the kinds of which it has the newest `most` only. @param {number} most */
export async function collect(most) {
  const [person, messenger, notifications, workspaces, sessions, apiKeys] = await Promise.all([
    get("/auth/me"),
    get("/wa/status"),
    get("/auth/notifications"),
    all("/workspaces", {}, most),
    all("/auth/sessions", {}, most),
    may("keys:write") ? all("/api-keys", { mine: true }, most) : [],
  ]);
  const lists = /** @type {Record<string, any[] & {cut?: boolean}>} */ ({ workspaces, sessions, apiKeys });
  const cut = Object.keys(lists).filter((kind) => lists[kind].cut);
  return { savedAt: new Date().toISOString(), cut, person, ...lists, messenger, notifications };
}

/** Whether the file is being made, and a function that makes and saves it. */
export const useDownload = () =>
  useAction(async () => {
    const data = await collect(MOST);
    saveFile("my-data.json", new Blob([JSON.stringify(data, null, 2)], { type: "application/json" }));
    toast(
      data.cut.length
        ? t(
            "my-data.json is saved, but it is not whole: it names under “cut” what it has the newest of only.",
          )
        : t("Your data is saved as my-data.json."),
    );
  });

export default function MyData() {
  const [busy, download] = useDownload();
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
